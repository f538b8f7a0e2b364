/** Messages of every form that conventions and providers give them, in one. */
import { toRole } from './conventions.ts';
import type { Message, ToolCall } from './message.ts';
import { parseMessageJson } from './message-json.ts';
import { readParts, type ToolResponse } from './message-parts.ts';
import { contentOf, isFields, textOf, toToolCall } from './message-values.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A list of messages, one, or a text: as a value or as JSON. What has no form of a message is what the given role said. */
export function toMessages(value: unknown, role: string): Message[] {
  if (typeof value === 'string') {
    const parsed = parseMessageJson(value);
    const messages = parsed === undefined ? undefined : readForm(parsed, role);
    return messages ?? toMessage({ content: value }, role);
  }
  if (value === null || value === undefined) return [];
  return readForm(value, role) ?? toMessage({ content: contentOf(value) }, role);
}

/** Undefined if it is not in the form of messages. */
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

/** None where nothing was captured of it; several where it holds results of several calls. */
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

/** The message within a choice; the names of OpenInference without their prefix. */
function unwrap(given: Fields): Fields {
  if (isFields(given.message)) return { tool_calls: given.tool_calls, ...unwrap(given.message) };
  if (given['message.role'] === undefined && given['message.content'] === undefined) return given;
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key.startsWith('message.') ? key.slice(8) : key, value]),
  );
}

/** A content that is the JSON of parts is those parts. */
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
