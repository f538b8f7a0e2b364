/** A DuckDB in memory that reads and writes the named files and nothing else, whatever it is asked. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { literal } from './sql.ts';

export interface Lockdown {
  readonly paths: readonly string[];
  readonly scratch: string;
  readonly memoryBytes: number;
  readonly threads: number;
  /** Unless one thread reads and writes, which keeps the order by itself: then more can be written early. */
  readonly keepsOrder?: boolean;
  /** Unless the caller has more to set, and then sets `lock_configuration` itself. */
  readonly isConfigured?: boolean;
}

/** Beyond the limit it fails; the rest is for what DuckDB does not count. */
const COUNTED_SHARE = 0.75;
/** On disk, for what does not fit into memory. */
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
