import { expect, test } from 'vitest';
import { findUsage } from './usage.ts';

const usage = (more: object = {}) => ({
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  ...more,
});
const counted = (read = 0, created = 0) => ({
  inputTokens: 100,
  outputTokens: 20,
  cacheReadInputTokens: read,
  cacheCreationInputTokens: created,
});

test.each([
  [usage(), counted()],
  [usage({ prompt_tokens_details: null }), counted()],
  [usage({ prompt_tokens_details: { cached_tokens: null } }), counted()],
  [usage({ prompt_tokens_details: { cached_tokens: 30, audio_tokens: 0 } }), counted(30)],
  [usage({ cache_read_input_tokens: 30, cache_creation_input_tokens: 40 }), counted(30, 40)],
  [usage({ prompt_tokens_details: { cached_tokens: 30 }, cache_read_input_tokens: 30 }), counted(30)],
  [usage({ prompt_cache_hit_tokens: 100, prompt_cache_miss_tokens: 0 }), counted(100)],
  [usage({ prompt_tokens_details: { cached_tokens: 1, cache_creation_tokens: 2 } }), counted(1, 2)],
  [usage({ prompt_tokens_details: { cached_tokens: 1, cache_write_tokens: 2 } }), counted(1, 2)],
  [
    { prompt_tokens: 0, completion_tokens: 0 },
    { inputTokens: 0, outputTokens: 0, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 },
  ],
])('%j', (given, expected) => {
  expect(findUsage(given)).toEqual(expected);
});

test.each([
  null,
  undefined,
  7,
  'many',
  [],
  {},
  { prompt_tokens: 1 },
  usage({ prompt_tokens: -1 }),
  usage({ prompt_tokens: 1.5 }),
  usage({ prompt_tokens: '100' }),
  usage({ prompt_tokens: Number.NaN }),
  usage({ completion_tokens: null }),
  usage({ completion_tokens: 2 ** 31 }),
  usage({ completion_tokens: 1e300 }),
  usage({ prompt_tokens_details: { cached_tokens: 101 } }),
  usage({ prompt_tokens_details: { cached_tokens: -1 } }),
  usage({ cache_read_input_tokens: 60, cache_creation_input_tokens: 41 }),
])('findUsage returns undefined for %j', (given) => {
  expect(findUsage(given)).toBeUndefined();
});
