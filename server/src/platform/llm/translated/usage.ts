/** Converts tokens reported by the AI SDK, for metering and for the response. */
import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { TokenUsage } from '../chat-model.ts';

const MOST = 2 ** 31;

/** Returns undefined when the provider reported none, or implausible values. */
export function toTokenUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): TokenUsage | undefined {
  if (inputTokens.total === undefined || outputTokens.total === undefined) return undefined;
  const usage = {
    inputTokens: inputTokens.total,
    outputTokens: outputTokens.total,
    cacheReadInputTokens: inputTokens.cacheRead ?? 0,
    cacheCreationInputTokens: inputTokens.cacheWrite ?? 0,
  };
  const isMeant =
    Object.values(usage).every((count) => Number.isInteger(count) && count >= 0 && count < MOST) &&
    usage.cacheReadInputTokens + usage.cacheCreationInputTokens <= usage.inputTokens;
  return isMeant ? usage : undefined;
}

/** Returns OpenAI's form, which includes tokens written to a cache in the prompt's. */
export function toUsageJson(usage: TokenUsage, { outputTokens }: LanguageModelV4Usage) {
  const reasoning = outputTokens.reasoning ?? 0;
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadInputTokens },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
