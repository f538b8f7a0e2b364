/** Converts a response to an Anthropic message: as sent by the provider, or built from a chat completion. */
import { NATIVE, type TokenUsage } from '../../platform/llm/chat-model.ts';
import { withoutDashes } from '../../platform/uuid.ts';
import type { ModelResult } from '../calls/model-calls.ts';
import { type Part, readParts } from '../chat/parts.ts';

export function toMessage(model: string, result: ModelResult): object {
  const { completion, callId, usage } = result;
  const native = completion[NATIVE];
  if (native) return native;
  const { parts, finishReason } = readParts(completion);
  return {
    ...messageHead(model, callId),
    content: parts.map(toBlock),
    stop_reason: toStopReason(finishReason, parts.some(isCall)),
    usage: toUsage(usage),
  };
}

export const messageHead = (model: string, callId: string) => ({
  id: `msg_${withoutDashes(callId)}`,
  type: 'message',
  role: 'assistant',
  model,
  content: [],
  stop_reason: null as string | null,
  stop_sequence: null,
});

function toBlock(part: Part): object {
  if (part.kind === 'reasoning') return { type: 'thinking', thinking: part.text, signature: '' };
  if (part.kind !== 'call') return { type: 'text', text: part.text, citations: null };
  return { type: 'tool_use', id: part.id, name: part.name, input: readInput(part.text) };
}

/** Models may write invalid JSON, and Anthropic's clients accept only objects. */
function readInput(text: string): object {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Invalid JSON is kept as text below.
  }
  return { rawInvalidInput: text };
}

export const isCall = ({ kind }: Part) => kind === 'call';

export function toStopReason(finishReason: string | undefined, hasCalls: boolean): string {
  if (finishReason === 'length') return 'max_tokens';
  if (finishReason === 'content_filter') return 'refusal';
  return hasCalls ? 'tool_use' : 'end_turn';
}

/** Anthropic's input tokens exclude cache reads and writes. */
export const toUsage = (usage: TokenUsage) => ({
  input_tokens: Math.max(0, usage.inputTokens - usage.cacheReadInputTokens - usage.cacheCreationInputTokens),
  output_tokens: usage.outputTokens,
  cache_creation_input_tokens: usage.cacheCreationInputTokens,
  cache_read_input_tokens: usage.cacheReadInputTokens,
});
