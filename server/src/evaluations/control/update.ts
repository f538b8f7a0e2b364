/** Changes, pauses, resumes and cancels evaluations. */
import { sql } from 'kysely';
import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import { appendEvents } from '../../platform/events/event-log.ts';
import { isEndStatus } from '../../platform/jobs/job-kind.ts';
import { requestCancel } from '../../platform/jobs/job-row.ts';
import type { JobQueue } from '../../platform/jobs/queue.ts';
import { EVALUATION } from '../evaluation-kind.ts';
import { getEvaluation } from '../reading/store.ts';
import type { EvaluationOf } from '../schema.ts';
import { type LockedEvaluation, lockEvaluation } from './lock.ts';
import type { EvaluationUpdate } from './schema.ts';

export interface ControlOptions {
  readonly db: Db;
  readonly queue: Pick<JobQueue, 'enqueue'>;
}

export async function updateEvaluation(
  { db, queue }: ControlOptions,
  scope: WorkspaceScope,
  given: string,
  update: EvaluationUpdate,
): Promise<EvaluationOf> {
  return transactionFor(db, scope, async (trx) => {
    const before = await lockEvaluation(trx, scope, given);
    const { name, concurrency, budget_usd, tags, paused } = update;
    // The budget can be raised after the end, so that an evaluation which failed because of it can be retried.
    if (isEndStatus(before.status) && concurrency !== undefined)
      throw wrongState(before, 'the concurrency can be changed');
    const values = {
      ...(name !== undefined && { name }),
      ...(concurrency !== undefined && { concurrency }),
      ...(budget_usd !== undefined && { budget_usd }),
      ...(tags !== undefined && { tags: [...tags] }),
    };
    if (Object.keys(values).length > 0) {
      await trx
        .updateTable('evaluations')
        .set(values)
        .where('organization_id', '=', scope.organizationId)
        .where('id', '=', before.id)
        .execute();
      const { name: oldName, concurrency: oldConcurrency, budget_usd: oldBudget } = before;
      await audit(trx, scope, {
        action: 'evaluation.changed',
        resource: `evaluations/${before.id}`,
        before: { name: oldName, concurrency: oldConcurrency, budget_usd: oldBudget },
        after: values,
      });
    }
    if (paused === true) await pause(trx, scope, before);
    if (paused === false) await resume(trx, queue, scope, before);
    return getEvaluation(trx, scope, given);
  });
}

const wrongState = ({ shown_status }: LockedEvaluation, what: string) =>
  new ApiError('conflict_error', `The evaluation is ${shown_status}; only while it runs ${what}.`);

async function pause(trx: Trx, scope: WorkspaceScope, evaluation: LockedEvaluation): Promise<void> {
  if (evaluation.shown_status === 'paused') return;
  if (evaluation.status !== 'running') throw wrongState(evaluation, 'it can be paused');
  await setPaused(trx, scope.organizationId, evaluation.id, 'Paused by a user.');
  await audit(trx, scope, { action: 'evaluation.paused', resource: `evaluations/${evaluation.id}` });
}

/** Starts no more samples. After the running ones have ended, the job leaves the queue. */
export async function setPaused(trx: Trx, organizationId: string, id: string, reason: string): Promise<void> {
  const { rows } = await sql`
    UPDATE evaluations SET is_paused = true, pause_reason = ${reason}
     WHERE organization_id = ${organizationId} AND id = ${id} AND status = 'running' AND NOT is_paused RETURNING id`.execute(
    trx,
  );
  if (rows.length === 0) return;
  const data = { status: 'paused', pause_reason: reason };
  await appendEvents(trx, { organizationId, streamId: id }, [{ type: 'state', data }]);
}

async function resume(
  trx: Trx,
  queue: ControlOptions['queue'],
  { organizationId, ...scope }: WorkspaceScope,
  evaluation: LockedEvaluation,
): Promise<void> {
  const { id, status, shown_status } = evaluation;
  if (shown_status === 'running') return;
  if (shown_status !== 'paused') throw wrongState(evaluation, 'it can be paused and resumed');
  await sql`
    UPDATE evaluations SET is_paused = false, pause_reason = NULL, status = 'running'
     WHERE organization_id = ${organizationId} AND id = ${id}`.execute(trx);
  // While samples are still running, the job is in the queue, and continues by itself.
  if (status === 'paused') await queue.enqueue(trx, EVALUATION, { organizationId, id });
  await audit(
    trx,
    { ...scope, organizationId },
    { action: 'evaluation.resumed', resource: `evaluations/${id}` },
  );
  await appendEvents(trx, { organizationId, streamId: id }, [{ type: 'state', data: { status: 'running' } }]);
}

/** Running samples are stopped within seconds. */
export async function cancelEvaluation({ db }: ControlOptions, scope: WorkspaceScope, given: string) {
  return transactionFor(db, scope, async (trx) => {
    const { id } = await lockEvaluation(trx, scope, given);
    await requestCancel(trx, EVALUATION, { organizationId: scope.organizationId, id });
    await audit(trx, scope, { action: 'evaluation.cancelled', resource: `evaluations/${id}` });
    return getEvaluation(trx, scope, given);
  });
}
