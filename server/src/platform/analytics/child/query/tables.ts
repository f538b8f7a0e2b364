/** The tables of a query: first empty for planning, then filled from the rows that come through pipes. */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { SqlColumn, SqlTableShape, SqlType } from '../../../sql-tables/sql-table.ts';
import type { TableNeed } from '../../../sql-tables/table-need.ts';
import { identifier, literal } from '../sql.ts';
import { explain, findNodes, plannedColumn, plannedTable } from './table-needs.ts';

type Column = Pick<SqlColumn, 'name' | 'type'>;

/** Maximum size of a row; the same amount is read ahead. */
const MAX_LINE_BYTES = 32 * 1024 ** 2;
const list = (items: readonly string[]) => items.join(', ');

/** Uses views, which have no rowid. */
export async function createEmptyTables(
  connection: DuckDBConnection,
  tables: readonly SqlTableShape[],
): Promise<void> {
  await connection.run('CREATE SCHEMA planned; CREATE SCHEMA loaded');
  const statements = tables.map(({ name, columns }, index) => {
    const planned = plannedTable(index);
    const types = columns.map(({ type }, at) => `${plannedColumn(at)} ${type}`);
    const names = columns.map((column, at) => `${plannedColumn(at)} AS ${identifier(column.name)}`);
    return `CREATE TABLE ${planned} (${list(types)}); CREATE VIEW ${identifier(name)} AS SELECT ${list(names)} FROM ${planned}`;
  });
  if (statements.length > 0) await connection.run(statements.join(';'));
}

export interface Filling {
  readonly tables: readonly SqlTableShape[];
  readonly needs: readonly TableNeed[];
  /** Paths of the pipes for the need with this number, in order. */
  readonly pathsOf: (need: number) => readonly string[];
}

/**
 * Streams the rows of the last table when the query reads it once; the other tables are loaded before.
 * @returns whether it is streamed
 */
export async function fillTables(
  connection: DuckDBConnection,
  select: string,
  { tables, needs, pathsOf }: Filling,
): Promise<boolean> {
  for (const [index, need] of needs.entries()) {
    const columns = tables.find(({ name }) => name === need.table)?.columns ?? [];
    const rows = rowsOf(pathsOf(index), need, columns);
    if (index === needs.length - 1) {
      await connection.run(`CREATE OR REPLACE VIEW ${identifier(need.table)} AS ${rows}`);
      if (await isReadOnce(connection, select)) return true;
    }
    await connection.run(`CREATE TABLE loaded.${identifier(need.table)} AS ${rows}`);
    await connection.run(
      `CREATE OR REPLACE VIEW ${identifier(need.table)} AS FROM loaded.${identifier(need.table)}`,
    );
  }
  return false;
}

/** A plan that repeats a part would read its rows twice, and a pipe can be read only once. */
async function isReadOnce(connection: DuckDBConnection, select: string): Promise<boolean> {
  const plan = await explain(connection, select);
  const reads = findNodes(plan, ({ name }) => /READ_CSV/.test(name));
  return reads.length === 1 && findNodes(plan, ({ name }) => /REC_CTE|RECURSIVE/.test(name)).length === 0;
}

function rowsOf(
  paths: readonly string[],
  { columns: needed }: TableNeed,
  columns: readonly Column[],
): string {
  const typeOf = (name: string) => columns.find((column) => column.name === name)?.type ?? 'VARCHAR';
  const types = needed.map((name) => `${literal(name)}: ${literal(wireType(typeOf(name)))}`);
  const values = columns.map(({ name, type }) =>
    needed.includes(name)
      ? `${fromWire(identifier(name), type)} AS ${identifier(name)}`
      : `NULL::${type} AS ${identifier(name)}`,
  );
  // Reads sequentially: parallel readers that start in the middle guess whether they are inside quotes.
  return `SELECT ${list(values)} FROM read_csv([${list(paths.map(literal))}], auto_detect = false, header = true, delim = ',', quote = '"',
    escape = '"', nullstr = '', allow_quoted_nulls = false, new_line = '\\n', strict_mode = true, parallel = false,
    max_line_size = ${MAX_LINE_BYTES}, buffer_size = ${MAX_LINE_BYTES}, columns = {${list(types)}})`;
}

/** Values without a CSV form are sent as JSON. */
const wireType = (type: SqlType) => (type === 'VARCHAR[]' ? 'JSON' : type);
const fromWire = (value: string, type: SqlType) =>
  type === 'VARCHAR[]' ? `CAST(${value} AS VARCHAR[])` : value;
