/** Reads the rows of a query as JSON arrays, limited in number and size. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { identifier } from '../sql.ts';
import { SizeError } from './failures.ts';
import { toJsonText } from './json-text.ts';
import type { TypedColumn } from './parquet.ts';

export interface JsonRows {
  readonly rows: readonly string[];
  /** True when there is at least one more row. */
  readonly truncated: boolean;
}

export async function readJsonRows(
  connection: DuckDBConnection,
  from: string,
  columns: readonly TypedColumn[],
  { maxRows, maxAnswerBytes }: { readonly maxRows: number; readonly maxAnswerBytes: number },
): Promise<JsonRows> {
  const values = columns.map(({ name, type }) => toJsonText(identifier(name), type));
  const result = await connection.stream(
    `SELECT '[' || ${values.join(" || ',' || ")} || ']' ${from} LIMIT ${maxRows + 1}`,
  );
  const rows: string[] = [];
  let bytes = 0;
  for await (const chunk of result.yieldRows()) {
    for (const [text] of chunk) {
      if (rows.length === maxRows) return { rows, truncated: true };
      bytes += Buffer.byteLength(String(text)) + 1;
      if (bytes > maxAnswerBytes) throw new SizeError('answer_size');
      rows.push(String(text));
    }
  }
  return { rows, truncated: false };
}
