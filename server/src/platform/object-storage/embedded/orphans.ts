/** Files that nothing refers to, as a process leaves behind that is killed between writing a file and its row. */
import { rm, stat } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { Trx } from '../../db/transaction.ts';
import { type BlobFiles, SHARDS } from './blob-files.ts';
import { listRemovable } from './removal-lock.ts';

/** Twice as long as a blob may be without an owner before it is refused one. */
const MIN_AGE_MS = 60 * 60_000;
const MINUTE_MS = 60_000;
const BATCH = 1_000;

export interface SweepOptions {
  readonly minAgeMs?: number;
  /** Every folder, instead of the one whose turn it is this minute. */
  readonly all?: boolean;
}

interface Store {
  readonly db: Db;
  readonly files: BlobFiles;
}

/** @returns how many files were removed */
export async function sweepOrphans(
  { db, files }: Store,
  { minAgeMs = MIN_AGE_MS, all = false }: SweepOptions = {},
): Promise<number> {
  const turn = Math.floor(Date.now() / MINUTE_MS) % SHARDS.length;
  let removed = await removeOld(await files.listDrafts(), minAgeMs);
  for (const shard of all ? SHARDS : SHARDS.slice(turn, turn + 1)) {
    const ids = await files.listShard(shard);
    for (let start = 0; start < ids.length; start += BATCH) {
      const some = ids.slice(start, start + BATCH);
      const unowned = await listRemovable(db, (trx) => findUnowned(trx, some));
      removed += await removeOld(
        unowned.map((id) => files.pathOf(id)),
        minAgeMs,
      );
    }
  }
  return removed;
}

/** By the time of the last change to the file or its names: a link is new although its content is old. */
async function removeOld(paths: readonly string[], minAgeMs: number): Promise<number> {
  let removed = 0;
  for (const path of paths) {
    const found = await stat(path).catch(() => undefined);
    if (!found || Math.floor(found.ctimeMs) > Date.now() - minAgeMs) continue;
    await rm(path, { force: true });
    removed++;
  }
  return removed;
}

/**
 * Those of these blobs that are neither an object's nor a part's, nor noted as dropped. OFFSET 0 makes PostgreSQL look
 * each one up in its indexes, rather than go through all objects.
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
