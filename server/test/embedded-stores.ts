/** An embedded object store with a database and a folder of its own. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { sql } from 'kysely';
import { inject } from 'vitest';
import { connect, type Db } from '../src/platform/db/connect.ts';
import { createLog } from '../src/platform/log.ts';
import type { Range } from '../src/platform/object-storage/embedded/blobs/blob-files.ts';
import { EmbeddedStore } from '../src/platform/object-storage/embedded/embedded-store.ts';
import { createDatabase } from './databases.ts';
import { atEndOfFile } from './end-of-file.ts';

export interface TestStore {
  readonly store: EmbeddedStore;
  readonly db: Db;
  readonly url: string;
  readonly folder: string;
}

/** Closes when the test file ends. */
export async function createTestStore(): Promise<TestStore> {
  const database = await createDatabase(inject('databaseUrl'));
  const db = connect({ url: database.url, poolSize: 8, namedStatements: true, log: createLog('fatal') });
  const folder = mkdtempSync(join(tmpdir(), 'drydock-objects-'));
  const store = new EmbeddedStore({ db, folder });
  await store.files.prepare();
  atEndOfFile(async () => {
    await db.destroy();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });
  return { store, db, url: database.url, folder };
}

export const putText = (store: EmbeddedStore, key: string, text = key) =>
  store.putObject({ key, body: [Buffer.from(text)], headers: {}, metadata: {} });

export async function readObject(store: EmbeddedStore, key: string, range?: Range) {
  const found = await store.openObject(key, () => range);
  return found && (Buffer.isBuffer(found.body) ? found.body : buffer(found.body));
}

export interface BlobAccount {
  /** Files on disk that have no owner. */
  readonly orphans: string[];
  /** Blobs of an object or a part that are not on disk. */
  readonly missing: string[];
  /** Blobs with more than one owner; a record of dropped blobs counts as an owner. */
  readonly doubled: string[];
  readonly drafts: string[];
  /** Number of blobs recorded as dropped. */
  readonly dropped: number;
}

/** Accounts for the owner of every blob and whether its file exists. */
export async function accountForBlobs({
  db,
  folder,
}: Pick<TestStore, 'db' | 'folder'>): Promise<BlobAccount> {
  const { rows } = await sql<{ id: string; is_dropped: boolean }>`
    SELECT unnest(blob_ids) AS id, false AS is_dropped FROM stored_objects
    UNION ALL SELECT blob_id, false FROM object_upload_parts WHERE size_bytes > 0
    UNION ALL SELECT id, true FROM dropped_blobs`.execute(db);
  const owned = new Set(rows.map(({ id }) => id));
  const files = new Set(listFiles(folder));
  const live = rows.filter(({ is_dropped }) => !is_dropped);
  return {
    orphans: [...files].filter((id) => !owned.has(id)),
    missing: live.map(({ id }) => id).filter((id) => !files.has(id)),
    doubled: rows.map(({ id }) => id).filter((id, index, all) => all.indexOf(id) !== index),
    drafts: readdirSync(join(folder, 'incoming')),
    dropped: rows.length - live.length,
  };
}

export function listFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .flatMap((name) => readdirSync(join(folder, name)));
}

/** Expected result without problems, however many blobs are recorded as dropped. */
export const IN_ORDER = { orphans: [], missing: [], doubled: [], drafts: [] };
