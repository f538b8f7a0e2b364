/**
 * Extracts the parts of a plan's filter that PostgreSQL can evaluate as well: comparisons of a column with a value, and their combinations.
 */
import type { SqlColumn, SqlType } from '../../../sql-tables/sql-table.ts';
import type { Comparison, Condition, ConditionValue } from '../../../sql-tables/table-need.ts';
import type { SyntaxNode } from './syntax-tree.ts';

/** Columns of the scanned table, by their names in the plan. */
export type PlannedColumns = ReadonlyMap<string, Pick<SqlColumn, 'name' | 'type'>>;

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  COMPARE_EQUAL: '=',
  COMPARE_NOTEQUAL: '<>',
  COMPARE_LESSTHAN: '<',
  COMPARE_LESSTHANOREQUALTO: '<=',
  COMPARE_GREATERTHAN: '>',
  COMPARE_GREATERTHANOREQUALTO: '>=',
};

/** @returns null when every row may match, as far as is known */
export function toCondition(node: SyntaxNode, planned: PlannedColumns): Condition | null {
  const children = (node.children ?? []) as readonly SyntaxNode[];
  switch (node.type) {
    case 'CONJUNCTION_AND':
      return allOf(children.map((child) => toCondition(child, planned)));
    case 'CONJUNCTION_OR':
      return anyOf(children.map((child) => toCondition(child, planned)));
    case 'COMPARE_IN':
      return toMembership(children, planned);
    case 'OPERATOR_IS_NULL':
    case 'OPERATOR_IS_NOT_NULL':
      return toNullTest(children[0], node.type, planned);
    case 'OPERATOR_NOT':
      return toFlag(children[0], false, planned);
    case 'COLUMN_REF':
      return toFlag(node, true, planned);
    default:
      return toComparison(node, planned);
  }
}

export function allOf(conditions: readonly (Condition | null)[]): Condition | null {
  const known = conditions.filter((condition) => condition !== null);
  return known.length > 1 ? { all: known } : (known[0] ?? null);
}

export function anyOf(conditions: readonly (Condition | null)[]): Condition | null {
  if (conditions.length === 0 || conditions.includes(null)) return null;
  const known = conditions.filter((condition) => condition !== null);
  return known.length > 1 ? { any: known } : (known[0] ?? null);
}

function toComparison(node: SyntaxNode, planned: PlannedColumns): Condition | null {
  const is = COMPARISONS[String(node.type)];
  const column = toColumn(node.left, planned);
  if (is === undefined || column === undefined) return null;
  const value = toValue(node.right as SyntaxNode, column.type);
  return value === undefined ? null : { column: column.name, is, value };
}

function toMembership([subject, ...items]: readonly SyntaxNode[], planned: PlannedColumns): Condition | null {
  const column = toColumn(subject, planned);
  if (column === undefined) return null;
  return anyOf(
    items.map((item) => {
      const value = toValue(item, column.type);
      return value === undefined ? null : { column: column.name, is: '=', value };
    }),
  );
}

function toNullTest(
  subject: SyntaxNode | undefined,
  type: string,
  planned: PlannedColumns,
): Condition | null {
  const column = toColumn(subject, planned);
  if (column === undefined) return null;
  return { column: column.name, is: type === 'OPERATOR_IS_NULL' ? 'null' : 'not null' };
}

function toFlag(subject: SyntaxNode | undefined, value: boolean, planned: PlannedColumns): Condition | null {
  const column = toColumn(subject, planned);
  return column?.type === 'BOOLEAN' ? { column: column.name, is: '=', value } : null;
}

function toColumn(node: unknown, planned: PlannedColumns) {
  const { class: kind, column_names } = (node ?? {}) as SyntaxNode;
  if (kind !== 'COLUMN_REF' || !Array.isArray(column_names) || column_names.length !== 1) return undefined;
  return planned.get(String(column_names[0]));
}

interface Constant {
  /** Type from the parser. */
  readonly type: string;
  readonly value: unknown;
  /** Target type of a cast, if any. */
  readonly cast: string | undefined;
}

function toConstant(node: SyntaxNode): Constant | undefined {
  if (node.class === 'CAST') {
    const inner = toConstant(node.child as SyntaxNode);
    const { id } = node.cast_type as SyntaxNode;
    return inner?.cast === undefined && inner && !node.try_cast ? { ...inner, cast: String(id) } : undefined;
  }
  if (node.class !== 'CONSTANT') return undefined;
  const { type, is_null, value } = node.value as SyntaxNode;
  if (is_null !== false) return undefined;
  const { id, type_info } = type as SyntaxNode;
  if (id !== 'DECIMAL') return { type: String(id), value, cast: undefined };
  return { type: id, value: toDecimal(value, type_info as SyntaxNode), cast: undefined };
}

/** Decimals are stored as whole numbers, possibly in two halves. */
function toDecimal(value: unknown, { scale }: SyntaxNode): string | undefined {
  if (typeof value !== 'number' && typeof value !== 'string' && typeof value !== 'object') return undefined;
  const halves = value as { readonly upper?: unknown; readonly lower?: unknown } | null;
  const isWide = typeof value === 'object';
  const whole = isWide
    ? BigInt(String(halves?.upper)) * 2n ** 64n + BigInt(String(halves?.lower))
    : BigInt(String(value));
  const digits = String(whole < 0n ? -whole : whole).padStart(Number(scale) + 1, '0');
  const point = digits.length - Number(scale);
  return `${whole < 0n ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`.replace(/\.$/, '');
}

const INTEGERS = new Set(['INTEGER', 'BIGINT', 'HUGEINT']);
const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const momentPattern = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)\+00$/;

/** @returns undefined when PostgreSQL might compare differently, as for all JSON and lists */
function toValue(node: SyntaxNode, type: SqlType): ConditionValue | undefined {
  const constant = toConstant(node);
  if (constant === undefined) return undefined;
  const { cast } = constant;
  const { value } = constant;
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const text = String(value);
  const isText = constant.type === 'VARCHAR';
  switch (type) {
    case 'VARCHAR':
      return isText && cast === undefined && isStorable(text) ? text : undefined;
    case 'UUID':
      return isText && cast === 'UUID' && uuidPattern.test(text) ? text : undefined;
    case 'BOOLEAN':
      return typeof value === 'boolean' ? value : undefined;
    case 'INTEGER':
    case 'BIGINT':
      return INTEGERS.has(constant.type) && cast === undefined && /^-?\d+$/.test(text) ? text : undefined;
    case 'DOUBLE':
    case 'DECIMAL(38,18)':
      return !isText && cast === undefined && isNumber(text) ? text : undefined;
    case 'TIMESTAMP WITH TIME ZONE':
      return isText && cast === 'TIMESTAMP WITH TIME ZONE' ? toMoment(text) : undefined;
    default:
      return undefined;
  }
}

const isNumber = (text: string) => /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text);
/** PostgreSQL can store neither NUL nor lone surrogates. */
const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed();

function toMoment(text: string): string | undefined {
  const [, date, time] = momentPattern.exec(text) ?? [];
  return date === undefined || date.startsWith('0000') ? undefined : `${date}T${time}Z`;
}
