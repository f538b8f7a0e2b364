/** Reads rows the way a query does: from PostgreSQL by COPY, and into DuckDB with the declared column types. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { copyRows as readRows } from '../src/platform/sql-tables/copy-rows.ts';
import { toCopyStatement } from '../src/platform/sql-tables/copy-statement.ts';
import type { SqlTable, SqlType, SqlViewer } from '../src/platform/sql-tables/sql-table.ts';
import type { Condition } from '../src/platform/sql-tables/table-need.ts';
import { Collected } from './plain-rows.ts';
import { WAIT_TIMEOUT_MS } from './wait-timeout.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests assert on rows of every shape
export type AskedRow = Readonly<Record<string, any>>;

export interface Asked {
  readonly url: string;
  readonly viewer: SqlViewer;
  readonly table: SqlTable;
  readonly condition?: Condition | null;
  /** Condition on the rows `t`; all rows by default. */
  readonly where?: string;
}

/** Returns the rows as CSV. */
export async function copyRows({ url, viewer, table, condition = null }: Asked): Promise<string> {
  const sink = new Collected();
  const need = { table: table.name, columns: table.columns.map(({ name }) => name), condition };
  const { signal } = new AbortController();
  await readRows(
    { url, statementTimeoutMs: WAIT_TIMEOUT_MS, statements: [toCopyStatement(table, need, viewer)] },
    { sinkOf: () => sink, onRows: () => undefined, signal },
  );
  return sink.text;
}

/** Returns the rows in the order in which they came. Timestamps are in ISO 8601; numbers have the precision of JSON. */
export async function askRows(asked: Asked): Promise<AskedRow[]> {
  return readCsv(asked.table, await copyRows(asked), asked.where);
}

export async function readCsv({ columns }: SqlTable, csv: string, where = 'true'): Promise<AskedRow[]> {
  if (csv === '') return [];
  const folder = mkdtempSync(join(tmpdir(), 'drydock-rows-'));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const path = join(folder, 'rows.csv');
    writeFileSync(path, csv);
    const read = columns
      .map(({ name, type }) => `'${name}': '${AS_TEXT.has(type) ? 'VARCHAR' : type}'`)
      .join(', ');
    const taken = columns.map(({ name, type }) => `${fromText(name, type)} AS "${name}"`).join(', ');
    await connection.run("SET TimeZone = 'UTC'");
    const reader = await connection.runAndReadAll(`
      SELECT to_json(t)::VARCHAR AS row FROM (
        SELECT ${taken} FROM read_csv('${path}', columns = {${read}}, header = false, auto_detect = false, delim = ',',
          quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false, strict_mode = true, max_line_size = 100000000)
      ) AS t WHERE ${where}`);
    return reader.getRows().map(([row]) => toRow(columns, String(row)));
  } finally {
    connection.closeSync();
    instance.closeSync();
    rmSync(folder, { recursive: true });
  }
}

const AS_TEXT: ReadonlySet<SqlType> = new Set<SqlType>(['JSON', 'VARCHAR[]']);

function fromText(name: string, type: SqlType): string {
  if (type === 'VARCHAR[]') return `from_json("${name}", '["VARCHAR"]')`;
  return type === 'JSON' ? `"${name}"::JSON` : `"${name}"`;
}

function toRow(columns: SqlTable['columns'], text: string): AskedRow {
  const row = JSON.parse(text) as Record<string, unknown>;
  for (const { name, type } of columns)
    if (type === 'TIMESTAMP WITH TIME ZONE' && typeof row[name] === 'string')
      row[name] = row[name].replace(' ', 'T').replace(/\+00$/, 'Z');
  return row;
}

/** Timestamp with milliseconds, as the API returns it. */
export const toMoment = (moment: string | null) => moment && new Date(moment).toISOString();
