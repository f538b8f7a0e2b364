/** Digests of all tables as of one moment, for comparisons. */
import { createHash } from 'node:crypto';
import pg from 'pg';

const WITHOUT_TRANSACTION = "(to_jsonb(t) - 'changed_in')::text";

/**
 * Columns that legitimately differ in a restored database: when a migration was applied, where the objects are, in which transaction a row
 * was written.
 */
const BETTER_KNOWN: Readonly<Record<string, string>> = {
  schema_migrations: '(version, name, checksum)::text',
  object_store: '(is_only)::text',
  session_groups: WITHOUT_TRANSACTION,
  sessions: WITHOUT_TRANSACTION,
  session_deletions: WITHOUT_TRANSACTION,
};

/** Compares sums, since connections add to different rows. Quotas are left out: the next start writes them. */
const OTHERWISE: Readonly<Record<string, string>> = {
  stored_bytes:
    '(SELECT organization_id, kind, sum(bytes) FROM stored_bytes GROUP BY 1, 2 HAVING sum(bytes) <> 0)',
  storage_quotas: '(SELECT kind FROM storage_quotas WHERE false)',
};

/** Returns row count and an order-independent digest of every table that survives a crash. */
export async function digestTables(client: pg.Client): Promise<Map<string, string>> {
  await client.query("SET LOCAL statement_timeout = 0; SET LOCAL TimeZone = 'UTC'");
  const { rows: tables } = await client.query<{ name: string; only: string }>(`
    SELECT relname AS name, CASE relkind WHEN 'r' THEN 'ONLY ' ELSE '' END AS only FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
       AND NOT relispartition AND relpersistence = 'p' ORDER BY relname`);
  const found = new Map<string, string>();
  for (const { name, only } of tables) {
    const row = BETTER_KNOWN[name] ?? 't::text';
    const { rows } = await client.query<{ row: string }>(
      `SELECT ${row} AS row FROM ${OTHERWISE[name] ?? only + pg.escapeIdentifier(name)} t ORDER BY (${row}) COLLATE "C"`,
    );
    const hash = createHash('sha256');
    for (const each of rows) hash.update(each.row).update('\n');
    found.set(name, `${rows.length} rows ${hash.digest('hex')}`);
  }
  return found;
}

export async function inTransaction<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    return await work(client);
  } finally {
    await client.end();
  }
}
