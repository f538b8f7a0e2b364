/** Reads the usage reported by a provider, if it is plausible. */
import type { TokenUsage } from '../chat-model.ts';

const MAX_TOKENS = 2 ** 31 - 1;

/** Returns undefined for implausible usage: negative, fractional or infinite numbers, or more cached tokens than input. */
export function findUsage(usage: unknown): TokenUsage | undefined {
  const inputTokens = field(usage, 'prompt_tokens');
  const outputTokens = field(usage, 'completion_tokens');
  const details = field(usage, 'prompt_tokens_details');
  // OpenAI's name first, then names used by other providers.
  const read =
    field(details, 'cached_tokens') ??
    field(usage, 'cache_read_input_tokens') ??
    field(usage, 'prompt_cache_hit_tokens') ??
    0;
  const created =
    field(usage, 'cache_creation_input_tokens') ??
    field(details, 'cache_creation_tokens') ??
    field(details, 'cache_write_tokens') ??
    0;
  if (!isCount(inputTokens) || !isCount(outputTokens) || !isCount(read) || !isCount(created))
    return undefined;
  if (read + created > inputTokens) return undefined;
  return { inputTokens, outputTokens, cacheReadInputTokens: read, cacheCreationInputTokens: created };
}

function field(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS;
}
