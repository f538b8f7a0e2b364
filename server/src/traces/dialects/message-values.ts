/** Converts single values within messages. */

import type { ToolCall } from './message.ts';
import { parseMessageJson } from './message-json.ts';

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
