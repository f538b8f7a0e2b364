/** Ranges of keys, which are ordered by their UTF-8 bytes and thus by code points. */

/** The start is inclusive, the end exclusive. */
export interface KeyRange {
  readonly from: string;
  readonly to: string;
}

const LAST_CODE_POINT = 0x10_ff_ff;

/** Greater than every key: a key of at most 1024 bytes cannot contain this many of the last character. */
const BEYOND_ALL_KEYS = String.fromCodePoint(LAST_CODE_POINT).repeat(257);

export function rangeUnder(prefix: string): KeyRange {
  return { from: prefix, to: firstBeyond(prefix) ?? BEYOND_ALL_KEYS };
}

/** Returns the smallest text that is greater than all texts with this prefix; undefined when there is none. */
export function firstBeyond(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === LAST_CODE_POINT) continue;
    // Skips surrogates, which are not characters.
    points.push(last === 0xd7ff ? 0xe000 : last + 1);
    return String.fromCodePoint(...points);
  }
  return undefined;
}

/** Returns the smallest key that is greater than this one: keys contain no NUL. */
export const firstAfter = (key: string): string => `${key}\u0001`;

/** Returns the range of a listing: keys with the prefix that come after a key, or after all keys of a common prefix. */
export function rangeAfter({ prefix, delimiter, after }: Place): KeyRange {
  const range = rangeUnder(prefix);
  if (!after) return range;
  const from = isCommonPrefix(after, prefix, delimiter) ? firstBeyond(after) : firstAfter(after);
  if (from === undefined) return { from: range.to, to: range.to };
  return isBefore(range.from, from) ? { from, to: range.to } : range;
}

interface Place {
  readonly prefix: string;
  readonly delimiter?: string | undefined;
  readonly after?: string | undefined;
}

function isCommonPrefix(text: string, prefix: string, delimiter: string | undefined): boolean {
  if (!delimiter || !text.startsWith(prefix)) return false;
  const end = text.indexOf(delimiter, prefix.length);
  return end >= 0 && end + delimiter.length === text.length;
}

/** Compares bytes: JavaScript compares UTF-16 code units, which order differently beyond the basic plane. */
const isBefore = (a: string, b: string): boolean => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;
