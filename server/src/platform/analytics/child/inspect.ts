/** Checks whether a file is what it claims to be by reading all of it: our scanner for the lines, and DuckDB for its interpretation. */
import type { DuckDBConnection } from '@duckdb/node-api';
import {
  type DataColumn,
  DataError,
  type DataFile,
  type DataShape,
  type UnknownDataFile,
} from '../data-file.ts';
import { columnsOf } from './convert.ts';
import { scanCsv } from './csv-scanner.ts';
import { toJsonValue } from './json-values.ts';
import { scanJsonl } from './jsonl-scanner.ts';
import { type Lockdown, openLocked } from './locked-duckdb.ts';
import { checkParquetNames } from './parquet-names.ts';
import { identifier, literal, tableOf } from './sql.ts';

/** @throws DataError */
export async function inspect(source: UnknownDataFile, lockdown: Lockdown): Promise<DataShape> {
  const scanned = scan(source);
  const connection = await openLocked(lockdown);
  const table = tableOf({ ...source, columns: scanned?.columns ?? [] });
  if (!scanned) await checkParquetNames(connection, source.path);
  const columns = await describe(connection, table);
  // Hashes every value of every row, since a row group in the middle may be damaged.
  const all = columns.map(({ name }) => `bit_xor(hash(${identifier(name)}))`).join(', ');
  const result = await connection.runAndReadAll(`SELECT count(*), ${all} FROM ${table}`);
  const row_count = Number(result.getRows()[0]?.[0]);
  if (scanned && scanned.row_count !== row_count) {
    throw new DataError(`can be read as ${scanned.row_count} rows and as ${row_count}; quote its values`);
  }
  if (!scanned) await checkJson(connection, { ...source, columns, row_count });
  return { row_count, columns };
}

/** DuckDB accepts NaN and infinities as JSON, and would write them unchanged. */
async function checkJson(connection: DuckDBConnection, source: DataFile): Promise<void> {
  const types = await columnsOf(connection, source);
  const suspects = types.filter((_, index) => source.columns[index]?.type.includes('JSON'));
  for (const { name, type } of suspects) {
    const text = `CAST(to_json(${toJsonValue(identifier(name), type)}) AS VARCHAR)`;
    const unquoted = `regexp_replace(${text}, ${literal(String.raw`"(?:[^"\\]|\\.)*"`)}, '', 'g')`;
    const found = await connection.runAndReadAll(
      `SELECT 1 FROM ${tableOf(source)} WHERE regexp_matches(${unquoted}, '(?i)nan|inf') LIMIT 1`,
    );
    if (found.currentRowCount > 0)
      throw new DataError(`has NaN or an infinity in the column ${JSON.stringify(name)}, which is not JSON`);
  }
}

async function describe(connection: DuckDBConnection, table: string): Promise<DataColumn[]> {
  // The leading dot preserves a byte order mark at the start of a name, which would be stripped from the text.
  const description = await connection.runAndReadAll(
    `SELECT '.' || column_name, column_type FROM (DESCRIBE FROM ${table})`,
  );
  const rows = description.getRows() as [string, string][];
  return rows.map(([name, type]) => ({ name: name.slice(1), type }));
}

function scan({ path, format }: UnknownDataFile): DataShape | undefined {
  if (format === 'jsonl') return scanJsonl(path);
  return format === 'csv' ? scanCsv(path) : undefined;
}
