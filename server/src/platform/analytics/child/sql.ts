/** SQL fragments that contain data of a file: its path, its columns. */
import type { DataFile } from '../data-file.ts';
import { MAX_LINE_BYTES } from './lines.ts';

export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

export const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Builds the FROM clause. Nothing is guessed: a file is read with the columns that its inspection found. */
export function tableOf({ path, format, columns }: Pick<DataFile, 'path' | 'format' | 'columns'>): string {
  if (format === 'parquet') return `read_parquet(${literal(path)})`;
  const types = columns.map(({ name, type }) => `${literal(name)}: ${literal(type)}`).join(', ');
  if (format === 'jsonl') {
    return `read_json(${literal(path)}, format = 'newline_delimited', records = true,
      maximum_object_size = ${2 * MAX_LINE_BYTES}, columns = {${types}})`;
  }
  // Reads sequentially: parallel readers that start in the middle of a file guess whether they are inside quotes.
  return `read_csv(${literal(path)}, auto_detect = false, header = true, delim = ',', quote = '"', escape = '"',
    nullstr = '', allow_quoted_nulls = false, strict_mode = true, parallel = false,
    max_line_size = ${MAX_LINE_BYTES}, buffer_size = ${2 * MAX_LINE_BYTES}, columns = {${types}})`;
}
