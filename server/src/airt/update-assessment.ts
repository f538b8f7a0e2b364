/** Changes and deletes assessments. */
import { sql } from 'kysely';
import { deleteAgentRuns } from '../evaluations/service.ts';
import { audit } from '../platform/audit/audit.ts';
import type { WorkspaceScope } from '../platform/auth/principal.ts';
import type { Db } from '../platform/db/connect.ts';
import { type Trx, transaction, transactionFor } from '../platform/db/transaction.ts';
import { ApiError } from '../platform/errors.ts';
import { appendEvents, deleteStream } from '../platform/events/event-log.ts';
import { requestCancel } from '../platform/jobs/job-row.ts';
import { ASSESSMENT_RUN } from './assessment-kind.ts';
import type { AssessmentOf, UpdateRequest } from './assessments/schema.ts';
import { getAssessment, type LockedAssessment, lockAssessment, type Place } from './assessments/store.ts';
import type { RunState } from './schema.ts';
import { materialize } from './spans/materialize.ts';

/**
 * A client that runs its assessment itself moves its status: pending → running → completed | failed. The end makes findings of the spans
 * that it has sent.
 */
export async function updateAssessment(
  db: Db,
  scope: WorkspaceScope,
  given: string,
  { name, description, status }: UpdateRequest,
): Promise<AssessmentOf> {
  return transactionFor(db, scope, async (trx) => {
    const before = await lockAssessment(trx, scope, given);
    const { id } = before;
    if (status) await moveTo(trx, scope, before, status);
    if (name || description !== undefined)
      await sql`
        UPDATE airt_assessments
           SET name = coalesce(${name ?? null}, name),
               description = CASE WHEN ${description !== undefined} THEN ${description ?? null} ELSE description END,
               updated_at = now()
         WHERE organization_id = ${scope.organizationId} AND id = ${id}`.execute(trx);
    await audit(trx, scope, {
      action: 'assessment.updated',
      resource: `airt/assessments/${id}`,
      before: { name: before.name, status: before.status },
      after: { name: name ?? before.name, status: status ?? before.status },
    });
    return getAssessment(trx, scope, id);
  });
}

const NEXT: Readonly<Record<RunState, readonly RunState[]>> = {
  pending: ['running'],
  running: ['completed', 'failed'],
  completed: [],
  failed: [],
};

async function moveTo(
  trx: Trx,
  { organizationId }: Place,
  { id, status: from, run_by }: LockedAssessment,
  to: RunState,
): Promise<void> {
  if (run_by === 'server')
    throw new ApiError(
      'conflict_error',
      'The server runs this assessment and sets its status; cancel it to end it early.',
    );
  if (!NEXT[from].includes(to)) {
    const next = NEXT[from].join(' or ');
    throw new ApiError(
      'conflict_error',
      next === ''
        ? `The assessment is ${from}, which is final; create another one.`
        : `The assessment is ${from}, and can become ${next}, not ${to}.`,
    );
  }
  if (to === 'running') {
    await sql`
      UPDATE airt_assessments SET status = 'running', run_by = 'client', started_at = now(), updated_at = now()
       WHERE organization_id = ${organizationId} AND id = ${id}`.execute(trx);
    await appendEvents(trx, { organizationId, streamId: id }, [{ type: 'assessment_start', data: {} }]);
    return;
  }
  await sql`
    UPDATE airt_assessments SET status = ${to}, completed_at = now(), updated_at = now()
     WHERE organization_id = ${organizationId} AND id = ${id}`.execute(trx);
  await materialize(trx, { organizationId, id });
  const end = { type: 'assessment_end', data: { status: to, stop_reason: null } };
  await appendEvents(trx, { organizationId, streamId: id }, [end], { close: true });
}

/** A run of the server ends as `failed` with the reason `cancelled`. Everything that was measured is kept. */
export async function cancelAssessment(db: Db, scope: WorkspaceScope, given: string): Promise<AssessmentOf> {
  return transactionFor(db, scope, async (trx) => {
    const { id, status, run_by } = await lockAssessment(trx, scope, given);
    const { organizationId } = scope;
    if (status === 'completed' || status === 'failed')
      throw new ApiError('conflict_error', `The assessment is ${status}, and cannot be cancelled.`);
    if (run_by === 'server') await requestCancel(trx, ASSESSMENT_RUN, { organizationId, id });
    else {
      await sql`
        UPDATE airt_assessments
           SET status = 'failed', stop_reason = 'cancelled', completed_at = now(), updated_at = now()
         WHERE organization_id = ${organizationId} AND id = ${id}`.execute(trx);
      if (run_by === 'client') await materialize(trx, { organizationId, id });
      const end = { type: 'assessment_end', data: { status: 'failed', stop_reason: 'cancelled' } };
      await appendEvents(trx, { organizationId, streamId: id }, [end], { close: true });
    }
    await audit(trx, scope, { action: 'assessment.cancelled', resource: `airt/assessments/${id}` });
    return getAssessment(trx, scope, id);
  });
}

/**
 * The history of its findings stays.
 * @throws {ApiError} `conflict_error` while the server runs it
 */
export async function deleteAssessment(db: Db, scope: WorkspaceScope, given: string): Promise<void> {
  await transactionFor(db, scope, async (trx) => {
    const { id, name, status, run_by } = await lockAssessment(trx, scope, given);
    if (status === 'running' && run_by === 'server')
      throw new ApiError('conflict_error', 'The assessment is running; cancel it before you delete it.');
    await deleteRows(trx, scope, id);
    await audit(trx, scope, {
      action: 'assessment.deleted',
      resource: `airt/assessments/${id}`,
      before: { name },
    });
  });
}

async function deleteRows(trx: Trx, place: Place, id: string): Promise<void> {
  const { organizationId } = place;
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM airt_findings WHERE organization_id = ${organizationId} AND assessment_id = ${id}`.execute(
    trx,
  );
  await deleteAgentRuns(
    trx,
    place,
    rows.map((finding) => finding.id),
  );
  await sql`DELETE FROM airt_assessments WHERE organization_id = ${organizationId} AND id = ${id}`.execute(
    trx,
  );
  await deleteStream(trx, { organizationId, streamId: id });
}

/** Deletes the assessments of a workspace that is about to be deleted, and the history of its findings. */
export async function deleteAllAssessments(db: Db, place: Place): Promise<void> {
  const { organizationId, workspaceId } = place;
  for (;;) {
    const isDone = await transaction(db, async (trx) => {
      const { rows } = await sql<{ id: string }>`
        SELECT id FROM airt_assessments
         WHERE organization_id = ${organizationId} AND workspace_id = ${workspaceId} LIMIT 1 FOR UPDATE`.execute(
        trx,
      );
      for (const { id } of rows) await deleteRows(trx, place, id);
      return rows.length === 0;
    });
    if (isDone) break;
  }
  await transaction(db, async (trx) => {
    // Its trigger lets rows of this workspace go.
    await sql`SELECT set_config('drydock.deleted_workspace', ${workspaceId}, true)`.execute(trx);
    await sql`
      DELETE FROM airt_finding_reviews
       WHERE organization_id = ${organizationId} AND workspace_id = ${workspaceId}`.execute(trx);
  });
}
