/** Removes what training leaves behind: uploads that were never completed, trainers that are gone, served models that were deleted. */
import { sql } from 'kysely';
import type { CleanUp } from '../platform/clean-up.ts';
import type { Db } from '../platform/db/connect.ts';
import { transaction } from '../platform/db/transaction.ts';
import { abandonPrefix } from '../platform/object-storage/abandoned-prefixes.ts';
import { type Checkpoint, prefixOf } from './checkpoint-store.ts';
import { lostTrainers } from './job-state.ts';

const BATCH = 100;

export const trainingCleanUps: readonly CleanUp[] = [
  lostTrainers,
  { name: 'incomplete checkpoints', run: forgetIncompleteCheckpoints },
  { name: 'trainers that are gone', run: forgetWorkers },
  { name: 'served models that were deleted', run: forgetDeletedModels },
];

/**
 * Forgets checkpoints whose upload was not completed by the attempt that announced them: no other attempt can complete them. Complete
 * checkpoints stay, because all of them can be published later.
 */
async function forgetIncompleteCheckpoints(db: Db): Promise<number> {
  for (let forgotten = 0; ; ) {
    const count = await transaction(db, async (trx) => {
      const { rows } = await sql<Pick<Checkpoint, 'files'> & { organization_id: string }>`
        WITH old AS (
          SELECT c.organization_id, c.job_id, c.step, c.attempt
            FROM training_checkpoints AS c /* of every organization */
            JOIN training_jobs AS j ON j.organization_id = c.organization_id AND j.id = c.job_id
           WHERE c.completed_at IS NULL AND (j.status <> 'running' OR j.attempt <> c.attempt)
           LIMIT ${BATCH} FOR UPDATE OF c SKIP LOCKED)
        DELETE FROM training_checkpoints AS c USING old
         WHERE c.organization_id = old.organization_id AND c.job_id = old.job_id AND c.step = old.step AND c.attempt = old.attempt
        RETURNING c.organization_id, c.files`.execute(trx);
      for (const { organization_id, files } of rows)
        await abandonPrefix(trx, organization_id, prefixOf(files));
      return rows.length;
    });
    forgotten += count;
    if (count < BATCH) return forgotten;
  }
}

/** A trainer asks for jobs several times a minute, except while it has one. */
async function forgetWorkers(db: Db): Promise<number> {
  for (let forgotten = 0; ; ) {
    const { numAffectedRows = 0n } = await sql`
      WITH old AS (
        SELECT w.organization_id, w.workspace_id, w.name FROM training_workers AS w /* of every organization */
         WHERE w.seen_at < now() - interval '1 day'
           AND NOT EXISTS (SELECT FROM training_jobs AS j
                            WHERE j.organization_id = w.organization_id AND j.workspace_id = w.workspace_id
                              AND j.status = 'running' AND j.worker = w.name)
         LIMIT ${BATCH} FOR UPDATE OF w SKIP LOCKED)
      DELETE FROM training_workers AS w USING old
       WHERE w.organization_id = old.organization_id AND w.workspace_id = old.workspace_id AND w.name = old.name`.execute(
      db,
    );
    forgotten += Number(numAffectedRows);
    if (numAffectedRows < BATCH) return forgotten;
  }
}

/** Nobody sees or calls them any more: only their rows are left. */
async function forgetDeletedModels(db: Db): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM served_models AS s /* of every organization */
     USING artifact_versions AS v
     WHERE v.organization_id = s.organization_id AND v.id = s.version_id AND v.deleted_at IS NOT NULL`.execute(
    db,
  );
  return Number(numAffectedRows);
}
