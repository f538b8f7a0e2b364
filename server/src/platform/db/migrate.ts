/** Forward-only migrations: the numbered SQL files, each in a transaction of its own under one lock. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { ApiError } from '../errors.ts';
import type { Log } from '../log.ts';
import { openClient } from './open-client.ts';

export interface MigrateOptions {
  readonly url: string;
  readonly log: Log;
  readonly directory?: string;
  readonly lockTimeoutMs?: number;
  /** The last version to apply; all unless said. */
  readonly upTo?: number;
}

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

const DIRECTORY = join(import.meta.dirname, '../../../migrations');
const LOCK = 0x6d69_6772; // "migr"
const LOCK_NOT_AVAILABLE = '55P03';
const OLDEST_POSTGRES = 16;

export async function migrate(options: MigrateOptions): Promise<void> {
  const { upTo = Number.POSITIVE_INFINITY } = options;
  const migrations = (await readMigrations(options.directory)).filter(({ version }) => version <= upTo);
  const client = await openClient(options.url, 'migrate');
  try {
    await refuseOldPostgres(client);
    const lockTimeoutMs = options.lockTimeoutMs ?? 60_000;
    await locked(client, lockTimeoutMs, async () => {
      await client.query(LEDGER);
      await setRoleDefaults(client);
    });
    for (const migration of migrations) {
      // Each takes the lock anew and looks again: processes that start together share the work, in order.
      await locked(client, lockTimeoutMs, async () => {
        if (await isApplied(client, migration)) return;
        await client.query(migration.sql);
        await client.query('INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)', [
          migration.version,
          migration.name,
          migration.checksum,
        ]);
        options.log.info({ migration: migration.name }, 'migration applied');
      });
    }
  } finally {
    await client.end();
  }
}

const broken = (detail: string) => new ApiError('configuration_error', detail);

const LEDGER = `
  CREATE TABLE IF NOT EXISTS schema_migrations (
    version    integer PRIMARY KEY,
    name       text NOT NULL,
    checksum   text NOT NULL,
    applied_at timestamptz(3) NOT NULL DEFAULT now()
  )`;

/** A transaction-level lock: it holds through a pooler and ends with its process. */
async function locked(client: pg.Client, lockTimeoutMs: number, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}; SET LOCAL statement_timeout = 0`);
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await work();
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    if (error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE) {
      throw new ApiError(
        'migration_lock_timeout_error',
        `The migrations waited ${lockTimeoutMs / 1000} s for a lock. Another process is migrating, or a long transaction holds a table: see pg_stat_activity, then start again.`,
        { cause: error },
      );
    }
    throw error;
  }
}

async function isApplied(client: pg.Client, { version, name, checksum }: Migration): Promise<boolean> {
  const { rows } = await client.query<{ checksum: string }>(
    'SELECT checksum FROM schema_migrations WHERE version = $1',
    [version],
  );
  if (rows[0] && rows[0].checksum !== checksum) {
    throw new Error(
      `Migration ${name} was changed after it had been applied. Restore the file and add a new one.`,
    );
  }
  return rows.length > 0;
}

export async function readMigrations(directory = DIRECTORY): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).toSorted();
  return Promise.all(
    names.map(async (name, index) => {
      const version = Number(/^(\d{4})_/.exec(name)?.[1]);
      if (version !== index + 1)
        throw broken(`Migration ${name} must be numbered ${String(index + 1).padStart(4, '0')}_`);
      const sql = await readFile(join(directory, name), 'utf8');
      return { version, name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

async function refuseOldPostgres(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string }>(
    "SELECT current_setting('server_version_num') AS version",
  );
  const major = Math.floor(Number(rows[0]?.version) / 10_000);
  if (major < OLDEST_POSTGRES) {
    throw broken(`The database is PostgreSQL ${major}; Drydock needs ${OLDEST_POSTGRES} or newer.`);
  }
}

/**
 * Time limits for every connection of this role to this database. They are the role's and not the connection's,
 * because a pooler in transaction mode neither takes start-up parameters nor keeps a session's settings.
 */
async function setRoleDefaults(client: pg.Client): Promise<void> {
  const wanted = ['TimeZone=UTC', 'idle_in_transaction_session_timeout=15s', 'statement_timeout=30s'];
  const { rows } = await client.query<{ settings: string[] | null; database: string }>(`
    SELECT current_database() AS database,
           (SELECT setconfig FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
             WHERE d.datname = current_database() AND s.setrole = current_user::regrole) AS settings`);
  const [row] = rows;
  if (!row || wanted.every((setting) => row.settings?.includes(setting))) return;
  for (const setting of wanted) {
    const [name, value] = setting.split('=');
    await client.query(
      `ALTER ROLE CURRENT_USER IN DATABASE ${pg.escapeIdentifier(row.database)} SET ${name} = '${value}'`,
    );
  }
}
