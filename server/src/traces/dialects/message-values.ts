/** Converts single values within messages. */
import { parseExact } from '../otlp/value-json.ts';

export interface ToolCall {
  readonly id: string | null;
  readonly name: string | null;
  /** Arguments as given by the model: usually an object, or text when they are not valid JSON. */
  readonly arguments: unknown;
}

export interface Message {
  /** `system`, `user`, `assistant`, `tool`, or the span's own name for the role. */
  readonly role: string;
  /** Text; a list of parts when there is more than text; null when there is no content. */
  readonly content: string | readonly unknown[] | null;
  readonly tool_calls?: readonly ToolCall[];
  /** Id of the call that this message answers. */
  readonly tool_call_id?: string;
  readonly name?: string;
}

export interface Messages {
  readonly input: Message[];
  readonly output: Message[];
}

type Fields = Readonly<Record<string, unknown>>;

/** TypeScript has no types yet for raw JSON numbers, which keep their digits. */
const { isRawJSON } = JSON as unknown as { isRawJSON(value: unknown): value is { readonly rawJSON: string } };

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJSON(value);

/** Returns null for an empty string or a value that is not a string. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return isRawJSON(value) ? value.rawJSON : null;
}

/** Returns a text unchanged and every other value as JSON. */
export function contentOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}

/** Reads the tool call forms of the GenAI conventions, OpenAI, OpenInference and Anthropic. */
export function toToolCall(given: Fields): ToolCall {
  const inner = isFields(given.tool_call) ? given.tool_call : given;
  const called = isFields(inner.function) ? inner.function : inner;
  return {
    id:
      textOf(given.id) ??
      textOf(inner.id) ??
      textOf(given['tool_call.id']) ??
      textOf(given.toolUseId) ??
      textOf(given.toolCallId),
    name:
      textOf(called.name) ??
      textOf(given['function.name']) ??
      textOf(given['tool_call.function.name']) ??
      textOf(given.toolName),
    arguments: toArguments(
      called.arguments ??
        called.input ??
        given.args ??
        given['function.arguments'] ??
        given['tool_call.function.arguments'] ??
        null,
    ),
  };
}

/** Parses arguments, which most instrumentations send as JSON text. */
export const toArguments = (value: unknown): unknown =>
  typeof value === 'string' ? (parseMessageJson(value) ?? value) : value;

/** Maximum nesting: deeper than real messages, and shallow enough to be serialized recursively into a response. */
const MAX_DEPTH = 64;

/** Parses objects and arrays; returns undefined for all other texts. Numbers keep their digits. */
export function parseMessageJson(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text) || isTooDeep(text)) return undefined;
  try {
    const value = parseExact(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Counts brackets in the text before parsing, since JSON.parse calls a reviver recursively. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (isInString) {
      if (character === 0x5c /* \\ */) at++;
      else if (character === 0x22 /* " */) isInString = false;
    } else if (character === 0x22) isInString = true;
    else if (character === 0x5b /* [ */ || character === 0x7b /* { */) {
      if (++depth > MAX_DEPTH) return true;
    } else if (character === 0x5d /* ] */ || character === 0x7d /* } */) depth--;
  }
  return false;
}
