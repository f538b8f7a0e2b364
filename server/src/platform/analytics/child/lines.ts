/** Splits files into pieces that end with a line, so that readers hold only a few megabytes. */
import { isUtf8 } from 'node:buffer';
import { closeSync, openSync, readSync } from 'node:fs';
import { DataError } from '../data-file.ts';

/** Limit for a JSON line or a CSV record: DuckDB holds several of them per thread. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;
const PIECE_BYTES = 4 * 1024 * 1024;
export const LINE_FEED = 10;

export interface Piece {
  /** Whole lines; the last line of the file may lack its line feed. */
  readonly bytes: Buffer;
  readonly firstLine: number;
}

/** @throws DataError for invalid UTF-8, and for lines that are too long */
export function* readPieces(path: string): Generator<Piece> {
  const file = openSync(path, 'r');
  try {
    let rest = Buffer.alloc(0);
    let firstLine = 1;
    for (let isAtEnd = false; !isAtEnd; ) {
      const buffer = Buffer.allocUnsafe(rest.length + PIECE_BYTES);
      rest.copy(buffer);
      const length = rest.length + readSync(file, buffer, rest.length, PIECE_BYTES, null);
      isAtEnd = length === rest.length;
      const end = isAtEnd ? length : buffer.subarray(0, length).lastIndexOf(LINE_FEED) + 1;
      const bytes = buffer.subarray(0, end);
      rest = buffer.subarray(end, length);
      if (rest.length > MAX_LINE_BYTES) throw tooLong(firstLine + countLines(bytes));
      if (bytes.length === 0) continue;
      if (!isUtf8(bytes)) throw notUtf8(bytes, firstLine);
      yield { bytes, firstLine };
      firstLine += countLines(bytes);
    }
  } finally {
    closeSync(file);
  }
}

export const tooLong = (line: number) =>
  new DataError(`is longer than ${MAX_LINE_BYTES / 1024 ** 2} MiB, the most that a line may hold`, line);

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}

function notUtf8(bytes: Buffer, firstLine: number): DataError {
  let line = firstLine;
  for (let start = 0; start < bytes.length; line++) {
    const feed = bytes.indexOf(LINE_FEED, start);
    const end = feed < 0 ? bytes.length : feed + 1;
    if (!isUtf8(bytes.subarray(start, end))) break;
    start = end;
  }
  return new DataError('is not UTF-8', line);
}
