/** Reads reasoning, images and errors from the metadata of stored messages. Agents and importers store them in different forms. */
import type { StoredMessage } from '@drydock/sdk';
import { INLINE_IMAGE } from '../../components/inline-image.ts';

/** A message as the console keeps it in memory: long texts are truncated, and the rest is read on demand. */
export interface Message extends StoredMessage {
  /** The length of `content` before it was truncated. */
  readonly contentLength: number;
  /** The lengths of the arguments of its tool calls before they were truncated. */
  readonly argumentsLengths: readonly number[];
}

/** `LongText` shows this much at first. At most 1,600 messages are kept, so their texts have at most 32 million characters. */
const MAX_KEPT_CHARS = 20_000;

export function truncateMessage(message: StoredMessage): Message {
  const { content, tool_calls } = message;
  return {
    ...message,
    content: truncateText(content),
    contentLength: content.length,
    argumentsLengths: (tool_calls ?? []).map((call) => call.arguments.length),
    tool_calls:
      tool_calls?.map(({ id, name, arguments: text }) => ({ id, name, arguments: truncateText(text) })) ??
      null,
  };
}

/** Copies the beginning through JSON, because a slice of a string keeps the whole string in memory. */
const truncateText = (text: string): string =>
  text.length <= MAX_KEPT_CHARS
    ? text
    : (JSON.parse(JSON.stringify(text.slice(0, MAX_KEPT_CHARS))) as string);

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The reasoning of the model before its answer; `undefined` when the provider does not return it. */
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

/** The images of a message as `data:` URLs. Importers keep the parts of a message in its metadata. */
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

/** How failed tool results of the built-in agent of evaluations begin. Other agents mark failures in the metadata. */
const FAILED =
  /^(exit code: [1-9-]|The command was killed |The tool \S+ failed:|There is no tool |The arguments of \S+ (must|lack) |The time for the task was up )/;

export function isErrorResult({ role, content, metadata }: StoredMessage): boolean {
  if (role !== 'tool') return false;
  const all = fieldsOf(metadata);
  if (typeof all['is_error'] === 'boolean') return all['is_error'];
  return all['status'] === 'error' || Boolean(all['error']) || FAILED.test(content);
}

/** The text of a message that is searched. */
export const toSearchText = (message: StoredMessage): string =>
  [
    message.content,
    getReasoning(message),
    ...(message.tool_calls ?? []).flatMap((call) => [call.name, call.arguments]),
  ].join('\n');
