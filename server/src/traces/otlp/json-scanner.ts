/**
 * Navigates JSON without building the values it skips, so that a batch is parsed one span at a time. The content of a skipped value is not
 * checked here: JSON.parse does that.
 */
import { isUtf8 } from 'node:buffer';
import { ApiError } from '../../platform/errors.ts';
import { BODY_DEPTH } from '../../platform/http/requests/json-body.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
/** Difference between the codes of a bracket and a brace. */
const BRACE = 0x20;
const ZERO = 0x30;
const NINE = 0x39;
const POINT = 0x2e;

/** Maximum number of commas and brackets in one parsed piece: two bytes may become an object in memory. */
const MAX_TOKENS = 2_000_000;
/** Maximum size of one piece, which exists several times in memory. */
const MAX_PIECE_BYTES = 24 * 2 ** 20;
/** Integers with fewer digits than this are exact as doubles. */
const LONG_DIGITS = 16;
/** Values of at least this many bytes, down to the spans, have their ends cached. */
const LARGE = 4096;
const SPAN_DEPTH = 6;

/** A value that was skipped. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly tokens: number;
  /** True when it contains an integer that a double might not represent exactly. */
  readonly hasLong: boolean;
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** TypeScript does not declare the `source` argument of revivers yet. */
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown;

export class JsonScanner {
  private readonly bytes: Buffer;
  private at = 0;
  /** Large values by their start, so that finding their end again does not scan them again. */
  private readonly large = new Map<number, Piece>();
  /** Start positions of the open brackets. */
  private readonly starts = new Uint32Array(BODY_DEPTH);
  private readonly counts = new Uint32Array(BODY_DEPTH);

  constructor(body: Uint8Array) {
    this.bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    if (!isUtf8(this.bytes)) throw refusal('The body is not valid UTF-8.');
  }

  /** Returns the value that makes up the body, unless it is truncated or nested too deep. */
  whole(): Piece {
    // A byte order mark is not part of the text.
    if (this.bytes[0] === 0xef && this.bytes[1] === 0xbb && this.bytes[2] === 0xbf) this.at = 3;
    const piece = this.pass();
    if (this.next() !== undefined) throw notJson();
    return piece;
  }

  isArray({ start }: Piece): boolean {
    return this.bytes[start] === OPENING_BRACKET;
  }

  isObject({ start }: Piece): boolean {
    return this.bytes[start] === OPENING_BRACE;
  }

  /** @param object whose fields are checked */
  isEmpty({ start }: Piece): boolean {
    this.at = start + 1;
    return this.next() === CLOSING_BRACE;
  }

  parse({ start, end, tokens, hasLong }: Piece, mostBytes = MAX_PIECE_BYTES): unknown {
    if (tokens > MAX_TOKENS)
      throw refusal('A span, or another part of the body, holds more than 500,000 values.');
    if (end - start > mostBytes)
      throw refusal(
        `A span, a resource or another part of the body takes more than ${mostBytes / 2 ** 20} MiB.`,
      );
    const text = this.bytes.toString('utf8', start, end);
    try {
      return hasLong ? parseWithSource(text, keepLong) : JSON.parse(text);
    } catch (cause) {
      throw notJson(cause);
    }
  }

  /** Returns the values of an object under these names, the last one for duplicates; other fields are only checked. */
  fields<Name extends string>(object: Piece, names: readonly Name[]): Partial<Record<Name, Piece>> {
    const found: Partial<Record<Name, Piece>> = {};
    this.at = object.start + 1;
    if (this.next() === CLOSING_BRACE) return found;
    for (;;) {
      if (this.next() !== QUOTE) throw notJson();
      const key = this.parse(this.pass()) as Name;
      if (this.next() !== COLON) throw notJson();
      this.at++;
      const value = this.pass();
      const isWanted = names.includes(key);
      const unused = isWanted ? found[key] : value;
      if (unused) this.parse(unused);
      if (isWanted) found[key] = value;
      if (this.isLast(CLOSING_BRACE)) return found;
    }
  }

