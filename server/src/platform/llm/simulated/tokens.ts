/** Tokens of the simulated models: not those of a real tokenizer, but deterministic. */

/** Splits every text completely: a few spaces and a piece of a word or one other character, or spaces alone. */
const TOKEN = /\s{0,3}[\p{L}\p{N}_]{1,8}|\s{0,3}[^\s\p{L}\p{N}_]|\s{1,4}/gu;
const MAX_TOKEN_CHARACTERS = 19;

/** Maximum output of a simulated model. */
export const MAX_OUTPUT_TOKENS = 8_192;
/** Longer texts exceed the token limit, however they are split. */
export const MAX_OUTPUT_CHARACTERS = MAX_OUTPUT_TOKENS * MAX_TOKEN_CHARACTERS + 1;

export function* tokensOf(text: string): Generator<string> {
  for (const [token] of text.matchAll(TOKEN)) yield token;
}

/** Counts input tokens: a quarter of the characters of its JSON. */
export function countInputTokens(input: unknown): number {
  return Math.ceil(JSON.stringify(input).length / 4);
}
