/** Copies the content that the rows of a snapshot refer to, while servers write, replace and delete objects. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type pg from 'pg';
import { mapConcurrently } from '../concurrent-map.ts';
import { BlobFiles } from '../object-storage/embedded/blobs/blob-files.ts';
import { storeFolder } from '../object-storage/embedded/folder/store-folder.ts';
import { copyDurably } from './digests.ts';
import { BackupError, type Manifest, OBJECT_LIST_FILE, OBJECTS_FOLDER } from './manifest.ts';
import { type ListedBlob, writeObjectList } from './object-list.ts';

const COPIES_AT_ONCE = 16;
const ROWS_AT_ONCE = 1_000;

interface OwnedBlob {
  readonly id: string;
  readonly sizeBytes: number;
  /** Key of the object or upload that refers to the blob. */
  readonly key: string;
}

/**
 * @param client a connection in the snapshot, during which nothing that it refers to can be removed
 * @param dataDir where the content is, unless the database names a bucket
 */
export async function backUpObjects(
  client: pg.Client,
  dataDir: string,
  draft: string,
): Promise<Manifest['objects']> {
  const { rows } = await client.query<{ id: string | null; bucket: string | null }>(
    'SELECT id, bucket FROM object_store',
  );
  // If there is no row, no server has been started yet, and there are no objects.
  const { id = null, bucket = null } = rows[0] ?? {};
  if (bucket !== null) return { store: 's3', bucket };
  const store = new BlobFiles(storeFolder(dataDir, id ?? 'none'));
  const copies = new BlobFiles(join(draft, OBJECTS_FOLDER));
  await mkdir(copies.folder, { mode: 0o700 });
  const copied = mapConcurrently(readBlobs(client), COPIES_AT_ONCE, (blob) => copyBlob(blob, store, copies));
  const written = await writeObjectList(join(draft, OBJECT_LIST_FILE), copied);
  return { store: 'embedded', ...written };
}

/** A blob has one owner; one without bytes has no file. */
async function* readBlobs(client: pg.Client): AsyncGenerator<OwnedBlob> {
  await client.query(`
    DECLARE blobs NO SCROLL CURSOR FOR
    SELECT o.key, b.id, b.size_bytes FROM stored_objects o, unnest(o.blob_ids, o.blob_sizes) AS b (id, size_bytes)
     WHERE b.size_bytes > 0
    UNION ALL
    SELECT u.key, p.blob_id, p.size_bytes FROM object_upload_parts p JOIN object_uploads u ON u.id = p.upload_id
     WHERE p.size_bytes > 0`);
  for (;;) {
    const { rows } = await client.query<{ key: string; id: string; size_bytes: string }>(
      `FETCH ${ROWS_AT_ONCE} FROM blobs`,
    );
    if (rows.length === 0) return;
    for (const { key, id, size_bytes } of rows) yield { key, id, sizeBytes: Number(size_bytes) };
  }
}

async function copyBlob(blob: OwnedBlob, store: BlobFiles, copies: BlobFiles): Promise<ListedBlob> {
  const [from, to] = [store.pathOf(blob.id), copies.pathOf(blob.id)];
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const digest = await copyDurably(from, to).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' && cause.path === from) throw lost(blob, `${from} is missing`, cause);
    throw cause;
  });
  if (digest.bytes !== blob.sizeBytes)
    throw lost(blob, `${from} holds ${digest.bytes} bytes instead of ${blob.sizeBytes}`);
  return { id: blob.id, ...digest };
}

function lost({ key }: OwnedBlob, what: string, cause?: Error): BackupError {
  return new BackupError(
    `The content of the object ${JSON.stringify(key)} is not whole: ${what}. ` +
      'Run the backup where the server runs, with its settings; if the file is lost, put the object anew or delete it. Nothing was backed up.',
    { cause },
  );
}
