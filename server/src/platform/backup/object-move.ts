/** Puts the objects of a backup into an outside S3: the way from the embedded store to one that a fleet can share. */
import { join } from 'node:path';
import type pg from 'pg';
import { mapConcurrently } from '../concurrent-map.ts';
import { BlobFiles } from '../object-storage/embedded/blob-files.ts';
import type { ServedHeaders } from '../object-storage/embedded/stored-object.ts';
import type { ObjectStorage } from '../object-storage/object-storage.ts';
import { BackupError, type Manifest, OBJECTS_FOLDER, tableFile } from './manifest.ts';
import { loadTable } from './table-files.ts';
import { requireSame } from './verified-files.ts';

/** In the bucket while a restore into it is under way: what else is there was put by it, and may be put again. */
const MARK = 'drydock-restore-under-way';

const PUTS_AT_ONCE = 4;
const ROWS_AT_ONCE = 100;

interface ObjectRow {
  readonly key: string;
  readonly blob_ids: readonly string[];
  readonly blob_sizes: readonly string[];
  readonly headers: ServedHeaders;
  readonly metadata: Readonly<Record<string, string>>;
}

/** As the database has to be without rows, so has the bucket: a newer object must not be replaced by an older one. */
async function markBucket(storage: ObjectStorage): Promise<void> {
  if (await storage.find(MARK)) return;
  for await (const { key } of storage.list('')) {
    throw new BackupError(
      `The bucket ${storage.bucket} is in use: it holds ${JSON.stringify(key)}. Nothing was restored. Set S3_BUCKET to one that is empty.`,
    );
  }
  await storage.put(MARK, new Uint8Array());
}

/** From now on what is in the bucket counts, and no restore replaces it any more. */
export async function unmarkBucket(storage: ObjectStorage): Promise<void> {
  await storage.delete([MARK]);
}

/** Every object is there under its key when this returns, and the bucket is marked. Uploads under way are left out. */
export async function moveObjects(
  client: pg.Client,
  { folder, manifest }: { readonly folder: string; readonly manifest: Manifest },
  storage: ObjectStorage,
): Promise<void> {
  await markBucket(storage);
  const files = new BlobFiles(join(folder, OBJECTS_FOLDER));
  // The rows are only read here; nobody waits for this transaction, however long it takes.
  await client.query(
    'BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0',
  );
  try {
    const rows = readObjects(client, folder, manifest);
    for await (const _ of mapConcurrently(rows, PUTS_AT_ONCE, (row) => putObject(row, files, storage)));
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
  }
}

async function* readObjects(
  client: pg.Client,
  folder: string,
  manifest: Manifest,
): AsyncGenerator<ObjectRow> {
  const table = manifest.tables.find(({ name }) => name === 'stored_objects');
  if (!table) return;
  const path = tableFile(folder, table.name);
  await client.query('CREATE TEMP TABLE moving_objects (LIKE public.stored_objects)');
  requireSame(path, await loadTable(client, table, path, 'pg_temp.moving_objects'), table);
  await client.query(`
    DECLARE moving NO SCROLL CURSOR FOR
    SELECT key, blob_ids, blob_sizes, headers, metadata FROM pg_temp.moving_objects`);
  for (;;) {
    const { rows } = await client.query<ObjectRow>(`FETCH ${ROWS_AT_ONCE} FROM moving`);
    if (rows.length === 0) return;
    yield* rows;
  }
}

async function putObject(row: ObjectRow, files: BlobFiles, storage: ObjectStorage): Promise<void> {
  const { 'content-type': contentType, ...headers } = toAscii(row.headers);
  const blobs = row.blob_ids.map((id, index) => ({ id, sizeBytes: Number(row.blob_sizes[index]) }));
  const sizeBytes = blobs.reduce((sum, blob) => sum + blob.sizeBytes, 0);
  const metadata = toAscii(row.metadata);
  try {
    await storage.put(row.key, await files.read(blobs), { sizeBytes, contentType, headers, metadata });
  } catch (cause) {
    throw new BackupError(
      `The object ${JSON.stringify(row.key)} could not be put into the bucket ${storage.bucket}: ${(cause as Error).message} ` +
        'The database holds nothing yet; run the restore again.',
      { cause },
    );
  }
}

/** Headers have one character for each byte here; other bytes than those of ASCII are written as S3 shows them. */
function toAscii<Texts extends object>(texts: Texts): Texts {
  const entries = Object.entries(texts).map(([name, text]: [string, string]) => [name, encode(text)]);
  return Object.fromEntries(entries) as Texts;
}

function encode(text: string): string {
  if (/^[\t\x20-\x7e]*$/.test(text)) return text;
  const bytes = Buffer.from(text, /^[^\u0100-\uffff]*$/.test(text) ? 'latin1' : 'utf8');
  return `=?UTF-8?B?${bytes.toString('base64')}?=`;
}
