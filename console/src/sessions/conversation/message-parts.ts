/** What a stored message holds beside its text, in the forms in which agents and imports store it. */
import type { StoredMessage } from '@drydock/sdk';
import { INLINE_IMAGE } from '../../components/inline-image.ts';

/** A message as the console keeps it: long texts are cut, and read again when someone asks for the rest. */
export interface Message extends StoredMessage {
  /** Of `content` before it was cut. */
  readonly contentLength: number;
  readonly hasCutArguments: boolean;
}

/** 1,600 messages are kept at most, so that their texts have at most 32 million characters. It is what a long text shows at first. */
const MAX_KEPT = 20_000;

export function toKept(message: StoredMessage): Message {
  const { content, tool_calls } = message;
  const hasCutArguments = tool_calls?.some((call) => call.arguments.length > MAX_KEPT) ?? false;
  return {
    ...message,
    content: cut(content),
    contentLength: content.length,
    hasCutArguments,
    tool_calls:
      tool_calls && hasCutArguments
        ? tool_calls.map((call) => ({ ...call, arguments: cut(call.arguments) }))
        : tool_calls,
  };
}

/** A copy, since a part of a string keeps the whole string in memory. */
const cut = (text: string): string =>
  text.length <= MAX_KEPT ? text : (JSON.parse(JSON.stringify(text.slice(0, MAX_KEPT))) as string);

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What the model thought before it answered; `undefined` where the provider tells nothing of it. */
export function getReasoning({ metadata }: Pick<StoredMessage, 'metadata'>): string | undefined {
  const all = fieldsOf(metadata);
  const sources = [all, fieldsOf(all['extra']), fieldsOf(all['openai'])];
  for (const source of sources) {
    const text = [source['reasoning_content'], source['reasoning'], source['thinking']]
      .map(textOf)
      .find(Boolean);
    if (text) return text;
    const details = listOf(source['reasoning_details']).map((one) => textOf(fieldsOf(one)['text']));
    if (details.some(Boolean)) return details.filter(Boolean).join('\n');
  }
  return undefined;
}

/** Images of a message as `data:` URLs: imports keep its parts in the metadata. */
export function getImages({ metadata }: Pick<StoredMessage, 'metadata'>): string[] {
  const all = fieldsOf(metadata);
  const openai = fieldsOf(all['openai']);
  const atif = fieldsOf(all['atif']);
  const parts = [
    ...listOf(all['content']),
    ...listOf(all['images']),
    ...listOf(openai['content']),
    ...listOf(atif['message']),
    ...listOf(atif['content']),
  ];
  return parts.map(toImage).filter((url) => INLINE_IMAGE.test(url));
}

function toImage(part: unknown): string {
  if (typeof part === 'string') return part;
  const { image_url, url, source } = fieldsOf(part);
  const { data, media_type, path } = fieldsOf(source);
  if (typeof data === 'string') return `data:${textOf(media_type)};base64,${data}`;
  return textOf(image_url) || textOf(fieldsOf(image_url)['url']) || textOf(url) || textOf(path);
}

/** How results of failed calls begin that the agent of evaluations stores. Other agents say it in the metadata. */
const FAILED =
  /^(exit code: [1-9-]|The command was killed |The tool \S+ failed:|There is no tool |The arguments of \S+ (must|lack) |The time for the task was up )/;

export function isErrorResult({ role, content, metadata }: StoredMessage): boolean {
  if (role !== 'tool') return false;
  const all = fieldsOf(metadata);
  if (typeof all['is_error'] === 'boolean') return all['is_error'];
  return all['status'] === 'error' || Boolean(all['error']) || FAILED.test(content);
}

/** Everything in a message that a search looks at. */
export const searchTextOf = (message: StoredMessage): string =>
  [
    message.content,
    getReasoning(message),
    ...(message.tool_calls ?? []).flatMap((call) => [call.name, call.arguments]),
  ].join('\n');
