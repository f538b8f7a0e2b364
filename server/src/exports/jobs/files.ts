/**
 * Location of export files: each attempt writes its own, so that none overwrites another's, and only the row of a completed export names
 * one. Files of other attempts, and files that can no longer be requested, are deleted with everything under the same prefix.
 */
import { sql } from 'kysely';
import type { CleanUp } from '../../platform/clean-up.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import type { EndStatus, JobRef } from '../../platform/jobs/job-kind.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { EXPORTS_PREFIX } from '../../platform/object-storage/prefixes.ts';

export const LINK_HOURS = 24;
/** Time for downloads that started just before the link expired. */
const READING_HOURS = 1;
/** Longer than an attempt takes: an attempt presumed dead may write a file after another has ended the export. */
const ATTEMPT_HOURS = 2;
/** Seconds for which a process exclusively sweeps an export; after that, another may try. */
const LEASE_SECONDS = 600;

export const prefixOf = ({ organizationId, id }: JobRef) => `${EXPORTS_PREFIX}${organizationId}/${id}/`;

export const keyOf = (job: JobRef, attempt: number) => `${prefixOf(job)}${attempt}.parquet`;

/** Returns the keys that earlier attempts may have written. */
export const earlierKeys = (job: JobRef, attempt: number) =>
  Array.from({ length: attempt - 1 }, (_, index) => keyOf(job, index + 1));

/** Runs in the transaction that ends an export, after its row was updated. */
export async function orderSweep(trx: Trx, { organizationId, id }: JobRef, status: EndStatus): Promise<void> {
  const hours = status === 'completed' ? LINK_HOURS + READING_HOURS : ATTEMPT_HOURS;
  await sql`
    UPDATE exports SET sweep_at = now() + make_interval(hours => ${hours})
     WHERE organization_id = ${organizationId} AND id = ${id} AND attempt > 0`.execute(trx);
}

interface Claimed {
  readonly organization_id: string;
  readonly id: string;
  /** The time that the claim has set. */
  readonly sweep_at: string;
}

/** A failing sweep does not block the others, because claiming it postpones its next turn. */
export function exportFiles(storage: Pick<ObjectStorage, 'deleteUnder'>): CleanUp {
  return {
    name: 'files of exports',
    async run(db) {
      const failures: unknown[] = [];
      for (let count = 0; ; count++) {
        const claimed = await claim(db);
        if (!claimed && failures.length > 0) throw failures[0];
        if (!claimed) return count;
        await sweep(db, storage, claimed).catch((error: unknown) => failures.push(error));
      }
    },
  };
}

async function claim(db: Db): Promise<Claimed | undefined> {
  const { rows } = await sql<Claimed>`
    UPDATE exports AS e /* of every organization */
       SET sweep_at = now() + make_interval(secs => ${LEASE_SECONDS})
      FROM (SELECT organization_id, id FROM exports WHERE sweep_at <= now()
             ORDER BY sweep_at LIMIT 1 FOR UPDATE SKIP LOCKED) AS due
     WHERE e.organization_id = due.organization_id AND e.id = due.id
    RETURNING e.organization_id, e.id, e.sweep_at`.execute(db);
  return rows[0];
}

async function sweep(
  db: Db,
  storage: Pick<ObjectStorage, 'deleteUnder'>,
  { organization_id, id, sweep_at }: Claimed,
): Promise<void> {
  await storage.deleteUnder(prefixOf({ organizationId: organization_id, id }));
  await db
    .updateTable('exports')
    .set({ object_key: null, sweep_at: null })
    .where('organization_id', '=', organization_id)
    .where('id', '=', id)
    .where('sweep_at', '=', sweep_at)
    .execute();
}
