/**
 * Reads a JSON lines file to its end: whether each line is an object, and what its columns hold. `JSON.parse` decides what is JSON. The
 * kinds of values come from the text, which tells what parsed values hide: 1.0 from 1, the digits of large integers, duplicate keys.
 */
import { type DataColumn, DataError, type DataShape } from '../data-file.ts';
import { LINE_FEED, MAX_LINE_BYTES, readPieces, tooLong } from './lines.ts';
import { type Field, MAX_COLUMNS, NodeBudget, ValueKinds } from './value-kinds.ts';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** Depth at which common parsers fail. */
const MAX_DEPTH = 500;

/** The message is appended to "line 5". */
class Mistake extends Error {}

/** @throws DataError */
export function scanJsonl(path: string): DataShape {
  const rows = new RowKinds();
  let row_count = 0;
  for (const { text, line } of readLines(path)) {
    try {
      if (rows.add(text)) row_count++;
    } catch (error) {
      if (error instanceof Mistake) throw new DataError(error.message, line);
      throw error;
    }
  }
  const columns: DataColumn[] = rows.row.fields.map(({ name, kinds }) => ({ name, type: kinds.toType() }));
  if (columns.length === 0) throw new DataError('holds no rows with at least one key');
  return { row_count, columns };
}

function* readLines(path: string) {
  for (const { bytes, firstLine } of readPieces(path)) {
    if (firstLine === 1 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK)) {
      throw new DataError('starts with a byte order mark; save the file as UTF-8 without one', 1);
    }
    let line = firstLine;
    for (let start = 0; start < bytes.length; line++) {
      const feed = bytes.indexOf(LINE_FEED, start);
      const end = feed < 0 ? bytes.length : feed;
      if (end - start > MAX_LINE_BYTES) throw tooLong(line);
      yield { text: bytes.toString('utf8', start, end), line };
      start = end + 1;
    }
  }
}

/** Strings, or the quote that begins one with escapes; brackets; words, which are numbers, true, false and null. */
const TOKENS = /"[^"\\]*"|["[\]{}]|[^\s:,"[\]{}]+/g;
const INTEGER = /^-?\d+$/;

/** Kinds of the rows: their fields are the columns. */
class RowKinds {
  readonly row = new ValueKinds(new NodeBudget());
  #text = '';
  #objects = 0;

  /**
   * @returns false for a blank line
   * @throws Mistake
   */
  add(text: string): boolean {
    if (!/[^ \t\r]/.test(text)) return false;
    checkObject(text);
    this.#text = text;
    TOKENS.lastIndex = 0;
    this.#addValue(this.#next(), this.row, 0);
    return true;
  }

  #next(): string {
    const token = TOKENS.exec(this.#text)?.[0] ?? '';
    return token === '"' ? this.#endString(TOKENS.lastIndex - 1) : token;
  }

  /** One pattern for strings with escapes would exhaust the stack at a million of them. */
  #endString(start: number): string {
    let end = start;
    do end = this.#text.indexOf('"', end + 1);
    while (isEscaped(this.#text, end));
    TOKENS.lastIndex = end + 1;
    return this.#text.slice(start, end + 1);
  }

  #addValue(token: string, kinds: ValueKinds | undefined, depth: number): void {
    switch (token[0]) {
      case '"':
        if (token.includes('\\u')) unquote(token);
        return kinds?.addText();
      case '{':
        return this.#addObject(kinds, depth);
      case '[':
        return this.#addList(kinds, depth);
      case 't':
      case 'f':
        return kinds?.addBoolean();
      case 'n':
        return undefined;
      default:
        return INTEGER.test(token) ? kinds?.addInteger(token) : kinds?.addDouble(token);
    }
  }

  #addList(kinds: ValueKinds | undefined, depth: number): void {
    if (depth >= MAX_DEPTH) throw tooDeep();
    const items = kinds?.addList();
    for (let token = this.#next(); token !== ']'; token = this.#next()) {
      this.#addValue(token, items, depth + 1);
    }
  }

  #addObject(kinds: ValueKinds | undefined, depth: number): void {
    if (depth >= MAX_DEPTH) throw tooDeep();
    kinds?.addObject();
    const objectNumber = ++this.#objects;
    for (let token = this.#next(); token !== '}'; token = this.#next()) {
      const name = unquote(token);
      const field = kinds && !kinds.isOpaque ? this.#fieldOf(kinds, name, objectNumber) : undefined;
      this.#addValue(this.#next(), field?.kinds, depth + 1);
    }
  }

  #fieldOf(kinds: ValueKinds, name: string, objectNumber: number): Field | undefined {
    let field = kinds.findField(name);
    if (!field) {
      if (kinds === this.row) this.#checkColumn(name);
      field = kinds.addField(name);
    }
    if (field?.seenIn === objectNumber) {
      if (kinds === this.row) throw new Mistake(`has the key ${JSON.stringify(name)} twice`);
      // Only JSON keeps both.
      kinds.addOpaque();
      return undefined;
    }
    if (field) field.seenIn = objectNumber;
    return field;
  }

  #checkColumn(name: string): void {
    const shown = JSON.stringify(name);
    if (name === '') throw new Mistake('has a key without a name; every column needs one');
    if (name.includes('\0'))
      throw new Mistake(`has the key ${shown}: columns cannot hold NUL in their names`);
    if (this.row.hasFolded(name)) {
      throw new Mistake(`has the key ${shown}, and another differs from it in case only; rename one of them`);
    }
    if (this.row.fields.length >= MAX_COLUMNS) {
      throw new Mistake(`has the key ${shown}, which would be one more than ${MAX_COLUMNS} columns`);
    }
  }
}

function checkObject(text: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Mistake(`is not a JSON object: ${explain(error as SyntaxError)}; each line has to hold one`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Mistake('is not a JSON object');
  }
}

/** The position of some messages counts from zero, and repeats itself as a line and a column of this text. */
const explain = ({ message }: SyntaxError) =>
  message.replace(/ (?:in JSON )?at position (\d+).*/s, (_, index) => ` at character ${Number(index) + 1}`);

/** Returns whether an odd number of backslashes comes before this position. */
function isEscaped(text: string, position: number): boolean {
  let first = position;
  while (text[first - 1] === '\\') first--;
  return (position - first) % 2 === 1;
}

function unquote(token: string): string {
  if (!token.includes('\\')) return token.slice(1, -1);
  const text = JSON.parse(token) as string;
  if (!text.isWellFormed()) throw new Mistake('holds a lone surrogate, which is not a character');
  return text;
}

const tooDeep = () => new Mistake(`is nested deeper than ${MAX_DEPTH} levels`);
