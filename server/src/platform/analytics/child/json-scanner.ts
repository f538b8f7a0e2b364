/**
 * A strict JSON parser that keeps only the kinds of values. It sees what `JSON.parse` hides: 1.0 versus 1, the digits of large integers,
 * duplicate keys.
 */
import { type Field, MAX_COLUMNS, NodeBudget, ValueKinds } from './value-kinds.ts';

/** The message is appended to "line 5". */
export class JsonSyntaxError extends Error {}

/** Depth at which common parsers fail. */
const MAX_DEPTH = 500;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const PLUS = 0x2b;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const LETTER_T = 0x74;
const LETTER_F = 0x66;
const LETTER_N = 0x6e;
const LETTER_U = 0x75;
const SPACE = 0x20;

export class JsonScanner {
  /** Kinds of the rows: their fields are the columns. */
  readonly row = new ValueKinds(new NodeBudget());
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;
  #at = 0;
  #end = 0;
  #objects = 0;

  /**
   * @returns false for a blank line
   * @throws JsonSyntaxError
   */
  scanRow(bytes: Buffer, start: number, end: number): boolean {
    this.#bytes = bytes;
    this.#start = start;
    this.#at = start;
    this.#end = end;
    this.#skipBlanks();
    if (this.#at === end) return false;
    if (this.#peek() !== OPEN_BRACE) {
      this.#scanValue(undefined, 0);
      throw new JsonSyntaxError('is not a JSON object');
    }
    this.#scanObject(this.row, 0);
    this.#skipBlanks();
    if (this.#at !== end)
      throw new JsonSyntaxError('goes on after its JSON object; each needs a line of its own');
    return true;
  }

  /** Returns -1 at the end. */
  #peek(): number {
    return this.#at < this.#end ? (this.#bytes[this.#at] as number) : -1;
  }

  #skipBlanks(): void {
    for (;;) {
      const byte = this.#peek();
      if (byte !== SPACE && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return;
      this.#at++;
    }
  }

  #invalid(): JsonSyntaxError {
    const what = this.#at < this.#end ? 'something unexpected' : 'its end';
    return new JsonSyntaxError(`is not a JSON object: ${what} at byte ${this.#at - this.#start + 1}`);
  }

