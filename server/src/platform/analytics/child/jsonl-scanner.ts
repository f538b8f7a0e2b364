/** Reads a JSON lines file to its end: whether each line is an object, and what its columns hold. */
import type { DataColumn, DataShape } from '../data-file.ts';
import { DataError } from '../data-file.ts';
import { JsonScanner, JsonSyntaxError } from './json-scanner.ts';
import { LINE_FEED, MAX_LINE_BYTES, readPieces, tooLong } from './lines.ts';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** @throws DataError */
export function scanJsonl(path: string): DataShape {
  const scanner = new JsonScanner();
  let row_count = 0;
  for (const { bytes, firstLine } of readPieces(path)) {
    if (firstLine === 1 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK)) {
      throw new DataError('starts with a byte order mark; save the file as UTF-8 without one', 1);
    }
    let line = firstLine;
    for (let start = 0; start < bytes.length; line++) {
      const feed = bytes.indexOf(LINE_FEED, start);
      const end = feed < 0 ? bytes.length : feed;
      if (end - start > MAX_LINE_BYTES) throw tooLong(line);
      if (scanLine(scanner, bytes, start, end, line)) row_count++;
      start = end + 1;
    }
  }
  const columns: DataColumn[] = scanner.row.fields.map(({ name, kinds }) => ({ name, type: kinds.toType() }));
  if (columns.length === 0) throw new DataError('holds no rows with at least one key');
  return { row_count, columns };
}

/** @returns false for a blank line */
function scanLine(scanner: JsonScanner, bytes: Buffer, start: number, end: number, line: number): boolean {
  try {
    return scanner.scanRow(bytes, start, end);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new DataError(error.message, line);
    throw error;
  }
}
