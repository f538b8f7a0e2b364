/** Converts the messages of a chat completion to the AI SDK's prompt. */
import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider';
import { type FilePart, refused, type TranslatableMessage } from './request-schema.ts';

type Role<Name extends TranslatableMessage['role']> = Extract<TranslatableMessage, { role: Name }>;
type Content<Name extends LanguageModelV4Message['role']> = Extract<
  LanguageModelV4Message,
  { role: Name }
>['content'];
type ProviderOptions = TranslatableMessage['provider_options'];

/**
 * Instructions are moved to the start: not every model of these providers accepts them in the middle of a conversation. Consecutive results
 * form one message, since Google expects those of one turn together.
 */
export function toPrompt(messages: readonly TranslatableMessage[]): LanguageModelV4Prompt {
  const instructions: LanguageModelV4Prompt = [];
  const conversation: LanguageModelV4Prompt = [];
  const toolNames = new Map<string, string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'system' || message.role === 'developer') {
      instructions.push({ role: 'system', content: textOf(message.content), ...optionsOf(message) });
    } else if (message.role === 'user') {
      conversation.push({ role: 'user', content: userContent(message, index), ...optionsOf(message) });
    } else if (message.role === 'assistant') {
      for (const call of message.tool_calls ?? []) toolNames.set(call.id, call.function.name);
      conversation.push({ role: 'assistant', content: assistantContent(message), ...optionsOf(message) });
    } else {
      const result = toolResult(message, index, toolNames);
      const last = conversation.at(-1);
      if (last?.role === 'tool') last.content.push(...result);
      else conversation.push({ role: 'tool', content: result });
    }
  }
  return [...instructions, ...conversation];
}

export function optionsOf(owner: { provider_options?: ProviderOptions }) {
  return owner.provider_options ? { providerOptions: owner.provider_options } : {};
}

function textOf(content: readonly { text: string }[]): string {
  return content.map((part) => part.text).join('');
}

function userContent({ content }: Role<'user'>, index: number): Content<'user'> {
  return content.map((part, position) =>
    part.type === 'text'
      ? { type: 'text', text: part.text, ...optionsOf(part) }
      : { ...fileOf(part, ['messages', index, 'content', position]), ...optionsOf(part) },
  );
}

function assistantContent(message: Role<'assistant'>): Content<'assistant'> {
  return [...reasoning(message), ...toTextParts(message), ...(message.tool_calls ?? []).map(toToolCall)];
}

/** The details contain the text, if there are any. */
function reasoning({ reasoning_content, reasoning_details }: Role<'assistant'>): Content<'assistant'> {
  if (reasoning_details && reasoning_details.length > 0)
    return reasoning_details.map((detail) =>
      detail.type === 'reasoning.encrypted'
        ? { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: detail.data } } }
        : {
            type: 'reasoning',
            text: detail.text,
            ...(detail.signature && {
              providerOptions: {
                anthropic: { signature: detail.signature },
                google: { thoughtSignature: detail.signature },
              },
            }),
          },
    );
  return reasoning_content ? [{ type: 'reasoning', text: reasoning_content }] : [];
}

function toTextParts({ content, refusal }: Role<'assistant'>): Content<'assistant'> {
  const parts = [...(content ?? []), ...(refusal ? [{ type: 'refusal' as const, refusal }] : [])];
  return parts.flatMap((part) => toText(part) ?? []);
}

type AssistantPart = NonNullable<Role<'assistant'>['content']>[number];

/** Skips empty text, which Anthropic refuses. */
function toText(part: AssistantPart): Content<'assistant'>[number] | undefined {
  const text = part.type === 'text' ? part.text : part.refusal;
  if (text === '') return undefined;
  return { type: 'text', text, ...(part.type === 'text' && optionsOf(part)) };
}

type ToolCall = NonNullable<Role<'assistant'>['tool_calls']>[number];

function toToolCall(call: ToolCall): Content<'assistant'>[number] {
  const signature = call.extra_content?.google?.thought_signature;
  const options = {
    ...call.provider_options,
    ...(signature && { google: { ...call.provider_options?.['google'], thoughtSignature: signature } }),
  };
  return {
    type: 'tool-call',
    toolCallId: call.id,
    toolName: call.function.name,
    input: argumentsOf(call.function.arguments),
    ...(Object.keys(options).length > 0 && { providerOptions: options }),
  };
}

/** Models may write invalid JSON, which callers send back. Both providers accept only objects. */
function argumentsOf(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // kept as text, below
  }
  return { rawInvalidInput: text };
}

function toolResult(
  message: Role<'tool'>,
  index: number,
  names: ReadonlyMap<string, string>,
): Content<'tool'> {
  const toolName = names.get(message.tool_call_id);
  if (toolName === undefined)
    throw refused(['messages', index, 'tool_call_id'], 'No tool call before this message has this id.');
  return [
    {
      type: 'tool-result',
      toolCallId: message.tool_call_id,
      toolName,
      output: { type: 'text', value: textOf(message.content) },
      ...optionsOf(message),
    },
  ];
}

type Path = readonly PropertyKey[];

const AUDIO_TYPES = { wav: 'audio/wav', mp3: 'audio/mpeg' } as const;

const TYPES_BY_EXTENSION: Readonly<Record<string, string>> = {
  gif: 'image/gif',
  heic: 'image/heic',
  heif: 'image/heif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  pdf: 'application/pdf',
  png: 'image/png',
  webp: 'image/webp',
};

function fileOf(part: FilePart, path: Path): LanguageModelV4FilePart {
  if (part.type === 'image_url') return image(part.image_url.url, [...path, 'image_url', 'url']);
  if (part.type === 'input_audio') {
    const { data, format } = part.input_audio;
    return { type: 'file', mediaType: AUDIO_TYPES[format], data: { type: 'data', data } };
  }
  const { file_data, filename } = part.file;
  return { ...inline(file_data, [...path, 'file', 'file_data']), ...(filename && { filename }) };
}

function image(text: string, path: Path): LanguageModelV4FilePart {
  if (/^data:/i.test(text)) return inline(text, path);
  const url = URL.parse(text);
  if (url?.protocol !== 'https:') throw refused(path, 'The image has to be a data: URI or an https: URL.');
  const extension = url.pathname.split('.').at(-1)?.toLowerCase() ?? '';
  return { type: 'file', mediaType: TYPES_BY_EXTENSION[extension] ?? 'image/*', data: { type: 'url', url } };
}

function inline(uri: string, path: Path): LanguageModelV4FilePart {
  // Avoids a regular expression over the whole text, which may be many megabytes.
  const comma = uri.indexOf(',');
  const header = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w-]+=[^;]*)*;base64$/i.exec(
    uri.slice(0, Math.max(comma, 0)),
  );
  if (!header?.[1]) throw refused(path, 'It has to be of the form data:<media type>;base64,<content>.');
  return {
    type: 'file',
    mediaType: header[1].toLowerCase(),
    data: { type: 'data', data: uri.slice(comma + 1) },
  };
}
