/** Orphaned files, which a process leaves when it is killed between writing a file and its row. */
import type { Stats } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Db } from '../../../db/connect.ts';
import type { Trx } from '../../../db/transaction.ts';
import { uuidTime } from '../../../uuid.ts';
import { type BlobFiles, isMissing, SHARDS } from './blob-files.ts';
import { listRemovable } from './removal-lock.ts';

/** Twice the time after which a blob is refused an owner. */
const MIN_AGE_MS = 60 * 60_000;
const BATCH = 1_000;

export interface SweepOptions {
  readonly minAgeMs?: number;
  /** Folders to check; defaults to all. */
  readonly shards?: readonly string[];
}

interface Store {
  readonly db: Db;
  readonly files: BlobFiles;
}

/**
 * A file that cannot be removed does not block the others.
 * @returns the number of removed files
 */
export async function sweepOrphans(
  { db, files }: Store,
  { minAgeMs = MIN_AGE_MS, shards = SHARDS }: SweepOptions = {},
): Promise<number> {
  const removal = new OldFileRemoval(minAgeMs);
  for (const path of await files.listDrafts()) await removal.remove(path, draftTime);
  for (const shard of shards) {
    const ids = await files.listShard(shard);
    for (let start = 0; start < ids.length; start += BATCH) {
      const some = ids.slice(start, start + BATCH);
      const unowned = await listRemovable(db, (trx) => findUnowned(trx, some));
      for (const id of unowned) await removal.remove(files.pathOf(id), blobTime(id));
    }
  }
  if (removal.failures.length > 0) throw removal.failures[0];
  return removal.removed;
}

type TimeOf = (file: Stats) => number;

/** Time of the last change. */
const draftTime: TimeOf = ({ ctimeMs }) => ctimeMs;

/**
 * The id tells the age of the name, but the content may be younger: that of a restored file. The ctime is unsuitable, because it changes
 * with every other link that is created or removed.
 */
const blobTime =
  (id: string): TimeOf =>
  ({ mtimeMs }) =>
    Math.max(uuidTime(id), mtimeMs);

class OldFileRemoval {
  removed = 0;
  readonly failures: unknown[] = [];
  private readonly minAgeMs: number;

  constructor(minAgeMs: number) {
    this.minAgeMs = minAgeMs;
  }

  async remove(path: string, timeOf: TimeOf): Promise<void> {
    try {
      const time = timeOf(await stat(path));
      if (Math.floor(time) > Date.now() - this.minAgeMs) return;
      await rm(path);
      this.removed++;
    } catch (error) {
      if (!isMissing(error)) this.failures.push(error);
    }
  }
}

/**
 * Returns blobs that belong to no object or part and are not recorded as dropped. OFFSET 0 makes PostgreSQL look up each one by index
 * instead of scanning all objects.
 */
async function findUnowned(trx: Trx, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT file.id FROM unnest(${ids}::uuid[]) AS file (id)
     WHERE NOT EXISTS (SELECT FROM stored_objects
                        WHERE cardinality(blob_ids) = 1 AND blob_ids[1] = file.id OFFSET 0)
       AND NOT EXISTS (SELECT FROM stored_objects
                        WHERE cardinality(blob_ids) > 1 AND blob_ids @> ARRAY[file.id] OFFSET 0)
       AND NOT EXISTS (SELECT FROM object_upload_parts WHERE blob_id = file.id OFFSET 0)
       AND NOT EXISTS (SELECT FROM dropped_blobs WHERE dropped_blobs.id = file.id OFFSET 0)`.execute(trx);
  return rows.map(({ id }) => id);
}
