/** Estimates the tokens of a call: before it starts, and when its provider reports none. */
import type { TokenUsage } from '../../platform/llm/chat-model.ts';
import type { OfferedModel } from '../offered-model.ts';
import type { ChatCompletionRequest } from './schema.ts';

/** Average for English text; other languages use more tokens. */
const BYTES_PER_TOKEN = 4;

export const estimateInput = ({ messages, tools }: ChatCompletionRequest) =>
  Math.ceil(Buffer.byteLength(JSON.stringify([messages, tools])) / BYTES_PER_TOKEN);

/** Ignores images and files, which have far more bytes than tokens. */
export const estimateText = ({ messages, tools }: ChatCompletionRequest) => {
  const text = JSON.stringify([messages, tools], (_, value: unknown) =>
    typeof value === 'string' && value.startsWith('data:') ? '' : value,
  );
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
};

export const estimateOutput = (length: number) => Math.ceil(length / BYTES_PER_TOKEN);

export function estimateUsage(request: ChatCompletionRequest, outputLength: number): TokenUsage {
  return {
    inputTokens: estimateInput(request),
    outputTokens: estimateOutput(outputLength),
    cacheReadInputTokens: 0,
    cacheCreationInputTokens: 0,
  };
}

/**
 * Returns the maximum number of tokens to reserve for a call.
 * @param bodyBytes length of the whole request if known, so that it need not be serialized to be measured
 */
export function atMost(request: ChatCompletionRequest, model: OfferedModel, bodyBytes: number | undefined) {
  // Providers differ in which of the two they apply.
  const requested = [request.max_completion_tokens, request.max_tokens].filter(isCount);
  const perChoice = requested.length > 0 ? Math.max(...requested) : model.maxOutputTokens;
  // The provider may generate all requested choices, and all of them have to be paid.
  const choices = isCount(request.n) ? request.n : 1;
  return {
    inputTokens: bodyBytes === undefined ? estimateInput(request) : Math.ceil(bodyBytes / BYTES_PER_TOKEN),
    outputTokens: Math.min(perChoice * choices, MAX_TOKENS),
  };
}

const MAX_TOKENS = 2 ** 31 - 1;

const isCount = (value: number | null | undefined): value is number =>
  Number.isSafeInteger(value) && (value ?? 0) > 0;
