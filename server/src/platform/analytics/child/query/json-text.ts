/** Formats a value as JSON in DuckDB: all digits, timestamps in UTC, and text for values that JSON cannot represent. */
import { type DuckDBMapType, type DuckDBStructType, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { literal } from '../sql.ts';

/** @returns SQL for a text, 'null' for NULL */
export const toJsonText = (value: string, type: DuckDBType, depth = 0) =>
  `coalesce(${textOf(value, type, depth)}, 'null')`;

const asText = (value: string) => `CAST(${value} AS VARCHAR)`;
const quoted = (text: string) => `CAST(to_json(${text}) AS VARCHAR)`;

function textOf(value: string, type: DuckDBType, depth: number): string {
  switch (type.typeId) {
    case DuckDBTypeId.BOOLEAN:
    case DuckDBTypeId.TINYINT:
    case DuckDBTypeId.SMALLINT:
    case DuckDBTypeId.INTEGER:
    case DuckDBTypeId.BIGINT:
    case DuckDBTypeId.UTINYINT:
    case DuckDBTypeId.USMALLINT:
    case DuckDBTypeId.UINTEGER:
    case DuckDBTypeId.UBIGINT:
    case DuckDBTypeId.HUGEINT:
    case DuckDBTypeId.UHUGEINT:
    case DuckDBTypeId.BIGNUM:
    case DuckDBTypeId.DECIMAL:
      return asText(value);
    case DuckDBTypeId.FLOAT:
    case DuckDBTypeId.DOUBLE:
      return numberOf(value);
    case DuckDBTypeId.TIMESTAMP_TZ:
      return momentOf(value, `timezone('UTC', ${value})`, 'Z');
    case DuckDBTypeId.TIMESTAMP:
    case DuckDBTypeId.TIMESTAMP_MS:
    case DuckDBTypeId.TIMESTAMP_S:
      return momentOf(value, `CAST(${value} AS TIMESTAMP)`, '');
    case DuckDBTypeId.STRUCT:
      return structOf(value, type, depth);
    case DuckDBTypeId.LIST:
    case DuckDBTypeId.ARRAY:
      return listOf(value, type.valueType, depth);
    case DuckDBTypeId.MAP:
      return mapOf(value, type, depth);
    default:
      return type.alias === 'JSON' ? jsonOf(value) : quoted(asText(value));
  }
}

/** Infinities and NaN become text, since JSON has neither. */
const numberOf = (value: string) =>
  `CASE WHEN isnan(${value}) THEN '"NaN"' WHEN isinf(${value}) THEN if(${value} > 0, '"Infinity"', '"-Infinity"')
    ELSE ${asText(value)} END`;

/** Formats milliseconds, and microseconds only when there are any. */
function momentOf(value: string, moment: string, zone: string): string {
  const whole = `strftime(${moment}, '%Y-%m-%dT%H:%M:%S.%g')`;
  const exact = `strftime(${moment}, '%Y-%m-%dT%H:%M:%S.%f')`;
  return `CASE WHEN NOT isfinite(${value}) THEN ${quoted(asText(value))}
    ELSE '"' || if(microsecond(${moment}) % 1000 = 0, ${whole}, ${exact}) || '${zone}"' END`;
}

const lax = String.raw`(?i)nan|inf|,\s*[\]}]`;
const strings = String.raw`"(?:[^"\\]|\\.)*"`;

/** Text that DuckDB accepts as JSON although it is invalid stays text. */
const jsonOf = (value: string) =>
  `CASE WHEN regexp_matches(${asText(value)}, ${literal(lax)})
      AND regexp_matches(regexp_replace(${asText(value)}, ${literal(strings)}, '""', 'g'), ${literal(lax)})
    THEN ${quoted(asText(value))} ELSE ${asText(value)} END`;

function listOf(value: string, itemType: DuckDBType, depth: number): string {
  const item = `item${depth}`;
  const texts = `list_transform(${value}, lambda ${item}: ${toJsonText(item, itemType, depth + 1)})`;
  return `'[' || array_to_string(${texts}, ',') || ']'`;
}

function structOf(value: string, { entryNames, entryTypes }: DuckDBStructType, depth: number): string {
  const isNamed = entryNames.every((name) => name !== '');
  const fields = entryTypes.map((type, index) => {
    const text = toJsonText(`struct_extract_at(${value}, ${index + 1})`, type, depth);
    return isNamed ? `${literal(`${JSON.stringify(entryNames[index])}:`)} || ${text}` : text;
  });
  const [open, close] = isNamed ? ['{', '}'] : ['[', ']'];
  const inside = fields.length > 0 ? fields.join(" || ',' || ") : "''";
  return `CASE WHEN ${value} IS NOT NULL THEN '${open}' || ${inside} || '${close}' END`;
}

function mapOf(value: string, { valueType }: DuckDBMapType, depth: number): string {
  const entry = `entry${depth}`;
  const key = quoted(asText(`struct_extract(${entry}, 'key')`));
  const text = toJsonText(`struct_extract(${entry}, 'value')`, valueType, depth + 1);
  const texts = `list_transform(map_entries(${value}), lambda ${entry}: ${key} || ':' || ${text})`;
  return `'{' || array_to_string(${texts}, ',') || '}'`;
}
