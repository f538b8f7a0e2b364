/** What the embedded store would like to be rid of, for the sweeper. */
import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { CleanUp } from '../../sweeper/clean-up.ts';
import type { BlobFiles } from './blob-files.ts';
import { sweepOrphans } from './orphans.ts';
import { listRemovable } from './removal-lock.ts';

/** Who is in the middle of reading an object in parts when it is replaced has this long for the rest. */
const KEPT_MS = 5 * 60_000;
const BATCH = 1_000;

const UPLOADS_KEPT_DAYS = 7;
/** Each may have ten thousand parts. */
const UPLOADS_BATCH = 20;

interface Store {
  readonly db: Db;
  readonly files: BlobFiles;
}

export function embeddedCleanUps(store: Store): readonly CleanUp[] {
  return [
    { name: 'old uploads', run: abortOldUploads },
    { name: 'dropped blobs', run: () => removeDroppedBlobs(store) },
    { name: 'orphaned blobs', run: () => sweepOrphans(store) },
  ];
}

/**
 * The file first, then the row, so that one who is killed in between only does it again.
 * @returns how many were removed
 */
export async function removeDroppedBlobs({ db, files }: Store, minAgeMs = KEPT_MS): Promise<number> {
  for (let removed = 0; ; ) {
    const ids = await takeDropped(db, minAgeMs);
    await files.remove(ids);
    await sql`DELETE FROM dropped_blobs WHERE id = ANY (${ids}::uuid[])`.execute(db);
    removed += ids.length;
    if (ids.length < BATCH) return removed;
  }
}

function takeDropped(db: Db, minAgeMs: number): Promise<string[]> {
  return listRemovable(db, async (trx) => {
    // Noted times are rounded to milliseconds: one may lie ahead by half of that.
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM dropped_blobs
       WHERE dropped_at < statement_timestamp() - make_interval(secs => ${(minAgeMs - 1) / 1_000}::double precision)
       ORDER BY dropped_at LIMIT ${BATCH}`.execute(trx);
    return rows.map(({ id }) => id);
  });
}

async function abortOldUploads(db: Db): Promise<number> {
  for (let aborted = 0; ; ) {
    const { numAffectedRows = 0n } = await sql`
      DELETE FROM object_uploads WHERE id IN (
        SELECT id FROM object_uploads
         WHERE created_at < now() - make_interval(days => ${UPLOADS_KEPT_DAYS})
         ORDER BY created_at LIMIT ${sql.lit(UPLOADS_BATCH)} FOR UPDATE SKIP LOCKED)`.execute(db);
    aborted += Number(numAffectedRows);
    if (numAffectedRows < UPLOADS_BATCH) return aborted;
  }
}
