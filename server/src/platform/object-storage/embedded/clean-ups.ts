/** Cleanup jobs of the embedded store. */
import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import type { CleanUp } from '../../clean-up.ts';
import type { Db } from '../../db/connect.ts';
import { inBatchesOfBlobs } from './blobs/blob-batches.ts';
import { type BlobFiles, SHARDS } from './blobs/blob-files.ts';
import { sweepOrphans } from './blobs/orphans.ts';
import { listRemovable } from './blobs/removal-lock.ts';
import { abortUploads, type CountedUpload } from './uploads.ts';

/** Time for a client that reads an object in parts to read the rest after the object was replaced. */
const KEPT_MS = 5 * 60_000;
const BATCH = 1_000;

const UPLOADS_KEPT_DAYS = 7;
const UPLOADS_BATCH = 100;

interface Store {
  readonly db: Db;
  readonly files: BlobFiles;
}

export function embeddedCleanUps(store: Store): readonly CleanUp[] {
  // Each run checks the next folder, starting with a random one, so that eventually all are checked.
  let turn = randomInt(SHARDS.length);
  const nextShard = () => SHARDS[turn++ % SHARDS.length] ?? '';
  return [
    { name: 'old uploads', run: abortOldUploads },
    { name: 'dropped blobs', run: () => removeDroppedBlobs(store) },
    { name: 'orphaned blobs', run: () => sweepOrphans(store, { shards: [nextShard()] }) },
  ];
}

interface Dropped {
  readonly id: string;
  readonly dropped_at: string;
}

/**
 * Deletes the file before the row, so that a killed cleanup is just repeated. A file that cannot be removed keeps its row and does not
 * block others.
 * @returns the number of removed blobs
 */
export async function removeDroppedBlobs({ db, files }: Store, minAgeMs = KEPT_MS): Promise<number> {
  const failures: unknown[] = [];
  let all = 0;
  for (let last: Dropped | undefined; ; ) {
    const dropped = await listDropped(db, minAgeMs, last);
    const { removed, failures: some } = await files.tryRemove(dropped.map(({ id }) => id));
    await sql`DELETE FROM dropped_blobs WHERE id = ANY (${removed}::uuid[])`.execute(db);
    all += removed.length;
    failures.push(...some);
    last = dropped.at(-1);
    if (dropped.length < BATCH) break;
  }
  if (failures.length > 0) throw failures[0];
  return all;
}

/** Lists blobs after `last`, so that one that could not be removed is not returned again. */
function listDropped(db: Db, minAgeMs: number, last?: Dropped): Promise<Dropped[]> {
  return listRemovable(db, async (trx) => {
    // Stored times are rounded to milliseconds, so one may be up to half a millisecond ahead.
    const { rows } = await sql<Dropped>`
      SELECT id, dropped_at FROM dropped_blobs
       WHERE dropped_at < statement_timestamp() - make_interval(secs => ${(minAgeMs - 1) / 1_000}::double precision)
         AND (dropped_at, id) > (${last?.dropped_at ?? '-infinity'}::timestamptz, ${last?.id ?? NO_ID}::uuid)
       ORDER BY dropped_at, id LIMIT ${BATCH}`.execute(trx);
    return rows;
  });
}

const NO_ID = '00000000-0000-0000-0000-000000000000';

async function abortOldUploads(db: Db): Promise<number> {
  for (let aborted = 0; ; ) {
    const { rows } = await sql<CountedUpload>`
      SELECT u.id, (SELECT count(*) FROM object_upload_parts p WHERE p.upload_id = u.id) AS blobs
        FROM object_uploads u
       WHERE created_at < now() - make_interval(days => ${UPLOADS_KEPT_DAYS})
       ORDER BY created_at LIMIT ${UPLOADS_BATCH}`.execute(db);
    for (const some of inBatchesOfBlobs(rows)) aborted += await abortUploads(db, some);
    if (rows.length < UPLOADS_BATCH) return aborted;
  }
}
