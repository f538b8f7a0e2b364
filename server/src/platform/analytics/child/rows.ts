/** Reads a page of rows of a file in its order, and their number. */
import type { DuckDBType } from '@duckdb/node-api';
import { columnsOf } from './convert.ts';
import { isNested, toJsonValue } from './json-values.ts';
import { type Lockdown, openLocked } from './locked-duckdb.ts';
import type { RowsRequest } from './request.ts';
import { identifier, literal, tableOf } from './sql.ts';

/** A response exceeds its size limit. */
export class ResultSizeError extends Error {}

export interface RowTexts {
  /** Rows as JSON. */
  readonly rows: readonly string[];
  readonly total: number;
}

interface Column {
  readonly name: string;
  readonly type: DuckDBType;
}

export async function readRows(request: RowsRequest, lockdown: Lockdown): Promise<RowTexts> {
  const { source, offset, limit, search, maxResultBytes } = request;
  const connection = await openLocked(lockdown);
  const columns = await columnsOf(connection, source);
  const table = tableOf(source);
  const condition =
    search === null ? '' : `WHERE ${columns.map((column) => holds(column, search)).join(' OR ')}`;
  const values = columns.map(
    ({ name, type }) => `${identifier(name)} := ${toJsonValue(identifier(name), type)}`,
  );
  const result = await connection.stream(
    `SELECT CAST(to_json(struct_pack(${values.join(', ')})) AS VARCHAR) FROM ${table} ${condition}
     LIMIT ${limit} OFFSET ${offset}`,
  );
  const rows: string[] = [];
  let bytes = 0;
  for await (const chunk of result.yieldRows()) {
    for (const [text] of chunk) {
      bytes += Buffer.byteLength(String(text));
      if (bytes > maxResultBytes) throw new ResultSizeError();
      rows.push(String(text));
    }
  }
  if (search === null) return { rows, total: source.row_count };
  const counted = await connection.runAndReadAll(`SELECT count(*) FROM ${table} ${condition}`);
  return { rows, total: Number(counted.getRows()[0]?.[0]) };
}

/** Nested values are searched in their JSON form, as shown to users. */
function holds({ name, type }: Column, search: string): string {
  const value = identifier(name);
  const text = isNested(type) ? `to_json(${value})` : value;
  return `contains(lower(CAST(${text} AS VARCHAR)), lower(${literal(search)}))`;
}
