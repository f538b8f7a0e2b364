/** Records each download as a row, so that none waits for another; a background job sums them up. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { uuidv7 } from '../../platform/uuid.ts';

export interface Download {
  readonly organization_id: string;
  readonly version_id: string;
  readonly user_id: string;
  readonly format: string;
  readonly split: string | null;
}

/** @returns the id of the download */
export async function recordDownload(db: Db, download: Download): Promise<string> {
  const id = uuidv7();
  await db
    .insertInto('artifact_downloads')
    .values({ id, ...download })
    .execute();
  return id;
}

const BATCH = 10_000;

/** Runs in one statement, so that a reader of the count and of the uncounted rows sees each download once. */
export async function countDownloads(db: Db, batch = BATCH): Promise<number> {
  for (let all = 0; ; ) {
    const { rows } = await sql<{ count: number }>`
      WITH open AS (
        SELECT organization_id, id FROM artifact_downloads /* of every organization */
         WHERE NOT is_counted LIMIT ${batch} FOR UPDATE SKIP LOCKED),
      counted AS (
        UPDATE artifact_downloads d SET is_counted = true FROM open o
         WHERE d.organization_id = o.organization_id AND d.id = o.id
        RETURNING d.organization_id, d.version_id),
      added AS (
        UPDATE artifact_versions v SET download_count = v.download_count + c.count
          FROM (SELECT organization_id, version_id, count(*) FROM counted GROUP BY 1, 2) AS c
         WHERE v.organization_id = c.organization_id AND v.id = c.version_id)
      SELECT count(*) FROM counted
    `.execute(db);
    const counted = rows[0]?.count ?? 0;
    all += counted;
    if (counted < batch) return all;
  }
}
