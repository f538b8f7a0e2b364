/** Converts Parquet values that DuckDB would write as invalid or inexact JSON. */
import { type DuckDBMapType, type DuckDBStructType, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { identifier, literal } from './sql.ts';

/** Number of digits that a double always preserves. */
const DOUBLE_DIGITS = 15;

/** @returns SQL for the same value as valid JSON: the expression itself when nothing has to change */
export function toJsonValue(value: string, type: DuckDBType, depth = 0): string {
  switch (type.typeId) {
    case DuckDBTypeId.FLOAT:
    case DuckDBTypeId.DOUBLE:
      // JSON has neither infinities nor NaN.
      return `CASE WHEN isfinite(${value}) THEN ${value} END`;
    case DuckDBTypeId.DECIMAL:
      // A decimal with a fraction is converted through a double; one with too many digits becomes text.
      return type.scale === 0 || type.width <= DOUBLE_DIGITS ? value : `CAST(${value} AS VARCHAR)`;
    case DuckDBTypeId.BLOB:
      return `base64(${value})`;
    case DuckDBTypeId.STRUCT:
      return structOf(value, type, depth);
    case DuckDBTypeId.LIST:
    case DuckDBTypeId.ARRAY:
      return listOf(value, type.valueType, depth);
    case DuckDBTypeId.MAP:
      return mapOf(value, type, depth);
    default:
      return value;
  }
}

function structOf(value: string, { entryNames, entryTypes }: DuckDBStructType, depth: number): string {
  let isChanged = false;
  const fields = entryNames.map((name, index) => {
    const field = `struct_extract(${value}, ${literal(name)})`;
    const converted = toJsonValue(field, entryTypes[index] as DuckDBType, depth);
    isChanged ||= converted !== field;
    return `${identifier(name)} := ${converted}`;
  });
  return isChanged ? `CASE WHEN ${value} IS NOT NULL THEN struct_pack(${fields.join(', ')}) END` : value;
}

function listOf(value: string, itemType: DuckDBType, depth: number): string {
  const item = `item${depth}`;
  const converted = toJsonValue(item, itemType, depth + 1);
  return converted === item ? value : `list_transform(${value}, lambda ${item}: ${converted})`;
}

function mapOf(value: string, { valueType }: DuckDBMapType, depth: number): string {
  const entry = `entry${depth}`;
  const field = `struct_extract(${entry}, 'value')`;
  const converted = toJsonValue(field, valueType, depth + 1);
  if (converted === field) return value;
  const pair = `struct_pack(key := struct_extract(${entry}, 'key'), value := ${converted})`;
  return `map_from_entries(list_transform(map_entries(${value}), lambda ${entry}: ${pair}))`;
}

/** True for types that CSV cannot represent, which are written as JSON. */
export function isNested({ typeId }: DuckDBType): boolean {
  return NESTED.has(typeId);
}

const NESTED = new Set<DuckDBTypeId>([
  DuckDBTypeId.STRUCT,
  DuckDBTypeId.LIST,
  DuckDBTypeId.ARRAY,
  DuckDBTypeId.MAP,
  DuckDBTypeId.UNION,
]);
