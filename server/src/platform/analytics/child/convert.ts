/** Converts the rows of a file to another format. */
import { statSync } from 'node:fs';
import type { DuckDBConnection, DuckDBType } from '@duckdb/node-api';
import { DuckDBTypeId } from '@duckdb/node-api';
import type { DataFile, DataFormat } from '../data-file.ts';
import { isNested, toJsonValue } from './json-values.ts';
import { type Lockdown, openLocked } from './locked-duckdb.ts';
import type { ConvertRequest } from './request.ts';
import { identifier, literal, tableOf } from './sql.ts';

/** The target exceeds its size limit. */
export class TargetSizeError extends Error {}

const WATCH_MS = 100;
/** Limit of a row group, which a writer holds per thread. */
const ROW_GROUP_BYTES = 64 * 1024 ** 2;
const MAX_ROWS_PER_GROUP = 122_880;
const MIN_ROWS_PER_GROUP = 2048;

export async function convert(request: ConvertRequest, lockdown: Lockdown): Promise<void> {
  const { source, target, maxTargetBytes } = request;
  const isAlone = lockdown.threads === 1;
  const connection = await openLocked({ ...lockdown, keepsOrder: !isAlone });
  const rows = await selectRows(connection, source, target.format);
  const options = optionsOf(source, target.format, isAlone);
  // Checked during the conversion, since a megabyte of Parquet can expand to a terabyte of text.
  const isTooLarge = () => (statSync(target.path, { throwIfNoEntry: false })?.size ?? 0) > maxTargetBytes;
  const watch = setInterval(() => isTooLarge() && connection.interrupt(), WATCH_MS);
  try {
    await connection.run(`COPY (${rows}) TO ${literal(target.path)} (${options})`);
  } catch (error) {
    throw isTooLarge() ? new TargetSizeError() : error;
  } finally {
    clearInterval(watch);
  }
  if (isTooLarge()) throw new TargetSizeError();
}

async function selectRows(
  connection: DuckDBConnection,
  source: DataFile,
  format: DataFormat,
): Promise<string> {
  const table = tableOf(source);
  if (format === 'parquet') return `FROM ${table}`;
  const columns = await columnsOf(connection, source);
  const write = format === 'csv' ? toCsvValue : toJsonValue;
  const values = columns.map(({ name, type }) => `${write(identifier(name), type)} AS ${identifier(name)}`);
  return `SELECT ${values.join(', ')} FROM ${table}`;
}

export async function columnsOf(connection: DuckDBConnection, source: DataFile) {
  const result = await connection.run(`FROM ${tableOf(source)} LIMIT 0`);
  const types = result.columnTypes();
  return result.columnNames().map((name, index) => ({ name, type: types[index] as DuckDBType }));
}

function toCsvValue(value: string, type: DuckDBType): string {
  if (isNested(type)) return `CAST(to_json(${toJsonValue(value, type)}) AS VARCHAR)`;
  return type.typeId === DuckDBTypeId.BLOB ? `base64(${value})` : value;
}

function optionsOf({ path, row_count }: DataFile, format: DataFormat, isAlone: boolean): string {
  if (format === 'jsonl') return 'FORMAT json';
  if (format === 'csv') return `FORMAT csv, HEADER, DELIMITER ',', QUOTE '"', ESCAPE '"', NULLSTR ''`;
  const parquet = 'FORMAT parquet, COMPRESSION zstd';
  // Limits groups by size: the minimum number of wide rows in a group may exceed the memory.
  if (isAlone) return `${parquet}, ROW_GROUP_SIZE_BYTES ${ROW_GROUP_BYTES}`;
  const rowBytes = statSync(path).size / Math.max(row_count, 1);
  const rows = Math.floor(ROW_GROUP_BYTES / Math.max(rowBytes, 1));
  const size = Math.min(Math.max(rows, MIN_ROWS_PER_GROUP), MAX_ROWS_PER_GROUP);
  return `${parquet}, ROW_GROUP_SIZE ${size}`;
}
