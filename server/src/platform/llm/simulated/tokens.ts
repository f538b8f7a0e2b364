/** Tokens of the simulated models: no real tokenizer's, but always the same for the same text. */

/** Every text is cut without a rest: a few spaces and a piece of a word or one other sign, or spaces alone. */
const TOKEN = /\s{0,3}[\p{L}\p{N}_]{1,8}|\s{0,3}[^\s\p{L}\p{N}_]|\s{1,4}/gu;
const MAX_TOKEN_CHARACTERS = 19;

/** What a simulated model says at most. */
export const MAX_OUTPUT_TOKENS = 8_192;
/** Longer texts have more tokens than that, however they are cut. */
export const MAX_OUTPUT_CHARACTERS = MAX_OUTPUT_TOKENS * MAX_TOKEN_CHARACTERS + 1;

export function* tokensOf(text: string): Generator<string> {
  for (const [token] of text.matchAll(TOKEN)) yield token;
}

/** The input's: a quarter of the characters of its JSON. */
export function countInputTokens(input: unknown): number {
  return Math.ceil(JSON.stringify(input).length / 4);
}
