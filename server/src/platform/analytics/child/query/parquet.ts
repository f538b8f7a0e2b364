/** Writes the result of a query as a Parquet file. */
import { statSync } from 'node:fs';
import { type DuckDBConnection, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { identifier, literal } from '../sql.ts';
import { SizeError } from './failures.ts';

export interface TypedColumn {
  readonly name: string;
  readonly type: DuckDBType;
}

export interface ParquetTarget {
  readonly path: string;
  readonly maxTargetBytes: number;
}

const WATCH_MS = 100;
/** Size limit of a row group, which is held in memory until it is complete: a hundred thousand long messages would be too much. */
const GROUP_BYTES = 32 * 1024 ** 2;
const OPTIONS = `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE_BYTES ${GROUP_BYTES}`;

/** @returns the number of rows */
export async function writeParquet(
  connection: DuckDBConnection,
  select: string,
  columns: readonly TypedColumn[],
  { path, maxTargetBytes }: ParquetTarget,
): Promise<number> {
  const values = columns.map(({ name, type }) => {
    const kept = parquetType(type);
    return kept === undefined
      ? identifier(name)
      : `CAST(${identifier(name)} AS ${kept}) AS ${identifier(name)}`;
  });
  // Stored in a variable, since an interrupted COPY removes its file.
  let wasTooLarge = false;
  const isTooLarge = () => {
    wasTooLarge ||= (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxTargetBytes;
    return wasTooLarge;
  };
  const watch = setInterval(() => isTooLarge() && connection.interrupt(), WATCH_MS);
  try {
    const result = await connection.runAndReadAll(
      `COPY (SELECT ${values.join(', ')} ${select}) TO ${literal(path)} (${OPTIONS})`,
    );
    if (isTooLarge()) throw new SizeError('target_size');
    return Number(result.getRows()[0]?.[0]);
  } catch (error) {
    throw isTooLarge() ? new SizeError('target_size') : error;
  } finally {
    clearInterval(watch);
  }
}

/**
 * Returns a replacement for types that Parquet would round, or cannot hold.
 * @returns undefined when the type is kept
 */
function parquetType(type: DuckDBType): string | undefined {
  switch (type.typeId) {
    case DuckDBTypeId.HUGEINT:
    case DuckDBTypeId.UHUGEINT:
      return 'DECIMAL(38,0)';
    case DuckDBTypeId.BIGNUM:
    case DuckDBTypeId.BIT:
    case DuckDBTypeId.UNION:
    case DuckDBTypeId.SQLNULL:
      return 'VARCHAR';
    case DuckDBTypeId.LIST:
    case DuckDBTypeId.ARRAY: {
      const item = parquetType(type.valueType);
      return item === undefined ? undefined : `${item}[]`;
    }
    case DuckDBTypeId.STRUCT: {
      const types = type.entryTypes.map(parquetType);
      if (types.every((kept) => kept === undefined)) return undefined;
      const fields = types.map(
        (kept, index) =>
          `${identifier(type.entryNames[index] ?? '')} ${kept ?? String(type.entryTypes[index])}`,
      );
      return `STRUCT(${fields.join(', ')})`;
    }
    case DuckDBTypeId.MAP: {
      const [key, value] = [parquetType(type.keyType), parquetType(type.valueType)];
      if (key === undefined && value === undefined) return undefined;
      return `MAP(${key ?? String(type.keyType)}, ${value ?? String(type.valueType)})`;
    }
    default:
      return undefined;
  }
}
