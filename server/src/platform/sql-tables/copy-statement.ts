/** Builds the COPY statement that reads exactly what a query needs of a table, in a compact format. */
import { type RawBuilder, sql } from 'kysely';
import { boundsOf } from './bounds.ts';
import { renderCondition } from './conditions.ts';
import { writeOut } from './literals.ts';
import type { SqlColumn, SqlTable, SqlType, SqlViewer } from './sql-table.ts';
import type { TableNeed } from './table-need.ts';

export const toCopyStatement = (table: SqlTable, need: TableNeed, viewer: SqlViewer): string =>
  `COPY (${toSelect(table, need, viewer)}) TO STDOUT (FORMAT csv, ENCODING 'UTF8')`;

/** Builds the inner SELECT, for tests of its plan. */
export function toSelect(table: SqlTable, need: TableNeed, viewer: SqlViewer): string {
  const find = (name: string) => findColumn(table, name);
  const columns = need.columns.length > 0 ? need.columns.map(find) : [narrowestColumn(table)];
  const rendered = need.condition && renderCondition(need.condition, find);
  const rows = table.rows(viewer, boundsOf(need.condition));
  return writeOut(
    sql`SELECT ${sql.join(columns.map(toCsvValue))} ${rows} ${rendered ? sql`AND ${rendered}` : sql``}`,
  );
}

function findColumn(table: SqlTable, name: string): SqlColumn {
  const column = table.columns.find((one) => one.name === name);
  if (!column) throw new Error(`Table ${table.name} has no column ${name}.`);
  return column;
}

/** Column types by size, to count rows with the smallest column. */
const BY_WIDTH: readonly SqlType[] = [
  'BOOLEAN',
  'INTEGER',
  'BIGINT',
  'DOUBLE',
  'DECIMAL(38,18)',
  'TIMESTAMP WITH TIME ZONE',
  'UUID',
  'VARCHAR',
  'VARCHAR[]',
  'JSON',
];

export function narrowestColumn<Column extends Pick<SqlColumn, 'name' | 'type'>>({
  name,
  columns,
}: {
  readonly name: string;
  readonly columns: readonly Column[];
}): Column {
  const found = BY_WIDTH.flatMap((type) => columns.find((column) => column.type === type) ?? [])[0];
  if (!found) throw new Error(`Table ${name} has no columns.`);
  return found;
}

/** Converts the value to the text form that DuckDB parses to the type. */
function toCsvValue({ type, value }: SqlColumn): RawBuilder<unknown> {
  if (type === 'VARCHAR[]') return sql`array_to_json(${value})::text`;
  if (type === 'JSON') return sql`(${value})::text`;
  return type === 'DECIMAL(38,18)' ? sql`round(${value}, 18)` : value;
}