  #scanValue(kinds: ValueKinds | undefined, depth: number): void {
    switch (this.#peek()) {
      case QUOTE:
        this.#scanString();
        return kinds?.addText();
      case OPEN_BRACE:
        return this.#scanObject(kinds, depth);
      case OPEN_BRACKET:
        return this.#scanList(kinds, depth);
      case LETTER_T:
        this.#scanWord('true');
        return kinds?.addBoolean();
      case LETTER_F:
        this.#scanWord('false');
        return kinds?.addBoolean();
      case LETTER_N:
        return this.#scanWord('null');
      default:
        return this.#scanNumber(kinds);
    }
  }

  #scanWord(word: string): void {
    for (let index = 0; index < word.length; index++) {
      if (this.#peek() !== word.charCodeAt(index)) throw this.#invalid();
      this.#at++;
    }
  }

  #scanList(kinds: ValueKinds | undefined, depth: number): void {
    const items = kinds?.addList();
    this.#enter(depth);
    if (this.#peek() === CLOSE_BRACKET) {
      this.#at++;
      return;
    }
    for (;;) {
      this.#scanValue(items, depth + 1);
      if (this.#isClosed(CLOSE_BRACKET)) return;
    }
  }

  #enter(depth: number): void {
    if (depth >= MAX_DEPTH) throw new JsonSyntaxError(`is nested deeper than ${MAX_DEPTH} levels`);
    this.#at++;
    this.#skipBlanks();
  }

  /** Called after an item: expects the end, or a comma. */
  #isClosed(closing: number): boolean {
    this.#skipBlanks();
    const byte = this.#peek();
    if (byte !== closing && byte !== COMMA) throw this.#invalid();
    this.#at++;
    if (byte === closing) return true;
    this.#skipBlanks();
    return false;
  }

  #scanObject(kinds: ValueKinds | undefined, depth: number): void {
    kinds?.addObject();
    const number = ++this.#objects;
    this.#enter(depth);
    if (this.#peek() === CLOSE_BRACE) {
      this.#at++;
      return;
    }
    // Most objects have the keys of the previous one, in the same order.
    for (let expected = 0; ; ) {
      const field = this.#scanKey(kinds, expected, number);
      if (field) expected = field.index + 1;
      this.#skipBlanks();
      if (this.#peek() !== COLON) throw this.#invalid();
      this.#at++;
      this.#skipBlanks();
      this.#scanValue(field?.kinds, depth + 1);
      if (this.#isClosed(CLOSE_BRACE)) return;
    }
  }

  #scanKey(kinds: ValueKinds | undefined, expected: number, objectNumber: number): Field | undefined {
    if (this.#peek() !== QUOTE) throw this.#invalid();
    const isLookedAt = kinds !== undefined && !kinds.isOpaque;
    let field = isLookedAt ? this.#matchField(kinds.fields[expected]) : undefined;
    if (!field) {
      const start = this.#at;
      this.#scanString();
      if (!isLookedAt) return undefined;
      field = this.#findField(kinds, this.#bytes.toString('utf8', start, this.#at));
    }
    if (field?.seenIn === objectNumber) return this.#refuseTwice(kinds, field);
    if (field) field.seenIn = objectNumber;
    return field;
  }

  /** @returns the field when its key is next, after consuming it */
  #matchField(field: Field | undefined): Field | undefined {
    if (!field) return undefined;
    const { bytes } = field;
    const start = this.#at + 1;
    const end = start + bytes.length;
    if (end >= this.#end || this.#bytes[end] !== QUOTE) return undefined;
    for (let index = 0; index < bytes.length; index++) {
      if (this.#bytes[start + index] !== bytes[index] || bytes[index] === BACKSLASH) return undefined;
    }
    this.#at = end + 1;
    return field;
  }

  #findField(kinds: ValueKinds, quoted: string): Field | undefined {
    const name = JSON.parse(quoted) as string;
    const known = kinds.findField(name);
    if (known) return known;
    if (kinds === this.row) this.#checkColumn(name);
    return kinds.addField(name);
  }

  #checkColumn(name: string): void {
    const shown = JSON.stringify(name);
    if (name === '') throw new JsonSyntaxError('has a key without a name; every column needs one');
    if (name.includes('\0'))
      throw new JsonSyntaxError(`has the key ${shown}: columns cannot hold NUL in their names`);
    if (this.row.hasFolded(name)) {
      throw new JsonSyntaxError(
        `has the key ${shown}, and another differs from it in case only; rename one of them`,
      );
    }
    if (this.row.fields.length >= MAX_COLUMNS) {
      throw new JsonSyntaxError(`has the key ${shown}, which would be one more than ${MAX_COLUMNS} columns`);
    }
  }

  /** Refuses duplicate columns; nested JSON keeps both keys. */
  #refuseTwice(kinds: ValueKinds | undefined, { name }: Field): undefined {
    if (kinds === this.row) throw new JsonSyntaxError(`has the key ${JSON.stringify(name)} twice`);
    kinds?.addOpaque();
    return undefined;
  }

  /** Scans a number, strictly as defined by JSON. */
  #scanNumber(kinds: ValueKinds | undefined): void {
    const start = this.#at;
    if (this.#peek() === MINUS) this.#at++;
    if (this.#peek() === ZERO) this.#at++;
    else this.#scanDigits();
    const isWhole = this.#at;
    if (this.#peek() === DOT) {
      this.#at++;
      this.#scanDigits();
    }
    if (this.#peek() === 0x65 || this.#peek() === 0x45) {
      this.#at++;
      if (this.#peek() === PLUS || this.#peek() === MINUS) this.#at++;
      this.#scanDigits();
    }
    if (!kinds || kinds.isOpaque) return;
    const text = this.#bytes.toString('latin1', start, this.#at);
    if (this.#at === isWhole) kinds.addInteger(text);
    else kinds.addDouble(text);
  }

  #scanDigits(): void {
    const start = this.#at;
    for (let byte = this.#peek(); byte >= ZERO && byte <= NINE; byte = this.#peek()) this.#at++;
    if (this.#at === start) throw this.#invalid();
  }

  /** Refuses everything that DuckDB would fail on later, since the line is known here. */
  #scanString(): void {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = this.#at + 1;
    for (; at < end; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        this.#at = at + 1;
        return;
      }
      if (byte === BACKSLASH) {
        this.#at = at;
        this.#scanEscape();
        at = this.#at - 1;
      } else if (byte < SPACE) break;
    }
    this.#at = at;
    throw this.#invalid();
  }

  #scanEscape(): void {
    const escaped = this.#at + 1 < this.#end ? (this.#bytes[this.#at + 1] as number) : -1;
    if (escaped !== LETTER_U) {
      if (!SIMPLE_ESCAPES.has(escaped)) throw this.#invalid();
      this.#at += 2;
      return;
    }
    const unit = this.#scanUnit();
    if (unit < 0xd800 || unit > 0xdfff) return;
    // Half of a surrogate pair is invalid in any JSON text.
    const isPair = unit < 0xdc00 && this.#peek() === BACKSLASH && this.#bytes[this.#at + 1] === LETTER_U;
    const second = isPair ? this.#scanUnit() : 0;
    if (second < 0xdc00 || second > 0xdfff)
      throw new JsonSyntaxError('holds a lone surrogate, which is not a character');
  }

  /** \uXXXX */
  #scanUnit(): number {
    const digits = this.#bytes.toString('latin1', this.#at + 2, Math.min(this.#at + 6, this.#end));
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.#invalid();
    this.#at += 6;
    return Number.parseInt(digits, 16);
  }
}

const SIMPLE_ESCAPES = new Set(Buffer.from('"\\/bfnrt'));
