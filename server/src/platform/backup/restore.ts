/** Loads a backup into an empty database: all of it or nothing, and only after every file was verified. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { migrate, readMigrations } from '../db/migrate.ts';
import { openClient } from '../db/open-client.ts';
import type { Log } from '../log.ts';
import type { ObjectStorage } from '../object-storage/object-storage.ts';
import { createVault } from '../secrets/envelope.ts';
import { digestFile } from './digests.ts';
import {
  type BackedUpTable,
  BackupError,
  type Manifest,
  readManifest,
  SECRET_KEY_FILE,
  tableFile,
} from './manifest.ts';
import { markOf, moveObjects, unmarkBucket } from './object-move.ts';
import { claimFolder, clearStore, copyObjects, verifyObjects } from './object-restore.ts';
import { withStoreLock } from './store-lock.ts';
import { loadTable } from './table-files.ts';
import {
  INDEX_TABLES,
  loadOrder,
  readReferences,
  readTables,
  STORE_TABLE,
  type TableShape,
} from './tables.ts';
import { damaged, requireFile, requireSame } from './verified-files.ts';

/** A backup whose files are all unchanged since they were written. */
export interface VerifiedBackup {
  readonly folder: string;
  readonly manifest: Manifest;
  /** The secret key, if the backup includes it. */
  readonly secretKey: string | undefined;
}

/** Verifies the backup; changes nothing. */
export async function verifyBackup(
  folder: string,
  version: string,
  migrationsDirectory?: string,
): Promise<VerifiedBackup> {
  const manifest = await readManifest(folder);
  await refuseOtherMigrations(manifest, version, migrationsDirectory);
  for (const table of manifest.tables) {
    const path = tableFile(folder, table.name);
    requireSame(path, await requireFile(path, digestFile(path)), table);
  }
  if (manifest.objects?.store === 'embedded') await verifyObjects(folder, manifest.objects);
  return { folder, manifest, secretKey: await readIncludedKey(folder, manifest) };
}

async function refuseOtherMigrations(
  { migrations, drydock_version }: Manifest,
  version: string,
  directory: string | undefined,
): Promise<void> {
  const known = await readMigrations(directory);
  if (migrations.length > known.length) {
    throw new BackupError(
      `This backup was made by a newer Drydock (${drydock_version}, with ${migrations.length} migrations); this is ${version}, which knows ${known.length}. Restore it with that release or a later one.`,
    );
  }
  const other = migrations.find(({ checksum }, index) => checksum !== known[index]?.checksum);
  if (other) {
    throw new BackupError(
      `This backup was made by a Drydock (${drydock_version}) whose migration ${other.name} is not the one of this release. Restore it with the release that made it.`,
    );
  }
}

async function readIncludedKey(folder: string, { secret_key }: Manifest): Promise<string | undefined> {
  if (!secret_key?.sha256) return undefined;
  const path = join(folder, SECRET_KEY_FILE);
  const { sha256 } = await requireFile(path, digestFile(path));
  if (sha256 !== secret_key.sha256) throw damaged(path);
  return readFile(path, 'utf8');
}

/** Refuses a key with which the sealed rows of the backup would never open. */
export function requireKey({ folder, manifest, secretKey }: VerifiedBackup, given: string): void {
  const expected = manifest.secret_key?.key_id;
  const { keyId } = createVault(given);
  if (expected === undefined || keyId === expected) return;
  const place = secretKey ? `It is in ${join(folder, SECRET_KEY_FILE)}.` : 'It is not in the backup.';
  throw new BackupError(
    `The backup was sealed with the secret key ${expected}; the one here is ${keyId}. ${place} Set DRYDOCK_SECRET_KEY to it. Nothing was restored.`,
  );
}

/** The target of the objects: the embedded store of this data directory, or an external S3. */
export type ObjectsTarget = { readonly dataDir: string } | { readonly storage: ObjectStorage };

export interface RestoreOptions {
  readonly url: string;
  readonly log: Log;
  readonly objects: ObjectsTarget;
  readonly migrationsDirectory?: string;
  /** Creates partitions that no migration creates. Rows without a partition of their own go to the table's default partition. */
  readonly makePartitions?: (names: readonly string[]) => Promise<void>;
}

/**
 * Holds the lock of the clean-ups, which would remove the files as unowned until the rows are loaded. The lock also excludes a second
 * restore.
 */
export async function restore(backup: VerifiedBackup, options: RestoreOptions): Promise<void> {
  await withStoreLock(options.url, 'exclusive', 'restore', () => restoreAlone(backup, options));
}

async function restoreAlone(backup: VerifiedBackup, options: RestoreOptions): Promise<void> {
  const { manifest } = backup;
  const { url, log, migrationsDirectory: directory } = options;
  const client = await openClient(url, 'restore');
  try {
    await refuseUsed(client, manifest).catch((error: unknown) => endRestore(client, options, error));
    const migrations = { url, log, ...(directory !== undefined && { directory }) };
    await migrate({ ...migrations, upTo: manifest.migrations.length });
    await options.makePartitions?.(manifest.tables.flatMap(({ partitions }) => partitions));
    await loadWithObjects(client, backup, options);
    await migrate(migrations);
    await client.query('BEGIN; SET LOCAL statement_timeout = 0; ANALYZE; COMMIT');
  } finally {
    await client.end();
  }
}