  *elements(array: Piece): Generator<Piece> {
    let at = array.start + 1;
    this.at = at;
    if (this.next() === CLOSING_BRACKET) return;
    for (;;) {
      // The consumer of the elements may have moved the position.
      this.at = at;
      const piece = this.pass();
      const isLast = this.isLast(CLOSING_BRACKET);
      at = this.at;
      yield piece;
      if (isLast) return;
    }
  }

  private isLast(closing: number): boolean {
    const code = this.next();
    this.at++;
    if (code !== COMMA && code !== closing) throw notJson();
    return code === closing;
  }

  /** Returns the next non-space byte without consuming it. */
  private next(): number | undefined {
    for (;;) {
      const code = this.bytes[this.at];
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      this.at++;
    }
  }

  private pass(): Piece {
    const code = this.next();
    const start = this.at;
    if (code === undefined) throw notJson();
    if ((code & ~BRACE) === OPENING_BRACKET) {
      const piece = this.large.get(start) ?? this.passBrackets();
      this.at = piece.end;
      return piece;
    }
    if (code === QUOTE) this.at = this.endOfString(start) + 1;
    else this.passWord();
    if (this.at === start) throw notJson();
    return { start, end: this.at, tokens: 0, hasLong: this.at - start >= LONG_DIGITS };
  }

  private passBrackets(): Piece {
    const { bytes, starts, counts } = this;
    let tokens = 0;
    let depth = 0;
    let lastLong = -1;
    for (let at = this.at; at < bytes.length; at++) {
      const code = bytes[at] ?? 0;
      if (code === QUOTE) at = this.endOfString(at);
      else if (code === COMMA) tokens++;
      else if (code >= ZERO && code <= NINE) {
        const end = this.endOfDigits(at);
        if (end - at >= LONG_DIGITS && bytes[at - 1] !== POINT) lastLong = at;
        at = end - 1;
      } else if ((code & ~BRACE) === OPENING_BRACKET) {
        if (depth === BODY_DEPTH) throw refusal(`The JSON is nested deeper than ${BODY_DEPTH} levels.`);
        starts[depth] = at;
        counts[depth++] = tokens++;
      } else if ((code & ~BRACE) === CLOSING_BRACKET) {
        const start = starts[--depth] ?? 0;
        if (depth > 0 && (depth > SPAN_DEPTH || at - start < LARGE)) continue;
        const piece = {
          start,
          end: at + 1,
          tokens: tokens - (counts[depth] ?? 0),
          hasLong: lastLong > start,
        };
        if (depth === 0) return piece;
        this.large.set(start, piece);
      }
    }
    throw notJson();
  }

  private passWord(): void {
    for (;;) {
      const code = this.bytes[this.at] ?? COMMA;
      const isWord =
        (code >= ZERO && code <= NINE) || (code >= 0x41 && code <= 0x7a && (code & ~BRACE) < OPENING_BRACKET);
      if (!isWord && code !== POINT && code !== 0x2b && code !== 0x2d) return;
      this.at++;
    }
  }

  private endOfString(start: number): number {
    const { bytes } = this;
    for (let at = start + 1; at < bytes.length; at++) {
      const code = bytes[at];
      if (code === QUOTE) return at;
      if (code === BACKSLASH) at++;
    }
    throw notJson();
  }

  private endOfDigits(start: number): number {
    let at = start;
    for (let code = ZERO; code >= ZERO && code <= NINE; code = this.bytes[at] ?? 0) at++;
    return at;
  }
}

/** Returns integers that a double cannot hold as bigints, as long as they fit into 64 bits. */
function keepLong(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined || Number.isSafeInteger(value)) return value;
  return /^-?\d{16,20}$/.test(source) ? BigInt(source) : value;
}

const refusal = (detail: string, cause?: unknown) => new ApiError('invalid_error', detail, { cause });

const notJson = (cause?: unknown) => refusal('The body is not valid JSON.', cause);
