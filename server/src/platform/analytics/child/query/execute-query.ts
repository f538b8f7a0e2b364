/** Executes a query, from its text to the rows. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { PIPES, pipePath, segmentsFor } from '../../../sql-tables/segments.ts';
import type { TableNeed } from '../../../sql-tables/table-need.ts';
import { openLocked } from '../locked-duckdb.ts';
import { identifier } from '../sql.ts';
import { SizeError } from './failures.ts';
import { toJsonText } from './json-text.ts';
import { Mistake } from './mistake.ts';
import { type TypedColumn, writeParquet } from './parquet.ts';
import type { QueryRequest, QueryResult, ResultColumn } from './request.ts';
import { checkStatement } from './statement-check.ts';
import { bareStatement } from './statement-text.ts';
import { parseSelect } from './syntax-tree.ts';
import { findNeeds } from './table-needs.ts';
import { createEmptyTables, fillTables } from './tables.ts';

interface Planned {
  readonly connection: DuckDBConnection;
  /** The query in parentheses. */
  readonly from: string;
  readonly columns: readonly TypedColumn[];
  readonly shown: readonly ResultColumn[];
  readonly needs: readonly TableNeed[];
}

interface Executed {
  readonly result: QueryResult;
  /** Rows as JSON. */
  readonly text: string;
}

/** @throws Mistake */
export async function plan(request: QueryRequest): Promise<Planned> {
  const { query, scratch, memoryBytes, pipes, target } = request;
  // A query that does not contain the name of a table cannot read it. To create all tables takes longer than a small query.
  const text = query.toLowerCase();
  const tables = request.tables.filter(({ name }) => text.includes(name.toLowerCase()));
  const paths = [
    ...tables.flatMap((_, index) => pathsOf(pipes, index, PIPES)),
    ...(target.form === 'parquet' ? [target.path] : []),
  ];
  const connection = await openLocked({
    scratch,
    memoryBytes,
    // A second thread would block on the next pipe when no more rows are needed.
    threads: 1,
    paths,
    // Row groups limited by bytes require this to be off. ORDER BY still holds.
    keepsOrder: target.form === 'rows',
    isConfigured: false,
  });
  await connection.run("SET TimeZone = 'UTC'; SET errors_as_json = true");
  const from = await checkQuery(
    connection,
    query,
    request.tables.map(({ name }) => name),
  );
  // The transaction keeps the current time the same for planning and execution.
  await connection.run('BEGIN TRANSACTION');
  await createEmptyTables(connection, tables);
  const columns = await columnsOf(connection, query);
  const types = await typeNamesOf(connection, from);
  const needs = await findNeeds(connection, `SELECT * ${from}`, tables);
  const shown = columns.map(({ name }, index) => ({ name, type: types[index] ?? '' }));
  return { connection, from, columns, shown, needs };
}

/**
 * @returns the query in parentheses.
 * @throws Mistake
 */
export async function checkQuery(
  connection: DuckDBConnection,
  query: string,
  tables: readonly string[],
): Promise<string> {
  checkStatement(await parseSelect(connection, query), tables);
  const from = `FROM (\n${bareStatement(query)}\n)`;
  // Checks the parsed statement, which is what runs, whatever comments and quotes the text contains.
  checkStatement(await parseSelect(connection, from), tables);
  return from;
}

async function columnsOf(connection: DuckDBConnection, query: string): Promise<TypedColumn[]> {
  const prepared = await connection.prepare(query);
  const columns = Array.from({ length: prepared.columnCount }, (_, index) => ({
    name: prepared.columnName(index),
    type: prepared.columnType(index),
  }));
  prepared.destroySync();
  const names = new Set<string>();
  for (const { name } of columns) {
    const folded = name.toLowerCase();
    if (names.has(folded))
      throw new Mistake(
        `Two columns of the result are named ${JSON.stringify(name)}. Name one of them otherwise with AS.`,
      );
    names.add(folded);
  }
  return columns;
}

/** Returns type names as written by DuckDB, including aliases of other types, such as JSON. */
async function typeNamesOf(connection: DuckDBConnection, from: string): Promise<string[]> {
  const described = await connection.runAndReadAll(`SELECT column_type FROM (DESCRIBE ${from})`);
  return described.getRows().map(([type]) => String(type));
}

const pathsOf = (folder: string, need: number, count: number) =>
  Array.from({ length: count }, (_, segment) => pipePath(folder, need, segment));

export async function execute(
  { tables, maxRows, target, threads, pipes }: QueryRequest,
  { connection, from, columns, shown, needs }: Planned,
): Promise<Executed> {
  const isPassing = await fillTables(connection, `SELECT * ${from}`, {
    tables,
    needs,
    pathsOf: (need) => pathsOf(pipes, need, segmentsFor(target)),
  });
  if (!isPassing) await connection.run(`SET threads = ${threads}`);
  // Up to here the query was only planned, not executed.
  await connection.run('SET lock_configuration = true');
  if (target.form === 'parquet') {
    const row_count = await writeParquet(connection, `${from} LIMIT ${maxRows}`, columns, target);
    return { result: { columns: shown, row_count, truncated: false }, text: '' };
  }
  const { rows, truncated } = await readJsonRows(connection, from, columns, { ...target, maxRows });
  return { result: { columns: shown, row_count: rows.length, truncated }, text: `[${rows.join(',')}]` };
}

interface JsonRows {
  readonly rows: readonly string[];
  /** True when there is at least one more row. */
  readonly truncated: boolean;
}

async function readJsonRows(
  connection: DuckDBConnection,
  from: string,
  columns: readonly TypedColumn[],
  { maxRows, maxResultBytes }: { readonly maxRows: number; readonly maxResultBytes: number },
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
      if (bytes > maxResultBytes) throw new SizeError('result_size');
      rows.push(String(text));
    }
  }
  return { rows, truncated: false };
}
