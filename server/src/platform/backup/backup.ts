/** Writes everything that a server needs to run elsewhere into a folder, as of one moment, while servers keep running. */
import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { openClient } from '../db/open-client.ts';
import { createVault } from '../secrets/envelope.ts';
import { makeDraft, publishDraft, writeDurably } from './draft-folder.ts';
import {
  type BackedUpTable,
  BackupError,
  MANIFEST_FILE,
  type Manifest,
  type NewManifest,
  printManifest,
  SECRET_KEY_FILE,
  TABLES_FOLDER,
  tableFile,
} from './manifest.ts';
import { backUpObjects } from './object-backup.ts';
import { withStoreLock } from './store-lock.ts';
import { writeTable } from './table-files.ts';
import { readTables, type TableShape } from './tables.ts';

export interface BackupOptions {
  /** The database's direct address: a snapshot needs one connection from beginning to end. */
  readonly url: string;
  /** Does not exist yet, or is empty. */
  readonly folder: string;
  readonly version: string;
  /** The secret key of the servers on this database; undefined if there is none yet. */
  readonly secretKey: BackedUpKey | undefined;
  /** The data directory of the servers on this database: the embedded store is in it. */
  readonly dataDir: string;
  /**
   * A snapshot that another connection has exported, used instead of the current moment. Objects that it shows may have been removed since.
   */
  readonly snapshot?: string | undefined;
}

export interface BackedUpKey {
  readonly value: string;
  /** Whether the key is written into the folder. */
  readonly isIncluded: boolean;
  /** The other key in use while the key is being rotated. */
  readonly previous?: string | undefined;
}

export async function backUp(options: BackupOptions): Promise<NewManifest> {
  const draft = await makeDraft(options.folder);
  try {
    await mkdir(join(draft, TABLES_FOLDER), { mode: 0o700 });
    const manifest = await withStoreLock(options.url, 'shared', 'backup', () =>
      writeSnapshot(options, draft),
    );
    if (options.secretKey?.isIncluded)
      await writeDurably(join(draft, SECRET_KEY_FILE), options.secretKey.value);
    await writeDurably(join(draft, MANIFEST_FILE), printManifest(manifest));
    await publishDraft(draft, options.folder);
    return manifest;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

async function writeSnapshot(options: BackupOptions, draft: string): Promise<NewManifest> {
  const client = await openClient(options.url, 'backup');
  try {
    const shapes = await openSnapshot(client, options);
    const head = await readHead(client);
    const keys = await describeKeys(client, shapes, options.secretKey);
    const tables: BackedUpTable[] = [];
    for (const { name, columns, partitions = [] } of shapes) {
      const written = await writeTable(client, { name, columns, partitions }, tableFile(draft, name));
      tables.push({ name, columns: [...columns], partitions: [...partitions], ...written });
    }
    const hasObjects = shapes.some(({ name }) => name === 'stored_objects');
    const objects = hasObjects ? await backUpObjects(client, options.dataDir, draft) : null;
    return { drydock_version: options.version, ...head, ...keys, tables, objects };
  } finally {
    await client.end();
  }
}

/** Every later statement sees the same moment, and no table changes its shape. */
async function openSnapshot(client: pg.Client, { url, snapshot }: BackupOptions): Promise<TableShape[]> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  if (snapshot) await client.query(`SET TRANSACTION SNAPSHOT ${pg.escapeLiteral(snapshot)}`);
  // The role's limits are meant for requests; and the written files must not depend on a server's settings.
  await client.query(`
    SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
    SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO'; SET LOCAL IntervalStyle = 'postgres';
    SET LOCAL bytea_output = 'hex'; SET LOCAL extra_float_digits = 1`);
  const tables = await readTables(client);
  if (tables.length === 0)
    throw new BackupError('The database holds no tables; there is nothing to back up.');
  await client.query(
    `LOCK TABLE ${tables.map(({ name }) => `public.${pg.escapeIdentifier(name)}`).join(', ')} IN ACCESS SHARE MODE`,
  );
  await refuseChangedShape(client, url);
  return tables;
}

/** A migration between the snapshot and the locks would have changed tables whose old shape the snapshot shows. */
async function refuseChangedShape(client: pg.Client, url: string): Promise<void> {
  const beside = await openClient(url, 'backup');
  try {
    const [now, then] = [await readMigrationRows(beside), await readMigrationRows(client)];
    if (JSON.stringify(now) !== JSON.stringify(then)) {
      throw new BackupError('The database was migrated while the backup began. Run it again.');
    }
  } finally {
    await beside.end();
  }
}

async function readMigrationRows(client: pg.Client): Promise<Manifest['migrations']> {
  const { rows } = await client.query<Manifest['migrations'][number]>(
    'SELECT version, name, checksum FROM schema_migrations ORDER BY version',
  );
  return rows;
}

async function readHead(client: pg.Client) {
  const { rows } = await client.query<{ at: Date; postgres: string }>(
    "SELECT now() AS at, current_setting('server_version') AS postgres",
  );
  const [row] = rows;
  if (!row) throw new Error('SELECT without FROM returned no row');
  return {
    postgres_version: row.postgres,
    snapshot_at: row.at.toISOString(),
    migrations: await readMigrationRows(client),
  };
}

/** A backup that names a key other than the one its rows are sealed with could never be used. */
async function describeKeys(
  client: pg.Client,
  tables: readonly TableShape[],
  key: BackedUpKey | undefined,
): Promise<Pick<Manifest, 'secret_key' | 'other_key_ids'>> {
  const keyId = key && createVault(key.value).keyId;
  const sealed = await readKeyIds(client, tables);
  const known = new Set([keyId, key?.previous && createVault(key.previous).keyId]);
  if (sealed.length > 0 && !sealed.some((id) => known.has(id))) {
    throw new BackupError(
      `The database holds rows that are sealed with the secret key ${sealed.join(', ')}; ` +
        `the one here is ${keyId ?? 'none'}. Run the backup with the server's own settings: the same DRYDOCK_SECRET_KEY, or the same DRYDOCK_DATA_DIR.`,
    );
  }
  if (!key || keyId === undefined) return { secret_key: null, other_key_ids: [] };
  return {
    secret_key: { key_id: keyId, sha256: key.isIncluded ? digest(key.value) : null },
    other_key_ids: sealed.filter((id) => id !== keyId),
  };
}

async function readKeyIds(client: pg.Client, tables: readonly TableShape[]): Promise<string[]> {
  const found = new Set<string>();
  for (const { name } of tables.filter(({ columns }) => columns.includes('key_id'))) {
    const { rows } = await client.query<{ key_id: string }>(
      `SELECT DISTINCT key_id FROM public.${pg.escapeIdentifier(name)} WHERE key_id IS NOT NULL`,
    );
    for (const { key_id } of rows) found.add(key_id);
  }
  return [...found];
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex');