/** A database with rows has been restored completely: if that restore was killed at its very end, only the mark is left to remove. */
async function endRestore(client: pg.Client, { objects }: RestoreOptions, error: unknown): Promise<never> {
  if ('storage' in objects) await unmarkBucket(objects.storage, await markOf(client)).catch(() => undefined);
  throw error;
}

/** The content comes first, so that every row that is visible has its content. */
async function loadWithObjects(
  client: pg.Client,
  backup: VerifiedBackup,
  { url, log, objects: target }: RestoreOptions,
): Promise<void> {
  const { objects } = backup.manifest;
  if (!objects) return loadAll(client, backup);
  if ('storage' in target) {
    await clearStore(client);
    return loadBesideBucket(client, backup, target.storage, log);
  }
  await clearStore(client, target.dataDir);
  if (objects.store === 's3') return loadAll(client, backup);
  try {
    const folder = await claimFolder({ url, log, dataDir: target.dataDir });
    await copyObjects(backup.folder, objects, folder);
    await loadAll(client, backup, { leftOut: [STORE_TABLE] });
  } catch (error) {
    await clearStore(client, target.dataDir).catch(() => undefined);
    throw error;
  }
}

async function loadBesideBucket(
  client: pg.Client,
  backup: VerifiedBackup,
  storage: ObjectStorage,
  log: Log,
): Promise<void> {
  const mark = await markOf(client);
  const hasObjects = backup.manifest.tables.some(({ name, rows }) => name === 'stored_objects' && rows > 0);
  if (hasObjects) await moveObjects({ client, backup, storage, mark, log });
  await loadAll(client, backup, {
    leftOut: [STORE_TABLE, ...INDEX_TABLES],
    finish: async () => {
      const { bucket, endpoint } = storage;
      await client.query('INSERT INTO object_store (bucket, endpoint) VALUES ($1, $2)', [bucket, endpoint]);
    },
  });
  // The mark is removed last: until the rows are loaded, a restore must be able to continue.
  if (hasObjects) await unmarkBucket(storage, mark);
}

/** Tables that a killed restore left behind are empty and do not count as used. */
async function refuseUsed(client: pg.Client, manifest: Manifest): Promise<void> {
  await refuseRows(client, await readTables(client));
  const { rows } = await client.query<{ ledger: string | null }>(
    "SELECT to_regclass('public.schema_migrations')::text AS ledger",
  );
  if (!rows[0]?.ledger) return;
  const applied = await client.query<{ version: number }>(
    'SELECT version FROM schema_migrations WHERE version > $1',
    [manifest.migrations.length],
  );
  if (applied.rows.length === 0) return;
  throw new BackupError(
    'The database is empty, but was prepared by a newer Drydock than the backup. Restore into a database without any tables.',
  );
}

async function refuseRows(client: pg.Client, tables: readonly TableShape[]): Promise<void> {
  for (const { name } of tables.filter((table) => table.name !== STORE_TABLE)) {
    const { rows } = await client.query(`SELECT FROM public.${pg.escapeIdentifier(name)} LIMIT 1`);
    if (rows.length > 0) {
      throw new BackupError(
        `The database is in use: its table ${name} holds rows. Nothing was changed. Restore into an empty database: set DRYDOCK_DATA_DIR to a new directory, or DATABASE_URL to a database without tables.`,
      );
    }
  }
}

interface LoadOptions {
  readonly leftOut?: readonly string[];
  /** The last step before the transaction commits. */
  readonly finish?: () => Promise<void>;
}

/** One transaction: after a kill the tables are as empty as before. */
async function loadAll(
  client: pg.Client,
  { folder, manifest }: VerifiedBackup,
  { leftOut = [], finish }: LoadOptions = {},
): Promise<void> {
  const tables = await readTables(client);
  requireSameShapes(tables, manifest);
  const names = tables.map(({ name }) => name);
  const order = loadOrder(names, await readReferences(client));
  const backedUp = new Map(manifest.tables.map((table) => [table.name, table]));
  await client.query('BEGIN');
  try {
    await client.query(`
      SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
      SET LOCAL lock_timeout = '10s'; SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO';
      LOCK TABLE ${names.map((name) => `public.${pg.escapeIdentifier(name)}`).join(', ')} IN EXCLUSIVE MODE`);
    // Checked under the locks: a server that started in between may have created its first owner.
    await refuseRows(client, tables);
    for (const name of order.filter((each) => !leftOut.includes(each)))
      await loadOne(client, folder, backedUp.get(name));
    await finish?.();
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

function requireSameShapes(tables: readonly TableShape[], manifest: Manifest): void {
  const print = (shapes: readonly TableShape[]) =>
    shapes.map(({ name, columns }) => `${name} (${columns.join(', ')})`).toSorted();
  const [found, expected] = [print(tables), print(manifest.tables)];
  const odd =
    expected.find((shape) => !found.includes(shape)) ?? found.find((shape) => !expected.includes(shape));
  if (odd === undefined) return;
  throw new BackupError(
    `The backup and the migrated database do not have the same tables; one of the two lacks ${odd}. Nothing was restored.`,
  );
}

async function loadOne(client: pg.Client, folder: string, table: BackedUpTable | undefined): Promise<void> {
  if (!table) return;
  const path = tableFile(folder, table.name);
  const { rows, ...digest } = await loadTable(client, table, path);
  requireSame(path, digest, table);
  if (rows !== table.rows) {
    throw new BackupError(
      `The table ${table.name} took ${rows} rows of the backup's ${table.rows}. Nothing was restored.`,
    );
  }
}
