/**
 * Forward-only migrations: the numbered SQL files, each applied in a transaction of its own under one lock. The first line of each names
 * the oldest program that may run on a database with it; a program's version is the number of its newest migration. An older program
 * refuses to start, since it would silently lose or misread data. See docs/design/start.md, "Versions".
 */
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
  /** The last version to apply; all by default. */
  readonly upTo?: number;
}

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
  readonly oldestProgram: number;
}

const DIRECTORY = join(import.meta.dirname, '../../../migrations');
const LOCK = 0x6d69_6772; // "migr"
const LOCK_NOT_AVAILABLE = '55P03';
const OLDEST_POSTGRES = 16;

export async function migrate(options: MigrateOptions): Promise<void> {
  const { upTo = Number.POSITIVE_INFINITY, lockTimeoutMs = 60_000, log } = options;
  const migrations = await readMigrations(options.directory);
  const client = await openClient(options.url, 'migrate');
  const began = performance.now();
  try {
    await refuseOldPostgres(client);
    const state = { from: 0, to: 0 };
    await locked(client, lockTimeoutMs, async () => {
      await openLedger(client, migrations);
      state.from = await requireCompatible(client, migrations.length);
      await setRoleDefaults(client);
    });
    for (const migration of migrations.filter(({ version }) => version <= upTo)) {
      // Each migration takes the lock again and checks again: processes that start together share the work, in order.
      await locked(client, lockTimeoutMs, async () => {
        if (await isApplied(client, migration)) return;
        await apply(client, migration);
        state.to = migration.version;
      });
    }
    if (state.to > 0) {
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      log.info(`Database migrated from ${numberOf(state.from)} to ${numberOf(state.to)} in ${seconds} s`);
    }
  } finally {
    await client.end();
  }
}

const broken = (detail: string) => new ApiError('configuration_error', detail);

const numberOf = (version: number) => String(version).padStart(4, '0');

const LEDGER = `
  CREATE TABLE IF NOT EXISTS schema_migrations (
    version        integer PRIMARY KEY,
    name           text NOT NULL,
    checksum       text NOT NULL,
    applied_at     timestamptz(3) NOT NULL DEFAULT now(),
    oldest_program integer
  )`;

/** Creates the ledger of migrations, and fills in the oldest program of migrations that were applied before these versions were stored. */
async function openLedger(client: pg.Client, migrations: readonly Migration[]): Promise<void> {
  await client.query(LEDGER);
  const columns = await client.query(
    "SELECT FROM pg_attribute WHERE attrelid = 'schema_migrations'::regclass AND attname = 'oldest_program'",
  );
  // The table was created before versions were compared. Programs of that time leave the column empty, and the next newer one fills it in.
  if (columns.rowCount === 0)
    await client.query('ALTER TABLE schema_migrations ADD COLUMN oldest_program integer');
  await client.query(
    `UPDATE schema_migrations AS m SET oldest_program = known.oldest_program
       FROM unnest($1::integer[], $2::integer[]) AS known (version, oldest_program)
      WHERE m.version = known.version AND m.oldest_program IS NULL`,
    [migrations.map(({ version }) => version), migrations.map(({ oldestProgram }) => oldestProgram)],
  );
}

/**
 * Refuses a database that requires a newer program.
 * @param program the version of this program: the number of its newest migration
 * @returns the version of the database; 0 for an empty one
 */
async function requireCompatible(client: pg.Client, program: number): Promise<number> {
  const { rows } = await client.query<{ version: number | null; oldest: number | null }>(
    'SELECT max(version) AS version, max(oldest_program) AS oldest FROM schema_migrations',
  );
  const { version, oldest } = rows[0] ?? { version: null, oldest: null };
  if (oldest !== null && oldest > program) {
    throw broken(
      `The database has version ${numberOf(version ?? 0)} and needs a Drydock of version ${numberOf(oldest)} or later; ` +
        `this one has version ${numberOf(program)}. Start the newer Drydock; nothing was changed.`,
    );
  }
  return version ?? 0;
}

async function apply(
  client: pg.Client,
  { sql, version, name, checksum, oldestProgram }: Migration,
): Promise<void> {
  await client.query(sql);
  await client.query(
    'INSERT INTO schema_migrations (version, name, checksum, oldest_program) VALUES ($1, $2, $3, $4)',
    [version, name, checksum, oldestProgram],
  );
}

/** A transaction-level lock: it works through a pooler and ends with its process. */
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
      if (version !== index + 1) throw broken(`Migration ${name} must be numbered ${numberOf(index + 1)}_`);
      const text = await readFile(join(directory, name), 'utf8');
      const header = HEADER.exec(text);
      const oldestProgram = Number(header?.[1]);
      if (!header || oldestProgram > version) {
        throw broken(
          `Migration ${name} must begin with "-- oldest program: NNNN", the oldest version that may run beside it, at most ${numberOf(version)}.`,
        );
      }
      // The checksum leaves the header out: the first migrations got theirs after they had been applied.
      const sql = text.slice(header[0].length);
      return { version, name, sql, checksum: createHash('sha256').update(sql).digest('hex'), oldestProgram };
    }),
  );
}

const HEADER = /^-- oldest program: (\d{4})\n/;

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
 * Sets the time limits for every connection of this role to this database. They belong to the role and not to the connection, because a
 * pooler in transaction mode neither accepts start-up parameters nor keeps a session's settings.
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
