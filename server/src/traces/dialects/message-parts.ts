/** Converts the parts of a message's content: texts, tool calls and tool results. */

import type { ToolCall } from './message.ts';
import { contentOf, isFields, textOf, toToolCall } from './message-values.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface ToolResponse {
  readonly id: string | null;
  readonly content: string | null;
}

export interface Parts {
  /** A string for a single text part; a list of parts otherwise. */
  readonly content: string | readonly unknown[] | null;
  readonly calls: readonly ToolCall[];
  readonly responses: readonly ToolResponse[];
}

export function readParts(given: unknown): Parts {
  if (!Array.isArray(given)) return { content: readSingle(given), calls: [], responses: [] };
  const said: unknown[] = [];
  const calls: ToolCall[] = [];
  const responses: ToolResponse[] = [];
  for (const part of given as readonly unknown[]) {
    const call = findCall(part);
    const response = call === undefined ? findResponse(part) : undefined;
    if (call !== undefined) calls.push(toToolCall(call));
    else if (response !== undefined) responses.push(response);
    else if (part !== null) said.push(toPart(part));
  }
  return { content: toContent(said), calls, responses };
}

function readSingle(given: unknown): string | readonly unknown[] | null {
  if (!isFields(given)) return contentOf(given);
  const text = textOf(given.text);
  return text ?? contentOf(given);
}

function toContent(said: readonly unknown[]): string | readonly unknown[] | null {
  const [first] = said;
  if (said.length === 0) return null;
  return said.length === 1 && isFields(first) && first.type === 'text' ? contentOf(first.text) : said;
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
