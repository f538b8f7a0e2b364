/** Wakes workers for rows that wait without a wake-up in the queue, as after a restored backup. */
import { sql } from 'kysely';
import type { CleanUp } from '../clean-up.ts';
import type { Db } from '../db/connect.ts';
import { transaction } from '../db/transaction.ts';
import type { JobKind, JobRef } from './job-kind.ts';
import type { JobQueue } from './queue.ts';

const PAGE = 1_000;

export function wakeForgotten(queue: JobQueue, kinds: readonly JobKind[]): CleanUp {
  return {
    name: 'forgotten jobs',
    async run(db) {
      let woken = 0;
      for (const kind of kinds) {
        for (let page = await readWaiting(db, kind, FIRST); ; ) {
          const forgotten = page.filter(({ isWoken }) => !isWoken);
          await transaction(db, async (trx) => {
            for (const job of forgotten) await queue.enqueue(trx, kind, job);
          });
          woken += forgotten.length;
          const last = page.at(-1);
          if (!last || page.length < PAGE) break;
          page = await readWaiting(db, kind, last);
        }
      }
      return woken;
    },
  };
}

interface Waiting extends JobRef {
  readonly isWoken: boolean;
}

const NIL = '00000000-0000-0000-0000-000000000000';
const FIRST: JobRef = { organizationId: NIL, id: NIL };

/**
 * A row and its wake-up are committed together, so a row without one has lost it. Reads page by page, with one look-up in the queue's index
 * per row: the planner has poor statistics for a queue that was empty a moment ago.
 */
async function readWaiting(db: Db, { kind, table }: JobKind, after: JobRef): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    WITH waiting AS MATERIALIZED (
      SELECT organization_id, id FROM ${sql.table(table)} /* of every organization */
       WHERE status IN ('queued', 'running') AND (organization_id, id) > (${after.organizationId}, ${after.id})
       ORDER BY organization_id, id LIMIT ${PAGE}
    )
    SELECT w.organization_id AS "organizationId", w.id, woken.job IS NOT NULL AS "isWoken"
      FROM waiting w
      LEFT JOIN LATERAL (
        SELECT j.id AS job FROM pgboss.job j
         WHERE j.name = ${kind} AND coalesce(j.singleton_key, '') = w.organization_id || '/' || w.id
           AND j.state <= 'active' AND j.policy = 'exclusive'
         LIMIT 1
      ) woken ON true
     ORDER BY w.organization_id, w.id
  `.execute(db);
  return rows;
}
