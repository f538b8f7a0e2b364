/** Wakes workers for rows that wait although nothing in the queue tells of them, as after a restored backup. */
import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { transaction } from '../db/transaction.ts';
import type { CleanUp } from '../sweeper/clean-up.ts';
import type { JobKind, JobRef } from './job-kind.ts';
import type { JobQueue } from './queue.ts';

const BATCH = 100;

export function wakeForgotten(queue: JobQueue, kinds: readonly JobKind[]): CleanUp {
  return {
    name: 'forgotten jobs',
    async run(db) {
      let total = 0;
      for (const kind of kinds) {
        const jobs = await findForgotten(db, kind);
        for (const job of jobs) await transaction(db, (trx) => queue.enqueue(trx, kind.kind, job));
        total += jobs.length;
      }
      return total;
    },
  };
}

/** A row and its wake-up are committed together, so a row without one has lost it. */
async function findForgotten(db: Db, { kind, table }: JobKind): Promise<JobRef[]> {
  const { rows } = await sql<JobRef>`
    SELECT organization_id AS "organizationId", id
      FROM ${sql.table(table)} AS t /* of every organization */
     WHERE status IN ('queued', 'running')
       AND NOT EXISTS (SELECT FROM pgboss.job
                        WHERE name = ${kind} AND coalesce(singleton_key, '') = t.organization_id || '/' || t.id
                          AND state <= 'active' AND policy = 'exclusive')
     LIMIT ${BATCH}
  `.execute(db);
  return rows;
}
