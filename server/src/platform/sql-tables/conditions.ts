/**
 * Converts conditions to PostgreSQL. DuckDB filters all rows again, so a condition that cannot be converted exactly is dropped, and its
 * rows stay: a row that DuckDB would keep is never filtered out.
 */
import { type RawBuilder, sql } from 'kysely';
import { parseMoment } from './bounds.ts';
import { isWritable } from './literals.ts';
import type { SqlColumn, SqlType } from './sql-table.ts';
import type { Comparison, Condition, ConditionValue } from './table-need.ts';

/** A statement may be long, but one that takes longer to plan than to run is useless. */
const MAX_PARTS = 2_000;
const MAX_DEPTH = 50;

type Rendered = RawBuilder<boolean> | undefined;

/**
 * Returns undefined when nothing can be converted.
 * @param find throws for an unknown column
 */
export function renderCondition(condition: Condition, find: (name: string) => SqlColumn): Rendered {
  return countParts(condition, 0) <= MAX_PARTS ? render(condition, find) : undefined;
}

function countParts(condition: Condition, depth: number): number {
  if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY;
  const parts = 'all' in condition ? condition.all : 'any' in condition ? condition.any : [];
  return parts.reduce((sum, part) => sum + countParts(part, depth + 1), 1);
}

function render(condition: Condition, find: (name: string) => SqlColumn): Rendered {
  if ('all' in condition) {
    const rendered = condition.all.map((part) => render(part, find)).filter((part) => part !== undefined);
    return rendered.length === 0 ? undefined : sql<boolean>`(${sql.join(rendered, sql` AND `)})`;
  }
  if ('any' in condition) return renderAny(condition.any, find);
  const column = find(condition.column);
  if (!('value' in condition)) return renderNull(column, condition.is);
  return renderComparison(column, condition.is, condition.value);
}

function renderAny(parts: readonly Condition[], find: (name: string) => SqlColumn): Rendered {
  if (parts.length === 0) return sql<boolean>`false`;
  const rendered = parts.map((part) => render(part, find));
  if (rendered.includes(undefined)) return undefined;
  return renderAmong(parts, find) ?? sql<boolean>`(${sql.join(rendered, sql` OR `)})`;
}

/** Converts alternatives of one column to a list of values, which PostgreSQL looks up by index instead of trying one after the other. */
function renderAmong(parts: readonly Condition[], find: (name: string) => SqlColumn): Rendered {
  const [first] = parts;
  if (!first || !('value' in first) || parts.length === 1) return undefined;
  const values = parts.flatMap((part) =>
    'value' in part && part.is === '=' && part.column === first.column ? [part.value] : [],
  );
  const column = find(first.column);
  if (values.length < parts.length || column.type === 'BOOLEAN' || column.bytes) return undefined;
  const written = values.map((value) => renderValue(column.type, value));
  return sql<boolean>`${comparable(column)} IN (${sql.join(written)})`;
}

const renderNull = ({ value }: SqlColumn, is: 'null' | 'not null') =>
  is === 'null' ? sql<boolean>`(${value}) IS NULL` : sql<boolean>`(${value}) IS NOT NULL`;

/** Operators are taken from this table: needs come from an untrusted process, and must not become part of a statement. */
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

function renderComparison(column: SqlColumn, is: Comparison, value: ConditionValue): Rendered {
  const operator = OPERATORS.get(is);
  if (!operator) throw new Error('A condition uses an unknown comparison.');
  if (column.bytes) return is === '=' ? renderBytes(column.bytes, value) : undefined;
  if (column.type === 'BOOLEAN' && is !== '=' && is !== '<>') return undefined;
  const written = renderValue(column.type, value);
  return written && sql<boolean>`${comparable(column)} ${operator} ${written}`;
}

/** Text that is not hexadecimal digits equals no value. */
const renderBytes = (bytes: RawBuilder<unknown>, value: ConditionValue) =>
  typeof value === 'string' && /^([0-9a-f]{2})*$/.test(value)
    ? sql<boolean>`${bytes} = ${`\\x${value}`}::bytea`
    : sql<boolean>`false`;

/** Returns the value as sent to DuckDB, in byte order like DuckDB's. */
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

/** Types that PostgreSQL compares as DuckDB does. */
const FORMS: Readonly<Partial<Record<SqlType, Form>>> = {
  UUID: { cast: 'uuid', fits: (value) => UUID.test(value) },
  VARCHAR: { cast: 'text', fits: isWritable },
  INTEGER: { cast: 'bigint', fits: (value) => INTEGER.test(value) },
  BIGINT: { cast: 'bigint', fits: (value) => INTEGER.test(value) },
  DOUBLE: { cast: 'double precision', fits: (value) => DOUBLE.test(value) },
  'DECIMAL(38,18)': { cast: 'numeric', fits: (value) => DECIMAL.test(value) },
  'TIMESTAMP WITH TIME ZONE': { cast: 'timestamptz', fits: (value) => parseMoment(value) !== undefined },
};

function renderValue(type: SqlType, value: ConditionValue): RawBuilder<unknown> | undefined {
  if (typeof value === 'boolean') return type === 'BOOLEAN' ? sql`${value}` : undefined;
  const form = FORMS[type];
  return form?.fits(value) ? sql`${value}::${sql.raw(form.cast)}` : undefined;
}
