/** Restores the content of a backup into the embedded store of a database that is still empty. */
import { access, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type pg from 'pg';
import { mapConcurrently } from '../concurrent-map.ts';
import { connect } from '../db/connect.ts';
import type { Log } from '../log.ts';
import { BlobFiles } from '../object-storage/embedded/blobs/blob-files.ts';
import { identifyDatabase } from '../object-storage/embedded/folder/database-identity.ts';
import { claimStoreFolder, storeFolder } from '../object-storage/embedded/folder/store-folder.ts';
import { findOwner } from '../object-storage/embedded/folder/store-owner.ts';
import { copyDurably, digestFile } from './digests.ts';
import { syncFolders } from './draft-folder.ts';
import { type BackedUpObjects, OBJECT_LIST_FILE, OBJECTS_FOLDER } from './manifest.ts';
import { type ListedBlob, readObjectList } from './object-list.ts';
import { damaged, requireFile, requireSame } from './verified-files.ts';

const FILES_AT_ONCE = 16;

/** Verifies the files; changes nothing. */
export async function verifyObjects(folder: string, expected: BackedUpObjects): Promise<void> {
  const list = join(folder, OBJECT_LIST_FILE);
  requireSame(list, await requireFile(list, digestFile(list)), expected.list);
  const files = new BlobFiles(join(folder, OBJECTS_FOLDER));
  await forEachBlob(folder, expected, async (blob) => {
    const path = files.pathOf(blob.id);
    requireSame(path, await requireFile(path, digestFile(path)), blob);
  });
}

export interface StorePlace {
  readonly url: string;
  readonly log: Log;
  readonly dataDir: string;
}

/**
 * Records in the database where its content lies from now on. No row refers to any of it yet: if the restore is killed, its files have no
 * owner, and the next restore or the clean-ups of a started server remove them.
 */
export async function claimFolder({ url, log, dataDir }: StorePlace): Promise<string> {
  const db = connect({ url, poolSize: 1, namedStatements: false, log });
  try {
    return await claimStoreFolder({ db, dataDir });
  } finally {
    await db.destroy();
  }
}

/** Resolves when all content is on disk. */
export async function copyObjects(folder: string, objects: BackedUpObjects, target: string): Promise<void> {
  const store = new BlobFiles(target);
  const copies = new BlobFiles(join(folder, OBJECTS_FOLDER));
  await forEachBlob(folder, objects, async (blob) => {
    const [from, to] = [copies.pathOf(blob.id), store.pathOf(blob.id)];
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    requireSame(from, await requireFile(from, copyDurably(from, to)), blob);
  });
  await syncFolders(store.folder);
}

/**
 * Clears the recorded location of the store in a database without objects. A killed restore leaves such a record, with files that have no
 * owner. A folder of another database, of which this one is a copy, stays.
 * @param dataDir where the folder is looked for first: the directory may have been moved or copied since it was recorded
 */
export async function clearStore(client: pg.Client, dataDir?: string): Promise<void> {
  const { rows } = await client.query<{ id: string | null; data_dir: string | null }>(`
    SELECT id, data_dir FROM object_store
     WHERE NOT EXISTS (SELECT FROM stored_objects) AND NOT EXISTS (SELECT FROM object_upload_parts)`);
  for (const { id, data_dir } of rows) {
    // The folder can be found again as long as the record names it.
    if (id && data_dir) await removeOwn(await findFolder(id, dataDir, data_dir), client);
    await client.query('DELETE FROM object_store');
  }
}

async function findFolder(id: string, dataDir: string | undefined, recorded: string): Promise<string> {
  const here = storeFolder(dataDir ?? recorded, id);
  const isHere = await access(here).then(
    () => true,
    () => false,
  );
  return isHere ? here : storeFolder(recorded, id);
}

async function removeOwn(folder: string, client: pg.Client): Promise<void> {
  const owner = await findOwner(folder);
  const identity = await identifyDatabase((statement) => client.query(statement));
  if (owner === undefined || owner === identity) await rm(folder, { recursive: true, force: true });
}

/** Visits every blob of the list, and checks that there are as many as the manifest says. */
async function forEachBlob(
  folder: string,
  expected: BackedUpObjects,
  work: (blob: ListedBlob) => Promise<void>,
): Promise<void> {
  const list = join(folder, OBJECT_LIST_FILE);
  let [files, bytes] = [0, 0];
  const worked = mapConcurrently(readObjectList(list), FILES_AT_ONCE, async (blob) => {
    await work(blob);
    return blob;
  });
  for await (const blob of worked) {
    files++;
    bytes += blob.bytes;
  }
  if (files !== expected.files || bytes !== expected.bytes) throw damaged(list);
}
