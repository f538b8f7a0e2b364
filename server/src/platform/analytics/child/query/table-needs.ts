/** Derives from DuckDB's own plan what a query needs of its tables: columns, and conditions of the relevant rows. */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { SqlTableShape } from '../../../sql-tables/sql-table.ts';
import type { Condition, TableNeed } from '../../../sql-tables/table-need.ts';
import { allOf, anyOf, type PlannedColumns, toCondition } from './condition.ts';
import { parseExpression, type SyntaxNode } from './syntax-tree.ts';

export interface PlanNode {
  readonly name: string;
  readonly extra_info: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly children: readonly PlanNode[];
}

/** Empty tables for planning, with columns whose names a plan prints without quotes. */
export const plannedTable = (index: number) => `planned.t${index}`;
export const plannedColumn = (index: number) => `c${index}`;

/** Optimizers that would act on empty tables or their statistics, or that plans do not print. */
const DISABLED = [
  'compressed_materialization',
  'empty_result_pullup',
  'join_filter_pushdown',
  'late_materialization',
  'row_group_pruner',
  'statistics_propagation',
  'top_n',
  'top_n_window_elimination',
  'window_self_join',
];

interface Scan {
  readonly columns: ReadonlySet<string>;
  readonly condition: Condition | null;
}

/** Returns the needs in the order of the tables. */
export async function findNeeds(
  connection: DuckDBConnection,
  select: string,
  tables: readonly SqlTableShape[],
): Promise<TableNeed[]> {
  await connection.run(`SET disabled_optimizers = '${DISABLED.join(',')}'`);
  const plan = await explain(connection, select);
  await connection.run("SET disabled_optimizers = ''");
  const scans = findNodes(plan, ({ extra_info }) => extra_info.Table !== undefined);
  const needs: TableNeed[] = [];
  let found = 0;
  for (const [index, table] of tables.entries()) {
    const own = scans.filter(({ extra_info }) => extra_info.Table === `memory.${plannedTable(index)}`);
    found += own.length;
    const read = await Promise.all(own.map((scan) => toScan(connection, scan, table)));
    if (read.length > 0) needs.push(toNeed(table, read));
  }
  if (found < scans.length) throw new Error('The plan reads an unknown table.');
  return needs;
}

export async function explain(connection: DuckDBConnection, select: string): Promise<readonly PlanNode[]> {
  const result = await connection.runAndReadAll(`EXPLAIN (FORMAT json) ${select}`);
  return JSON.parse(String(result.getRows()[0]?.[1])) as readonly PlanNode[];
}

export function findNodes(plan: readonly PlanNode[], matches: (node: PlanNode) => boolean): PlanNode[] {
  return plan.flatMap((node) => [...(matches(node) ? [node] : []), ...findNodes(node.children, matches)]);
}

function toNeed({ name, columns }: SqlTableShape, scans: readonly Scan[]): TableNeed {
  const needed = columns
    .map((column) => column.name)
    .filter((column) => scans.some((scan) => scan.columns.has(column)));
  // Counting rows requires reading one column.
  const narrowest = columns.find(({ type }) => type === 'BOOLEAN' || type === 'INTEGER') ?? columns[0];
  return {
    table: name,
    columns: needed.length > 0 ? needed : [narrowest?.name ?? ''],
    condition: anyOf(scans.map(({ condition }) => condition)),
  };
}

async function toScan(
  connection: DuckDBConnection,
  { extra_info }: PlanNode,
  { columns }: SqlTableShape,
): Promise<Scan> {
  const planned: PlannedColumns = new Map(columns.map((column, index) => [plannedColumn(index), column]));
  const mentioned = [...toList(extra_info.Projections)];
  const conditions: (Condition | null)[] = [];
  let isKnown = true;
  for (const text of toList(extra_info.Filters)) {
    const filter = await parseExpression(connection, text.replace(/^optional: /, ''));
    const inside = columnsIn(filter);
    if (filter && inside.length > 0) conditions.push(toCondition(filter, planned));
    else isKnown = false;
    mentioned.push(...inside);
  }
  isKnown &&= mentioned.every((name) => planned.has(name));
  const names = isKnown
    ? mentioned.map((name) => planned.get(name)?.name ?? name)
    : columns.map(({ name }) => name);
  // A value with several lines is printed in as many pieces, any of which may look like a condition.
  return { columns: new Set(names), condition: isKnown ? allOf(conditions) : null };
}

function toList(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined || value === '') return [];
  return typeof value === 'string' ? [value] : value;
}

function columnsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(columnsIn);
  if (typeof value !== 'object' || value === null) return [];
  const { class: kind, column_names, ...rest } = value as SyntaxNode;
  if (kind === 'COLUMN_REF') return [...(column_names as readonly string[])];
  return Object.values(rest).flatMap(columnsIn);
}
