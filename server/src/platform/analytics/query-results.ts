/**
 * Validates the output of the query process: code that escaped from DuckDB can send anything, and the needs become part of SQL statements.
 */
import { z } from 'zod';
import type { SqlTableShape } from '../sql-tables/sql-table.ts';
import type { Condition, TableNeed } from '../sql-tables/table-need.ts';
import type { NeedsResponse, QueryResponse } from './child/query/request.ts';

/** Deeper than DuckDB nests expressions. */
const MAX_DEPTH = 2_000;

const Failed = z.strictObject({
  failure: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('sql'), message: z.string(), position: z.int().min(0).nullable() }),
    z.strictObject({ kind: z.enum(['memory', 'target_size', 'result_size']) }),
    z.strictObject({ kind: z.literal('failure'), message: z.string() }),
  ]),
});

const Need = z.strictObject({
  table: z.string(),
  columns: z.array(z.string()).min(1),
  // Custom check, since there may be a hundred thousand parts.
  condition: z.custom<Condition>((value) => isCondition(value, 0)).nullable(),
});

const Needs = z.union([z.strictObject({ needs: z.array(Need) }), Failed]);

const Result = z.union([
  z.strictObject({
    result: z.strictObject({
      columns: z.array(z.strictObject({ name: z.string(), type: z.string() })),
      row_count: z.int().min(0),
      truncated: z.boolean(),
    }),
  }),
  Failed,
]);

/**
 * @param tables existing tables.
 * @throws for an unexpected response
 */
export function readNeeds(line: string, tables: readonly SqlTableShape[]): NeedsResponse {
  const needs = read(Needs, line);
  if ('needs' in needs) requireKnown(needs.needs, tables);
  return needs;
}

/** @throws for an unexpected response */
export const readResult = (line: string): QueryResponse => read(Result, line);

function read<Value>(schema: z.ZodType<Value>, line: string): Value {
  try {
    return schema.parse(JSON.parse(line));
  } catch {
    throw unexpected();
  }
}

/** The output is not logged, since it may contain any user's rows. */
const unexpected = () => new Error('The analytics process sent an unexpected message.');

function requireKnown(needs: readonly TableNeed[], tables: readonly SqlTableShape[]): void {
  const left = new Map(tables.map(({ name, columns }) => [name, columns]));
  for (const { table, columns } of needs) {
    const known = new Set(left.get(table)?.map(({ name }) => name));
    // Each may occur only once.
    if (!left.delete(table) || !columns.every((name) => known.delete(name))) throw unexpected();
  }
}

const COMPARISONS: ReadonlySet<unknown> = new Set(['=', '<>', '<', '<=', '>', '>=']);
const NULL_TESTS: ReadonlySet<unknown> = new Set(['null', 'not null']);

/** Columns are checked where the condition is converted to SQL. */
function isCondition(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return false;
  const { all, any, column, is, value: compared, ...rest } = value as Record<string, unknown>;
  if (Object.keys(rest).length > 0) return false;
  const parts = all ?? any;
  if (parts !== undefined) {
    const isAlone = Object.keys(value).length === 1;
    return isAlone && Array.isArray(parts) && parts.every((part) => isCondition(part, depth + 1));
  }
  if (typeof column !== 'string') return false;
  if (compared === undefined) return NULL_TESTS.has(is);
  return COMPARISONS.has(is) && (typeof compared === 'string' || typeof compared === 'boolean');
}
