/** Converts messages from every form used by conventions and providers into one form. */
import { toRole } from './conventions.ts';
import {
  contentOf,
  isFields,
  type Message,
  parseMessageJson,
  type ToolCall,
  textOf,
  toToolCall,
} from './message-values.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Converts a list of messages, a single message or a text, given as a value or as JSON. A value that is not a message becomes the content
 * of a message with the given role.
 */
export function toMessages(value: unknown, role: string): Message[] {
  if (typeof value === 'string') {
    const parsed = parseMessageJson(value);
    const messages = parsed === undefined ? undefined : readForm(parsed, role);
    return messages ?? toMessage({ content: value }, role);
  }
  if (value === null || value === undefined) return [];
  return readForm(value, role) ?? toMessage({ content: contentOf(value) }, role);
}

/** Returns undefined for a value that does not have the form of messages. */
function readForm(value: unknown, role: string): Message[] | undefined {
  if (Array.isArray(value)) return readList(value, role);
  if (!isFields(value)) return undefined;
  for (const list of [value.messages, value.choices]) {
    if (Array.isArray(list)) return readList(list, role);
  }
  return isMessage(value) ? toMessage(value, role) : undefined;
}

function readList(given: readonly unknown[], role: string): Message[] | undefined {
  // Some frameworks send a list of conversations.
  const list: unknown[] = given.every((item) => Array.isArray(item)) ? given.flat() : [...given];
  if (list.length === 0) return [];
  if (list.every((item) => typeof item === 'string' || (isFields(item) && isMessage(item)))) {
    return list.flatMap((item) => toMessage(isFields(item) ? item : { content: item }, role));
  }
  return list.every(isPart) ? toMessage({ content: list }, role) : undefined;
}

const isMessage = (fields: Fields) =>
  typeof fields.role === 'string' ||
  typeof fields['message.role'] === 'string' ||
  Array.isArray(fields.parts) ||
  isFields(fields.message) ||
  (fields.content !== undefined && fields.type === undefined);

const isPart = (value: unknown) =>
  typeof value === 'string' ||
  (isFields(value) &&
    (typeof value.type === 'string' ||
      typeof value.text === 'string' ||
      isFields(value.toolUse) ||
      isFields(value.toolResult)));

/** Returns no message when the content was not captured, and several when the message holds the results of several calls. */
export function toMessage(given: Fields, defaultRole: string): Message[] {
  const fields = unwrap(given);
  const role = toRole(textOf(fields.role) ?? defaultRole);
  const { content, calls, responses } = readParts(partsOf(fields.parts ?? fields.content));
  const toolCalls = [...calls, ...readCalls(fields)];
  const name = textOf(fields.name);
  const callId = textOf(fields.tool_call_id) ?? (role === 'tool' ? textOf(fields.id) : null);
  const results = responses.map((response) => toResult(response, name, callId));
  if (content === null && toolCalls.length === 0 && (results.length > 0 || callId === null)) return results;
  const message: Message = {
    role,
    content,
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    ...(callId !== null && { tool_call_id: callId }),
    ...(name !== null && { name }),
  };
  return [...results, message];
}

/** Returns the message inside a choice, with the OpenInference prefix removed from its field names. */
function unwrap(given: Fields): Fields {
  if (isFields(given.message)) return { tool_calls: given.tool_calls, ...unwrap(given.message) };
  if (given['message.role'] === undefined && given['message.content'] === undefined) return given;
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key.startsWith('message.') ? key.slice(8) : key, value]),
  );
}

/** Parses a text content that is a JSON list of parts. */
function partsOf(content: unknown): unknown {
  if (typeof content !== 'string' || !content.startsWith('[{')) return content;
  const parsed = parseMessageJson(content);
  return Array.isArray(parsed) && parsed.every(isPart) ? parsed : content;
}

