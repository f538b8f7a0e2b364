/**
 * What the gateway has to know of a chat completion or a chunk of one, found in its bytes without building it: they are passed on as
 * they are, but for the id.
 */

/** From the first byte of a value to the one after its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Outline {
  /** Of the completion itself; several where the provider says it twice, none where it says none. */
  readonly ids: readonly Span[];
  readonly usage: Span | undefined;
  readonly error: Span | undefined;
  /** How many choices it holds; undefined where it has no list of them. */
  readonly choiceCount: number | undefined;
  /** Whether a choice says why it has ended. */
  readonly isFinished: boolean;
  /** UTF-16 units of what was said, tool calls included. */
  readonly outputLength: number;
  /** What comes before its choices, where that says nothing but ids. */
  readonly beginning: Beginning | undefined;
}

/** The chunks of a stream begin alike: what was found in the first bytes of one is in the same bytes of the next. */
export interface Beginning {
  readonly bytes: Buffer;
  readonly ids: readonly Span[];
}

/**
 * undefined for what is no JSON object, or says its id again and again: every part of what is one can be parsed.
 *
 * @param expected the beginning of the one before
 */
export function outline(bytes: Buffer, expected?: Beginning): Outline | undefined {
  const walk = new Walk(bytes);
  return walk.completion(expected) ? walk : undefined;
}

const MAX_DEPTH = 256;
/** Each is replaced by a longer one: a hostile answer could make many times its size of them. */
const MAX_IDS = 16;
/** One that is longer is kept for no stream. */
const MAX_BEGINNING_BYTES = 1024;
const SAID = ['content', 'refusal', 'reasoning', 'reasoning_content', 'text', 'name', 'arguments'];
const TOLD = ['id', 'usage', 'error', 'choices', 'finish_reason', 'reasoning_details'];
/** By their lengths: a name is compared with few, and never made a string. */
const NAMES = Map.groupBy(
  [...SAID, ...TOLD].map((name) => ({ name, bytes: Buffer.from(name), isSaid: SAID.includes(name) })),
  ({ bytes }) => bytes.length,
);
const BY_LENGTH = Array.from(
  { length: Math.max(...NAMES.keys()) + 1 },
  (_, length) => NAMES.get(length) ?? [],
);

interface Name {
  readonly name: string;
  /** Whether a text under it is one that the model said. */
  readonly isSaid: boolean;
}

/** Those that say nothing here. */
const OTHER: Name = { name: '', isSaid: false };

