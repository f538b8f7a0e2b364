/** Deletes evaluations, and lets their sessions be deleted like any other. */
import { sql } from 'kysely';
import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transaction, transactionFor } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import { deleteStream } from '../../platform/events/event-log.ts';
import { isEndStatus } from '../../platform/jobs/job-kind.ts';
import { unpinVersions } from '../../registry/service.ts';
import { releaseEvaluation } from '../../sessions/service.ts';
import type { Place } from '../reading/store.ts';
import { lockEvaluation } from './lock.ts';

/** @throws {ApiError} `conflict_error` for an evaluation that has not ended */
export async function deleteEvaluation(db: Db, scope: WorkspaceScope, given: string): Promise<void> {
  await transactionFor(db, scope, async (trx) => {
    const { id, name, status, shown_status } = await lockEvaluation(trx, scope, given);
    if (!isEndStatus(status))
      throw new ApiError(
        'conflict_error',
        `The evaluation is ${shown_status}; cancel it before you delete it.`,
      );
    await deleteRows(trx, scope, id);
    await audit(trx, scope, {
      action: 'evaluation.deleted',
      resource: `evaluations/${id}`,
      before: { name },
    });
  });
}

/** Deletes all evaluations of a workspace that is about to be deleted. A worker that runs one finds its row gone, and ends. */
export async function deleteAllEvaluations(db: Db, place: Place): Promise<void> {
  for (;;) {
    const isDone = await transaction(db, async (trx) => {
      const { rows } = await sql<{ id: string }>`
        SELECT id FROM evaluations
         WHERE organization_id = ${place.organizationId} AND workspace_id = ${place.workspaceId} LIMIT 1 FOR UPDATE`.execute(
        trx,
      );
      for (const { id } of rows) await deleteRows(trx, place, id);
      return rows.length === 0;
    });
    if (isDone) return;
  }
}

/** Deletes the runs of agents that belong to these red-team findings. Their sessions are deleted like any other. */
export async function deleteAgentRuns(trx: Trx, place: Place, findingIds: readonly string[]): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM evaluations
     WHERE organization_id = ${place.organizationId} AND airt_finding_id = ANY (${[...findingIds]}::uuid[]) ORDER BY id FOR UPDATE`.execute(
    trx,
  );
  for (const { id } of rows) await deleteRows(trx, place, id);
}

async function deleteRows(trx: Trx, place: Place, id: string): Promise<void> {
  const { organizationId } = place;
  const { rows: tasks } = await sql<{ ownerId: string; versionId: string }>`
    SELECT DISTINCT owner_id AS "ownerId", version_id AS "versionId" FROM evaluation_tasks
     WHERE organization_id = ${organizationId} AND evaluation_id = ${id}`.execute(trx);
  const { rows: groups } = await sql<{ id: string }>`
    SELECT attempt_id AS id FROM evaluation_items
     WHERE organization_id = ${organizationId} AND evaluation_id = ${id} AND attempt_id IS NOT NULL
    UNION ALL
    SELECT a.id FROM evaluation_items AS i
      JOIN evaluation_item_attempts AS a ON a.organization_id = i.organization_id AND a.item_id = i.id
     WHERE i.organization_id = ${organizationId} AND i.evaluation_id = ${id}`.execute(trx);
  await releaseEvaluation(
    trx,
    place,
    groups.map((group) => group.id),
  );
  await unpinVersions(trx, tasks, id);
  await trx
    .deleteFrom('evaluations')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
  await deleteStream(trx, { organizationId, streamId: id });
}
