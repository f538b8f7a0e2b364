/** Uploads the objects of a backup to an external S3: the way from the embedded store to one that a fleet can share. */
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type pg from 'pg';
import { mapConcurrently } from '../concurrent-map.ts';
import type { Log } from '../log.ts';
import { BlobFiles } from '../object-storage/embedded/blobs/blob-files.ts';
import { identifyDatabase } from '../object-storage/embedded/folder/database-identity.ts';
import type { ServedHeaders } from '../object-storage/embedded/stored-object.ts';
import type { ObjectStorage } from '../object-storage/object-storage.ts';
import { BackupError, type Manifest, OBJECTS_FOLDER, tableFile } from './manifest.ts';
import { loadTable } from './table-files.ts';
import { requireSame } from './verified-files.ts';

/**
 * Object in the bucket while a restore into it is in progress. It names the database: the other objects there were uploaded by that
 * restore, and may be uploaded again.
 */
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

/** Content of the mark of a restore into this database. */
export function markOf(client: pg.Client): Promise<string> {
  return identifyDatabase((statement) => client.query(statement));
}

/** The bucket must be empty, like the tables of the database: a newer object must not be replaced by an older one. */
async function markBucket(storage: ObjectStorage, mark: string): Promise<void> {
  const found = await findMark(storage);
  if (found === mark) return;
  if (found !== undefined) {
    throw new BackupError(
      `A restore of another database (${found}) into the bucket ${storage.bucket} has not ended. Nothing was restored. ` +
        'Run that again, or set S3_BUCKET to one that is empty.',
    );
  }
  for await (const { key } of storage.list('')) {
    throw new BackupError(
      `The bucket ${storage.bucket} is in use: it holds ${JSON.stringify(key)}. Nothing was restored. Set S3_BUCKET to one that is empty.`,
    );
  }
  await storage.put(MARK, Buffer.from(mark));
}

/** Removes the mark: the content of the bucket is valid from now on, and no restore replaces it any more. */
export async function unmarkBucket(storage: ObjectStorage, mark: string): Promise<void> {
  if ((await findMark(storage)) === mark) await storage.delete([MARK]);
}

async function findMark(storage: ObjectStorage): Promise<string | undefined> {
  const found = await storage.open(MARK);
  return found && text(found.body);
}

export interface Move {
  readonly client: pg.Client;
  readonly backup: { readonly folder: string; readonly manifest: Manifest };
  readonly storage: ObjectStorage;
  /** Content of this restore's mark. */
  readonly mark: string;
  readonly log: Log;
}

/** Resolves when every object is in the bucket under its key and the bucket is marked. Uploads in progress are left out. */
export async function moveObjects({ client, backup, storage, mark, log }: Move): Promise<void> {
  const { folder, manifest } = backup;
  await markBucket(storage, mark);
  const files = new BlobFiles(join(folder, OBJECTS_FOLDER));
  // The transaction only reads the rows; nothing else waits for it, however long it takes.
  await client.query(
    'BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0',
  );
  try {
    const rows = readObjects(client, folder, manifest);
    let [objects, names] = [0, 0];
    for await (const leftOut of mapConcurrently(rows, PUTS_AT_ONCE, (row) =>
      putObject(row, files, storage),
    )) {
      if (leftOut > 0) objects++;
      names += leftOut;
    }
    if (names > 0) log.warn({ objects, names }, 'metadata was left out whose names no header can have');
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

/** Characters allowed in a header name: S3 accepts metadata only as headers. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/** @returns how many names of its metadata were left out */
async function putObject(row: ObjectRow, files: BlobFiles, storage: ObjectStorage): Promise<number> {
  const { 'content-type': contentType, ...headers } = toAscii(row.headers);
  const blobs = row.blob_ids.map((id, index) => ({ id, sizeBytes: Number(row.blob_sizes[index]) }));
  const sizeBytes = blobs.reduce((sum, blob) => sum + blob.sizeBytes, 0);
  const all = Object.entries(row.metadata);
  const kept = all.filter(([name]) => TOKEN.test(name));
  const metadata = toAscii(Object.fromEntries(kept));
  try {
    await storage.put(row.key, await files.read(blobs), { sizeBytes, contentType, headers, metadata });
    return all.length - kept.length;
  } catch (cause) {
    throw new BackupError(
      `The object ${JSON.stringify(row.key)} could not be put into the bucket ${storage.bucket}: ${(cause as Error).message} ` +
        'The database holds nothing yet; run the restore again.',
      { cause },
    );
  }
}

/** Encodes non-ASCII bytes the way S3 shows them, since Node's headers have one character per byte. */
function toAscii<Texts extends object>(texts: Texts): Texts {
  const entries = Object.entries(texts).map(([name, value]: [string, string]) => [name, encode(value)]);
  return Object.fromEntries(entries) as Texts;
}

function encode(value: string): string {
  if (/^[\t\x20-\x7e]*$/.test(value)) return value;
  const bytes = Buffer.from(value, /^[^\u0100-\uffff]*$/.test(value) ? 'latin1' : 'utf8');
  return `=?UTF-8?B?${bytes.toString('base64')}?=`;
}