class Walk implements Outline {
  ids: Span[] = [];
  usage: Span | undefined;
  error: Span | undefined;
  choiceCount: number | undefined;
  isFinished = false;
  outputLength = 0;
  readonly #bytes: Buffer;
  #expected: Beginning | undefined;
  /** Where its choices begin, and how many ids come before them; 0 where more comes before them. */
  #choicesAt = 0;
  #earlyIds = 0;
  #at = 0;
  /** UTF-16 units of the string that was passed last. */
  #length = 0;
  #hasEscape = false;
  /** Items of the list that was passed last. */
  #count = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get beginning(): Beginning | undefined {
    if (this.#expected || this.#choicesAt === 0 || this.#choicesAt > MAX_BEGINNING_BYTES)
      return this.#expected;
    // A copy: what it is a part of may be long.
    const bytes = Buffer.from(this.#bytes.subarray(0, this.#choicesAt));
    return { bytes, ids: this.ids.slice(0, this.#earlyIds) };
  }

  completion(expected: Beginning | undefined): boolean {
    const isGood = expected && this.#beginsWith(expected) ? this.#fromChoices(expected) : this.#fromStart();
    this.#space();
    return isGood && this.#at === this.#bytes.length;
  }

  #fromStart(): boolean {
    this.#space();
    return this.#object(0, false);
  }

  /** Byte by byte: to ask the buffer takes longer for as few as these. */
  #beginsWith({ bytes: expected }: Beginning): boolean {
    const bytes = this.#bytes;
    if (bytes.length <= expected.length) return false;
    for (let at = 0; at < expected.length; at++) if (bytes[at] !== expected[at]) return false;
    return true;
  }

  #fromChoices(expected: Beginning): boolean {
    this.#expected = expected;
    this.#at = expected.bytes.length;
    this.ids = [...expected.ids];
    this.#space();
    if (!this.#top('choices')) return false;
    const next = this.#next();
    return next === 0x2c ? this.#members(0, false) : next === 0x7d;
  }

  /** @param isSaid whether it is in a choice */
  #value(depth: number, name: Name, isSaid: boolean): boolean {
    const first = this.#bytes[this.#at];
    if (first === 0x22) {
      if (!this.#string()) return false;
      if (isSaid && name.isSaid) this.outputLength += this.#length;
      if (isSaid && name.name === 'finish_reason') this.isFinished = true;
      return true;
    }
    if (first === 0x7b) return this.#object(depth, isSaid && name.name !== 'reasoning_details');
    if (first === 0x5b) return this.#array(depth, isSaid && name.name !== 'reasoning_details');
    return this.#word(first);
  }

  #top(name: string): boolean {
    const start = this.#at;
    const first = this.#bytes[start];
    if (name === 'choices' && first === 0x5b) {
      const isFirst = !this.usage && !this.error && this.choiceCount === undefined;
      if (isFirst) [this.#choicesAt, this.#earlyIds] = [start, this.ids.length];
      const isGood = this.#array(1, true);
      this.choiceCount = this.#count;
      return isGood;
    }
    const isGood = this.#value(1, OTHER, false);
    if (name === 'id' && this.ids.push({ start, end: this.#at }) > MAX_IDS) return false;
    // null is how most say that there is none.
    if (name === 'usage' && first !== 0x6e) this.usage = { start, end: this.#at };
    else if (name === 'error' && first !== 0x6e) this.error = { start, end: this.#at };
    return isGood;
  }

  #object(depth: number, isSaid: boolean): boolean {
    const bytes = this.#bytes;
    if (depth > MAX_DEPTH || bytes[this.#at++] !== 0x7b) return false;
    this.#space();
    return bytes[this.#at] === 0x7d ? ++this.#at > 0 : this.#members(depth, isSaid);
  }

  /** Of an object, to its end; there is one at least. */
  #members(depth: number, isSaid: boolean): boolean {
    const bytes = this.#bytes;
    for (;;) {
      const start = this.#at + 1;
      if (!this.#string()) return false;
      const name = this.#findName(start, this.#at - 1);
      this.#space();
      if (bytes[this.#at++] !== 0x3a) return false;
      this.#space();
      if (!(depth === 0 ? this.#top(name.name) : this.#value(depth + 1, name, isSaid))) return false;
      const next = this.#next();
      if (next !== 0x2c) return next === 0x7d;
    }
  }

  #array(depth: number, isSaid: boolean): boolean {
    const bytes = this.#bytes;
    this.#count = 0;
    if (depth > MAX_DEPTH || bytes[this.#at++] !== 0x5b) return false;
    this.#space();
    if (bytes[this.#at] === 0x5d) return ++this.#at > 0;
    for (let count = 1; ; count++) {
      if (!this.#value(depth + 1, OTHER, isSaid)) return false;
      const next = this.#next();
      this.#count = count;
      if (next !== 0x2c) return next === 0x5d;
    }
  }

  /** What comes after a member or an item; stands at what follows. */
  #next(): number | undefined {
    this.#space();
    const byte = this.#bytes[this.#at++];
    this.#space();
    return byte;
  }

  #findName(start: number, end: number): Name {
    const bytes = this.#bytes;
    // An escape, which may hide any name.
    if (this.#hasEscape) {
      const text = String(JSON.parse(bytes.toString('utf8', start - 1, end + 1)));
      return BY_LENGTH[text.length]?.find(({ name }) => name === text) ?? OTHER;
    }
    for (const known of BY_LENGTH[end - start] ?? []) {
      let at = 0;
      while (start + at < end && bytes[start + at] === known.bytes[at]) at++;
      if (start + at === end) return known;
    }
    return OTHER;
  }

  #string(): boolean {
    const bytes = this.#bytes;
    let at = this.#at;
    let length = 0;
    this.#hasEscape = false;
    if (bytes[at++] !== 0x22) return false;
    for (;;) {
      const byte = bytes[at++];
      // Its end, and control characters, which JSON does not let be in one.
      if (byte === undefined || byte < 0x20) return false;
      if (byte === 0x22) break;
      if (byte === 0x5c) {
        const size = escapeSize(bytes, at);
        if (size === 0) return false;
        this.#hasEscape = true;
        at += size;
      }
      // The further bytes of a character do not count; those of four bytes are two units.
      if (byte < 0x80 || byte >= 0xc0) length += byte >= 0xf0 ? 2 : 1;
    }
    this.#at = at;
    this.#length = length;
    return true;
  }

  /** A number, true, false or null. */
  #word(first: number | undefined): boolean {
    if (first === 0x6e) return this.#literal(NULL);
    if (first === 0x74) return this.#literal(TRUE);
    if (first === 0x66) return this.#literal(FALSE);
    const bytes = this.#bytes;
    if (first === 0x2d) this.#at++;
    if (bytes[this.#at] === 0x30) this.#at++;
    else if (!this.#digits()) return false;
    if (bytes[this.#at] === 0x2e) {
      this.#at++;
      if (!this.#digits()) return false;
    }
    if (bytes[this.#at] !== 0x65 && bytes[this.#at] !== 0x45) return true;
    const sign = bytes[++this.#at];
    if (sign === 0x2b || sign === 0x2d) this.#at++;
    return this.#digits();
  }

  /** At least one. */
  #digits(): boolean {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    for (let byte = bytes[at]; byte !== undefined && byte >= 0x30 && byte <= 0x39; byte = bytes[at]) at++;
    this.#at = at;
    return at > start;
  }

  #literal(word: Buffer): boolean {
    const bytes = this.#bytes;
    for (const byte of word) if (bytes[this.#at++] !== byte) return false;
    return true;
  }

  #space(): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (
      let byte = bytes[at];
      byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
      byte = bytes[at]
    )
      at++;
    this.#at = at;
  }
}

const NULL = Buffer.from('null');
const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');
const ESCAPES = Buffer.from('"\\/bfnrt');

/** Of what comes after a backslash; 0 where that may not be. */
function escapeSize(bytes: Buffer, at: number): number {
  if (bytes[at] !== 0x75) return ESCAPES.includes(bytes[at] ?? 0) ? 1 : 0;
  return /^[\da-fA-F]{4}$/.test(bytes.toString('latin1', at + 1, at + 5)) ? 5 : 0;
}
