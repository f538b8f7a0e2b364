/** Assigns a folder of objects to a database. A missing folder is on another host and must not be replaced. */
import { mkdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Db } from '../../../db/connect.ts';
import { ApiError } from '../../../errors.ts';
import { uuidv7 } from '../../../uuid.ts';
import { BlobFiles, syncFolder } from '../blobs/blob-files.ts';
import { identifyDatabase } from './database-identity.ts';
import { requireOwner } from './store-owner.ts';

export interface StoreFolderOptions {
  readonly db: Db;
  readonly dataDir: string;
}

interface Folder {
  readonly id: string;
  readonly host: string;
  readonly data_dir: string;
}

type Place = (Folder & { readonly bucket: null }) | { readonly bucket: string };

/** @returns the path of the folder, which the first call for a database creates */
export async function claimStoreFolder({ db, dataDir }: StoreFolderOptions): Promise<string> {
  const place = (await findPlace(db)) ?? (await makePlace(db, dataDir));
  if (place.bucket !== null) throw isInBucket(place.bucket);
  const folder = storeFolder(dataDir, place.id);
  if (!(await isFolder(folder))) throw isElsewhere(place, dataDir);
  await requireOwner(folder, await identifyDatabase((statement) => sql.raw(statement).execute(db)));
  return folder;
}

/** @param id the id of the store in the database */
export const storeFolder = (dataDir: string, id: string) => join(dataDir, 'objects', id);

/** A check constraint of the table ensures that it is one or the other. */
async function findPlace(db: Db): Promise<Place | undefined> {
  const row = await db
    .selectFrom('object_store')
    .select(['id', 'host', 'data_dir', 'bucket'])
    .executeTakeFirst();
  return row as Place | undefined;
}

/** Creates the folder first: a row without its folder would make every later start fail. */
async function makePlace(db: Db, dataDir: string): Promise<Place> {
  const place = { id: uuidv7(), host: hostname(), data_dir: dataDir, bucket: null };
  const folder = storeFolder(dataDir, place.id);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await new BlobFiles(folder).prepare();
  await syncFolder(join(dataDir, 'objects'));
  await syncFolder(dataDir);
  const inserted = await db
    .insertInto('object_store')
    .values(place)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted) return place;
  await rm(folder, { recursive: true, force: true });
  const winner = await findPlace(db);
  if (!winner) throw new Error('the row that was there has gone');
  return winner;
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return found?.isDirectory() ?? false;
}

function isInBucket(bucket: string): ApiError {
  return new ApiError(
    'configuration_error',
    `The objects of this database lie in the bucket ${bucket} of an S3: set S3_BUCKET and the other S3_* settings ` +
      'as they are for its other processes.\n' +
      'If nothing in that bucket is needed any more, let the database forget it: DELETE FROM object_store;',
  );
}

function isElsewhere({ id, host, data_dir }: Folder, dataDir: string): ApiError {
  return new ApiError(
    'configuration_error',
    `The objects of this database lie in ${storeFolder(data_dir, id)} of host ${host}; this process runs on host ` +
      `${hostname()} with the data directory ${dataDir}, which does not hold them.\n` +
      'Several hosts need an S3 for their objects: set S3_BUCKET, S3_ENDPOINT and the other S3_* settings on each.\n' +
      'With one host, start it where that directory is, with DRYDOCK_DATA_DIR set to it.\n' +
      'If the directory is lost and the objects with it, let the database forget them: ' +
      'TRUNCATE object_store, stored_objects, object_uploads, object_upload_parts, dropped_blobs;',
  );
}
