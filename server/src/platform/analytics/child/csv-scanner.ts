/**
 * Reads a CSV file to its end: whether its records match its header, and what its columns hold. Records follow RFC 4180: commas, double
 * quotes, consistent line endings. A column gets a type only if its text can be restored from it.
 */
import { type DataColumn, DataError, type DataShape } from '../data-file.ts';
import { MAX_LINE_BYTES, readPieces, tooLong } from './lines.ts';
import { foldCase, MAX_COLUMNS, NodeBudget, ValueKinds } from './value-kinds.ts';

const BYTE_ORDER_MARK = Buffer.from('\ufeff').toString('latin1');

/** @throws DataError */
export function scanCsv(path: string): DataShape {
  let columns: Columns | undefined;
  for (const { values, line } of readRecords(path)) {
    if (!columns) columns = new Columns(values, line);
    else columns.add(values, line);
  }
  if (!columns) throw new DataError('is empty; a CSV file starts with a line of column names', 1);
  return columns.toShape();
}

class Columns {
  readonly #names: readonly string[];
  readonly #kinds: readonly ValueKinds[];
  #rows = 0;

  constructor(header: readonly string[], line: number) {
    this.#names = header.map((name) => Buffer.from(unquote(name), 'latin1').toString());
    const folded = new Set<string>();
    if (header.length > MAX_COLUMNS) throw new DataError(`names more than ${MAX_COLUMNS} columns`, line);
    for (const name of this.#names) {
      if (name === '') throw new DataError('has a column without a name', line);
      if (name.includes('\0')) throw new DataError('has a column with NUL in its name', line);
      const known = foldCase(name);
      if (folded.has(known)) throw new DataError(`names the column ${JSON.stringify(name)} twice`, line);
      folded.add(known);
    }
    this.#kinds = this.#names.map(() => new ValueKinds(new NodeBudget()));
  }

  add(values: readonly string[], line: number): void {
    const expected = this.#names.length;
    // DuckDB skips empty lines; in a file with one column they are null values.
    if (expected > 1 && values.length === 1 && values[0] === '') return;
    if (values.length !== expected) {
      throw new DataError(
        `has ${plural(values.length, 'value')}, but the header names ${plural(expected, 'column')}`,
        line,
      );
    }
    for (let index = 0; index < expected; index++) {
      const value = values[index] as string;
      // Empty without quotes is null. Doubled quotes may stay, since a value with them is text in any case.
      if (value !== '')
        addText(this.#kinds[index] as ValueKinds, isQuoted(value) ? value.slice(1, -1) : value);
    }
    this.#rows++;
  }

  toShape(): DataShape {
    const columns: DataColumn[] = this.#names.map((name, index) => {
      const type = this.#kinds[index]?.toType() ?? 'JSON';
      // Mixed kinds, or only nulls: text, unchanged.
      return { name, type: type === 'JSON' ? 'VARCHAR' : type };
    });
    return { row_count: this.#rows, columns };
  }
}

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Excludes leading zeros and plus signs: such a value is a code, for example a postal code. */
const integerPattern = /^(?:0|-?[1-9]\d*)$/;
const decimalPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Number of digits that a double preserves. */
const MAX_DIGITS = 15;

function addText(kinds: ValueKinds, text: string): void {
  const first = text.charCodeAt(0);
  const isNumeric = first === 0x2d || (first >= 0x30 && first <= 0x39);
  if (isNumeric && integerPattern.test(text)) kinds.addInteger(text);
  else if (isNumeric && isExactDecimal(text)) kinds.addDouble(text);
  else if (text === 'true' || text === 'false') kinds.addBoolean();
  else kinds.addText();
}

function isExactDecimal(text: string): boolean {
  if (!decimalPattern.test(text)) return false;
  const digits = text
    .replace(/[eE].*/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '');
  return digits.length <= MAX_DIGITS;
}

interface Record {
  /** Values as they are written, with quotes. A character stands for a byte of UTF-8: everything looked for is ASCII. */
  readonly values: readonly string[];
  /** Line at which the record begins. */
  readonly line: number;
}

/** Pieces end with a line; a record with line feeds in quotes may continue in the next piece. */
function* readRecords(path: string): Generator<Record> {
  let rest = '';
  let line = 1;
  let ending: string | undefined;
  for (const { bytes, firstLine } of readPieces(path)) {
    const text = rest + bytes.toString('latin1');
    let start = firstLine === 1 && text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
    while (start < text.length) {
      const record = readRecord(text, start, line);
      if (!record) break;
      const { values, end } = record;
      if (end - start > MAX_LINE_BYTES) throw tooLong(line);
      const own = endingAt(text, end, line);
      ending ??= own;
      if (own !== '' && own !== ending) throw mixedEndings(own, ending, line);
      yield { values, line };
      line += countFeeds(text, start, end + own.length);
      start = end + own.length;
    }
    rest = text.slice(start);
    if (rest.length > MAX_LINE_BYTES) throw tooLong(line);
  }
  if (rest !== '') throw new DataError('opens a quote that nothing closes', line);
}

/** @returns undefined when its quotes continue beyond this text */
function readRecord(text: string, start: number, line: number) {
  const values: string[] = [];
  for (let at = start; ; at++) {
    const end = text[at] === '"' ? endOfQuoted(text, at) : endOfPlain(text, at);
    if (end === undefined) return undefined;
    const value = text.slice(at, end);
    if (/^[ \t]+"/.test(value)) throw new DataError('has blanks before a quote; remove them', line);
    values.push(value);
    at = end;
    if (text[at] !== ',') return { values, end };
  }
}

/** @returns the position after the closing quote */
function endOfQuoted(text: string, start: number): number | undefined {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at + 1;
  }
  return undefined;
}

const isQuoted = (value: string) => value.startsWith('"');

const unquote = (value: string) => (isQuoted(value) ? value.slice(1, -1).replaceAll('""', '"') : value);

const PLAIN = /[^,\r\n]*/y;

function endOfPlain(text: string, start: number): number {
  PLAIN.lastIndex = start;
  PLAIN.test(text);
  return PLAIN.lastIndex;
}

/** Returns the line ending after a record, '' at the end of the file. */
function endingAt(text: string, at: number, line: number): string {
  if (at === text.length || text[at] === '\n') return text.slice(at, at + 1);
  if (text.startsWith('\r\n', at)) return '\r\n';
  const mistake =
    text[at] === '\r'
      ? 'holds a carriage return without a line feed; put the value in quotes'
      : 'has text after a closing quote; double the quotes inside of values';
  throw new DataError(mistake, line);
}

function mixedEndings(found: string, expected: string, line: number): DataError {
  const nameOf = (ending: string) => (ending === '\n' ? 'LF' : 'CRLF');
  return new DataError(
    `ends with ${nameOf(found)}, the lines before it with ${nameOf(expected)}; end all alike`,
    line,
  );
}

function countFeeds(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
