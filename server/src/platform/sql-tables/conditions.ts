/**
 * Conditions in PostgreSQL's words. DuckDB looks at every row again, so one that cannot be said exactly is left out, and the
 * rows stay: never is one left out that DuckDB would keep.
 */
import { type RawBuilder, sql } from 'kysely';
import { parseMoment } from './bounds.ts';
import { isWritable } from './literals.ts';
import type { SqlColumn, SqlType } from './sql-table.ts';
import type { Comparison, Condition, ConditionValue } from './table-need.ts';

/** A statement may be long, but nobody gains by one that takes longer to plan than to run. */
const MAX_PARTS = 2_000;
const MAX_DEPTH = 50;

type Said = RawBuilder<boolean> | undefined;

/** Undefined when nothing can be said. @param find throws for a column that is none */
export function sayCondition(condition: Condition, find: (name: string) => SqlColumn): Said {
  return countParts(condition, 0) <= MAX_PARTS ? say(condition, find) : undefined;
}

function countParts(condition: Condition, depth: number): number {
  if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY;
  const parts = 'all' in condition ? condition.all : 'any' in condition ? condition.any : [];
  return parts.reduce((sum, part) => sum + countParts(part, depth + 1), 1);
}

function say(condition: Condition, find: (name: string) => SqlColumn): Said {
  if ('all' in condition) {
    const said = condition.all.map((part) => say(part, find)).filter((part) => part !== undefined);
    return said.length === 0 ? undefined : sql<boolean>`(${sql.join(said, sql` AND `)})`;
  }
  if ('any' in condition) return sayAny(condition.any, find);
  const column = find(condition.column);
  if (!('value' in condition)) return sayNull(column, condition.is);
  return sayComparison(column, condition.is, condition.value);
}

function sayAny(parts: readonly Condition[], find: (name: string) => SqlColumn): Said {
  if (parts.length === 0) return sql<boolean>`false`;
  const said = parts.map((part) => say(part, find));
  if (said.includes(undefined)) return undefined;
  return sayAmong(parts, find) ?? sql<boolean>`(${sql.join(said, sql` OR `)})`;
}

/** One of several values, in the words by which PostgreSQL looks them up rather than tries one after the other. */
function sayAmong(parts: readonly Condition[], find: (name: string) => SqlColumn): Said {
  const [first] = parts;
  if (!first || !('value' in first) || parts.length === 1) return undefined;
  const values = parts.flatMap((part) =>
    'value' in part && part.is === '=' && part.column === first.column ? [part.value] : [],
  );
  const column = find(first.column);
  if (values.length < parts.length || column.type === 'BOOLEAN' || column.bytes) return undefined;
  const written = values.map((value) => sayValue(column.type, value));
  return sql<boolean>`${comparable(column)} IN (${sql.join(written)})`;
}

const sayNull = ({ value }: SqlColumn, is: 'null' | 'not null') =>
  is === 'null' ? sql<boolean>`(${value}) IS NULL` : sql<boolean>`(${value}) IS NOT NULL`;

/** Written here: what a need says comes from a process that is not trusted, and becomes no part of a statement. */
const OPERATORS: ReadonlyMap<string, RawBuilder<unknown>> = new Map(
  Object.entries({
    '=': sql`=`,
    '<>': sql`<>`,
    '<': sql`<`,
    '<=': sql`<=`,
    '>': sql`>`,
    '>=': sql`>=`,
  } satisfies Record<Comparison, RawBuilder<unknown>>),
);

function sayComparison(column: SqlColumn, is: Comparison, value: ConditionValue): Said {
  const operator = OPERATORS.get(is);
  if (!operator) throw new Error('A condition compares as nothing does.');
  if (column.bytes) return is === '=' ? sayBytes(column.bytes, value) : undefined;
  if (column.type === 'BOOLEAN' && is !== '=' && is !== '<>') return undefined;
  const written = sayValue(column.type, value);
  return written && sql<boolean>`${comparable(column)} ${operator} ${written}`;
}

/** Text that is no digits of bytes is equal to none. */
const sayBytes = (bytes: RawBuilder<unknown>, value: ConditionValue) =>
  typeof value === 'string' && /^([0-9a-f]{2})*$/.test(value)
    ? sql<boolean>`${bytes} = ${`\\x${value}`}::bytea`
    : sql<boolean>`false`;

/** As DuckDB gets it, and in the order of bytes, which is DuckDB's. */
export function comparable({ type, value }: SqlColumn): RawBuilder<unknown> {
  if (type === 'DECIMAL(38,18)') return sql`round(${value}, 18)`;
  return type === 'VARCHAR' ? sql`(${value}) COLLATE "C"` : sql`(${value})`;
}

const INTEGER = /^-?\d{1,18}$/;
const DECIMAL = /^-?\d{1,20}(\.\d{1,18})?$/;
const DOUBLE = /^-?\d{1,40}(\.\d{1,40})?(e[+-]?\d{1,2})?$/i;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface Form {
  readonly cast: string;
  readonly fits: (value: string) => boolean;
}

/** Those that PostgreSQL compares as DuckDB does. */
const FORMS: Readonly<Partial<Record<SqlType, Form>>> = {
  UUID: { cast: 'uuid', fits: (value) => UUID.test(value) },
  VARCHAR: { cast: 'text', fits: isWritable },
  INTEGER: { cast: 'bigint', fits: (value) => INTEGER.test(value) },
  BIGINT: { cast: 'bigint', fits: (value) => INTEGER.test(value) },
  DOUBLE: { cast: 'double precision', fits: (value) => DOUBLE.test(value) },
  'DECIMAL(38,18)': { cast: 'numeric', fits: (value) => DECIMAL.test(value) },
  'TIMESTAMP WITH TIME ZONE': { cast: 'timestamptz', fits: (value) => parseMoment(value) !== undefined },
};

function sayValue(type: SqlType, value: ConditionValue): RawBuilder<unknown> | undefined {
  if (typeof value === 'boolean') return type === 'BOOLEAN' ? sql`${value}` : undefined;
  const form = FORMS[type];
  return form?.fits(value) ? sql`${value}::${sql.raw(form.cast)}` : undefined;
}
