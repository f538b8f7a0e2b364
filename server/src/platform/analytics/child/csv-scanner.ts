/**
 * Reads a CSV file to its end: whether its records match its header, and what its columns hold. Records follow RFC 4180: commas, double
 * quotes, consistent line endings. A column gets a type only if its text can be restored from it.
 */
import { type DataColumn, DataError, type DataShape } from '../data-file.ts';
import { countLines, LINE_FEED, MAX_LINE_BYTES, readPieces, tooLong } from './lines.ts';
import { foldCase, MAX_COLUMNS, NodeBudget, ValueKinds } from './value-kinds.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const BYTE_ORDER_MARK = '\ufeff';

/** An empty unquoted value is null; a quoted one is the empty text. Values that no column needs are undefined. */
type Value = string | null | undefined;
type Wanted = (column: number) => boolean;

/** @throws DataError */
export function scanCsv(path: string): DataShape {
  let columns: Columns | undefined;
  for (const { values, line } of readRecords(path, (column) => columns?.wants(column) ?? true)) {
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

  constructor(header: readonly Value[], line: number) {
    this.#names = header.map((name) => name ?? '');
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

  /** Returns false for a column that is known to be text, where more values change nothing. */
  wants(column: number): boolean {
    return this.#kinds[column]?.isText === false;
  }

  add(values: readonly Value[], line: number): void {
    const expected = this.#names.length;
    // DuckDB skips empty lines; in a file with one column they are null values.
    if (expected > 1 && values.length === 1 && values[0] === null) return;
    if (values.length !== expected) {
      throw new DataError(
        `has ${plural(values.length, 'value')}, but the header names ${plural(expected, 'column')}`,
        line,
      );
    }
    for (let index = 0; index < expected; index++) {
      const value = values[index];
      if (typeof value === 'string') addText(this.#kinds[index] as ValueKinds, value);
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
  readonly values: readonly Value[];
  /** Line at which the record begins. */
  readonly line: number;
}

function* readRecords(path: string, wanted: Wanted): Generator<Record> {
  const parser = new RecordParser(wanted);
  for (const { bytes, firstLine } of readPieces(path)) yield* parser.parse(bytes, firstLine);
  parser.end();
}

/** Pieces end with a line; a record with line feeds in quotes may continue in the next piece. */
class RecordParser {
  readonly #wanted: Wanted;
  #rest: Buffer = Buffer.alloc(0);
  #restLine = 1;
  #ending: 'LF' | 'CRLF' | undefined;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
  }

  *parse(piece: Buffer, firstLine: number): Generator<Record> {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, piece]) : piece;
    let line = this.#rest.length > 0 ? this.#restLine : firstLine;
    let start = 0;
    if (line === 1 && bytes.toString('utf8', 0, 3) === BYTE_ORDER_MARK) start = 3;
    while (start < bytes.length) {
      const record = this.#parseRecord(bytes, start, line);
      if (!record) break;
      yield { values: record.values, line };
      start = record.end;
      line += record.lines;
    }
    this.#rest = bytes.subarray(start);
    this.#restLine = line;
    if (this.#rest.length > MAX_LINE_BYTES) throw tooLong(line);
  }

  end(): void {
    if (this.#rest.length > 0) throw new DataError('opens a quote that nothing closes', this.#restLine);
  }

  /** @returns undefined when its quotes continue beyond these bytes */
  #parseRecord(bytes: Buffer, start: number, line: number) {
    const values: Value[] = [];
    let at = start;
    let lines = 0;
    for (;;) {
      const isQuoted = bytes[at] === QUOTE;
      const end = isQuoted ? endOfQuoted(bytes, at, line) : endOfPlain(bytes, at, line);
      if (end === undefined) return undefined;
      if (end - start > MAX_LINE_BYTES) throw tooLong(line);
      if (isQuoted) lines += countLines(bytes.subarray(at, end));
      values.push(this.#wanted(values.length) ? toValue(bytes, at, end) : toUnwanted(at, end));
      at = end;
      if (bytes[at] !== COMMA) break;
      at++;
    }
    return { values, end: this.#endOfLine(bytes, at, line), lines: lines + 1 };
  }

  #endOfLine(bytes: Buffer, at: number, line: number): number {
    if (at === bytes.length) return at;
    const isReturn = bytes[at] === CARRIAGE_RETURN;
    if (isReturn && bytes[at + 1] !== LINE_FEED) {
      throw new DataError('holds a carriage return without a line feed; put the value in quotes', line);
    }
    const ending = isReturn ? 'CRLF' : 'LF';
    this.#ending ??= ending;
    if (ending !== this.#ending) {
      throw new DataError(
        `ends with ${ending}, the lines before it with ${this.#ending}; end all alike`,
        line,
      );
    }
    return at + (isReturn ? 2 : 1);
  }
}

const toUnwanted = (start: number, end: number) => (start === end ? null : undefined);

function toValue(bytes: Buffer, start: number, end: number): Value {
  if (start === end) return null;
  if (bytes[start] !== QUOTE) return bytes.toString('utf8', start, end);
  return bytes.toString('utf8', start + 1, end - 1).replaceAll('""', '"');
}

/** Returns the position after the closing quote. */
function endOfQuoted(bytes: Buffer, start: number, line: number): number | undefined {
  let at = start + 1;
  for (;;) {
    at = bytes.indexOf(QUOTE, at);
    if (at < 0) return undefined;
    if (bytes[at + 1] !== QUOTE) break;
    at += 2;
  }
  const next = bytes[at + 1];
  const isEnd = next === undefined || next === COMMA || next === LINE_FEED || next === CARRIAGE_RETURN;
  if (!isEnd) throw new DataError('has text after a closing quote; double the quotes inside of values', line);
  return at + 1;
}

function endOfPlain(bytes: Buffer, start: number, line: number): number {
  if (startsWithBlankAndQuote(bytes, start))
    throw new DataError('has blanks before a quote; remove them', line);
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === COMMA || byte === LINE_FEED || byte === CARRIAGE_RETURN) return at;
  }
  return bytes.length;
}

/** Some readers treat it as text with quotes, others, and sometimes DuckDB, as a quoted value. */
function startsWithBlankAndQuote(bytes: Buffer, start: number): boolean {
  let at = start;
  while (bytes[at] === SPACE || bytes[at] === TAB) at++;
  return at > start && bytes[at] === QUOTE;
}