function readCalls(fields: Fields): ToolCall[] {
  const given =
    typeof fields.tool_calls === 'string' ? parseMessageJson(fields.tool_calls) : fields.tool_calls;
  const calls: readonly unknown[] = Array.isArray(given) ? given : [];
  return [...calls, fields.function_call].filter(isFields).map(toToolCall);
}

function toResult(response: ToolResponse, name: string | null, callId: string | null): Message {
  const id = response.id ?? callId;
  return {
    role: 'tool',
    content: response.content,
    ...(id !== null && { tool_call_id: id }),
    ...(name !== null && { name }),
  };
}

interface ToolResponse {
  readonly id: string | null;
  readonly content: string | null;
}

interface Parts {
  /** A string for a single text part; a list of parts otherwise. */
  readonly content: string | readonly unknown[] | null;
  readonly calls: readonly ToolCall[];
  readonly responses: readonly ToolResponse[];
}

function readParts(given: unknown): Parts {
  if (!Array.isArray(given)) return { content: readSingle(given), calls: [], responses: [] };
  const parts: unknown[] = [];
  const calls: ToolCall[] = [];
  const responses: ToolResponse[] = [];
  for (const part of given as readonly unknown[]) {
    const call = findCall(part);
    const response = call === undefined ? findResponse(part) : undefined;
    if (call !== undefined) calls.push(toToolCall(call));
    else if (response !== undefined) responses.push(response);
    else if (part !== null) parts.push(toPart(part));
  }
  return { content: toContent(parts), calls, responses };
}

function readSingle(given: unknown): string | readonly unknown[] | null {
  if (!isFields(given)) return contentOf(given);
  const text = textOf(given.text);
  return text ?? contentOf(given);
}

function toContent(parts: readonly unknown[]): string | readonly unknown[] | null {
  const [first] = parts;
  if (parts.length === 0) return null;
  return parts.length === 1 && isFields(first) && first.type === 'text' ? contentOf(first.text) : parts;
}

const CALL_TYPES = new Set(['tool_call', 'tool_use', 'function_call', 'tool-call']);

function findCall(part: unknown): Fields | undefined {
  if (!isFields(part)) return undefined;
  if (typeof part.type === 'string' && CALL_TYPES.has(part.type)) return part;
  return isFields(part.toolUse) ? part.toolUse : undefined;
}

function findResponse(part: unknown): ToolResponse | undefined {
  if (!isFields(part)) return undefined;
  if (part.type === 'tool_call_response') {
    return { id: textOf(part.id), content: contentOf(part.response ?? part.result) };
  }
  if (part.type === 'tool-result') return { id: textOf(part.toolCallId), content: outputOf(part) };
  if (part.type === 'tool_result') return { id: textOf(part.tool_use_id), content: resultOf(part.content) };
  if (!isFields(part.toolResult)) return undefined;
  return { id: textOf(part.toolResult.toolUseId), content: resultOf(part.toolResult.content) };
}

/** Reads a tool result of the AI SDK, whose newer versions wrap the value with its type. */
function outputOf({ output, result }: Fields): string | null {
  return contentOf(isFields(output) && output.value !== undefined ? output.value : (output ?? result));
}

/** Unwraps a result that consists of a single text part. */
function resultOf(content: unknown): string | null {
  const [only, ...others]: readonly unknown[] = Array.isArray(content) ? content : [content];
  return isFields(only) && typeof only.text === 'string' && others.length === 0
    ? only.text
    : contentOf(content);
}

/** Normalizes text parts; parts that are neither text nor a call stay unchanged. */
function toPart(part: unknown): unknown {
  if (typeof part === 'string') return { type: 'text', text: part };
  if (!isFields(part)) return part;
  const text = part.text ?? part.content;
  if (typeof text !== 'string') return part;
  if (
    part.type === undefined ||
    part.type === 'text' ||
    part.type === 'input_text' ||
    part.type === 'output_text'
  ) {
    return { type: 'text', text };
  }
  return part.type === 'reasoning' ? { type: 'reasoning', text } : part;
}
