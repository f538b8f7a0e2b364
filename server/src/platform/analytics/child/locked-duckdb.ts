/** An in-memory DuckDB that can only read and write the named files, whatever it is asked. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { literal } from './sql.ts';

export interface Lockdown {
  readonly paths: readonly string[];
  readonly scratch: string;
  readonly memoryBytes: number;
  readonly threads: number;
  /** Default true. A single thread preserves the order by itself, and without this setting it can write earlier. */
  readonly keepsOrder?: boolean;
  /** Default true. Set to false when the caller changes more settings, and then sets `lock_configuration` itself. */
  readonly isConfigured?: boolean;
}

/** Share of the memory that DuckDB accounts for, and fails beyond; the rest is for allocations that it does not count. */
const COUNTED_SHARE = 0.75;
/** Limit on disk for data that does not fit into memory. */
const MAX_SCRATCH_BYTES = 8 * 1024 ** 3;

export async function openLocked({
  paths,
  scratch,
  memoryBytes,
  threads,
  keepsOrder = true,
  isConfigured = true,
}: Lockdown): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(threads),
    memory_limit: bytes(memoryBytes * COUNTED_SHARE),
    max_temp_directory_size: bytes(MAX_SCRATCH_BYTES),
    temp_directory: scratch,
    preserve_insertion_order: String(keepsOrder),
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  });
  const connection = await instance.connect();
  await connection.run(`SET allowed_paths = [${paths.map(literal).join(', ')}]`);
  await connection.run('SET enable_external_access = false');
  if (isConfigured) await connection.run('SET lock_configuration = true');
  return connection;
}

const bytes = (count: number) => `${Math.floor(count / 1024)}KiB`;
