/** JSON that is passed on: limited in depth, and with numbers that are written exactly as they were read. */

/** A number with at most this many digits fits a double. */
const EXACT_DIGITS = 15;
/** Doubles below this have fewer digits. */
const SMALLEST_NORMAL = 2 ** -1022;
const MAX_NUMBER_LENGTH = 100;

/** Matches every number that a double may not hold, and some that it does: those take the slow path. */
const maybeInexact = /[\d.]{16}|\d[eE][+-]?\d\d/;

/** The slow path takes about 1 µs per value. A text with more values than this is parsed with the precision of a double. */
const MAX_EXACT_VALUES = 100_000;

/**
 * Parses JSON so that `JSON.stringify` writes every number as it was, including 64-bit integers.
 * @throws {SyntaxError}
 */
export function parseExactly(text: string): unknown {
  const isSlower = maybeInexact.test(text) && nestingOf(text).values <= MAX_EXACT_VALUES;
  return isSlower ? parse(text, keepNumber) : JSON.parse(text);
}

function keepNumber(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
  return fitsDouble(source, value) ? value : rawJSON(source);
}

/** Whether a double holds all digits, in any notation. */
function fitsDouble(source: string, value: number): boolean {
  // A megabyte of zeros would be slow below.
  if (source.length > MAX_NUMBER_LENGTH) return false;
  const [digits = ''] = source.replace(/[-.]/g, '').split(/e/i);
  const significant = digits.replace(/^0+|0+$/g, '');
  if (significant === '') return true;
  return significant.length <= EXACT_DIGITS && Number.isFinite(value) && Math.abs(value) >= SMALLEST_NORMAL;
}

/** Converts a preserved number to a double, for arithmetic; every other value stays unchanged. */
export const toNumber = (value: unknown): unknown =>
  isRawJSON(value) ? Number((value as { readonly rawJSON: string }).rawJSON) : value;

/** TypeScript does not declare these functions yet. */
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse(text: string, reviver: typeof keepNumber): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
/** Distinguishes a brace from a bracket. */
const BRACE_BIT = 0x20;

/** Nesting depth of objects and arrays. */
export const depthOf = (json: string): number => nestingOf(json).depth;

interface Nesting {
  readonly depth: number;
  /** Number of objects and arrays: each takes about 100 bytes of memory, and as little as 3 bytes of text. */
  readonly count: number;
  /** Upper bound for the number of members and items. */
  readonly values: number;
}

/** Scans the text, so that nothing is built from a hostile one. */
export function nestingOf(json: string): Nesting {
  let open = 0;
  let depth = 0;
  let count = 0;
  let values = 1;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    const kind = code & ~BRACE_BIT;
    if (code === QUOTE) at = endOfString(json, at);
    else if (kind === OPENING_BRACKET) {
      count++;
      depth = Math.max(depth, ++open);
    } else if (kind === CLOSING_BRACKET) open--;
    else if (code === COMMA) values++;
  }
  return { depth, count, values: values + count };
}

/** Searches for quotes only, since most of a body is strings. */
function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let before = at;
    while (json.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((at - before) % 2 === 0) return at;
  }
  return json.length;
}
