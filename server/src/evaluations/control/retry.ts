/** Runs samples again, which reopens an evaluation that has ended, and cancels single samples. */
import { sql } from 'kysely';
import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import { isEndStatus, type JobRef } from '../../platform/jobs/job-kind.ts';
import { archiveAttempts, NO_OUTCOME } from '../attempt-columns.ts';
import { EVALUATION } from '../evaluation-kind.ts';
import { countChanges, END_STATES, type ItemState } from '../item-states.ts';
import { FROM, getItem } from '../reading/items.ts';
import { getEvaluation } from '../reading/store.ts';
import type { EvaluationItemOf, EvaluationOf } from '../schema.ts';
import { type LockedEvaluation, lockEvaluation } from './lock.ts';
import type { RETRIED_STATES } from './schema.ts';
import type { ControlOptions } from './update.ts';

/** Runs all samples again that ended in one of these states. Without such samples it changes nothing. */
export async function retryFailed(
  options: ControlOptions,
  scope: WorkspaceScope,
  given: string,
  states: readonly (typeof RETRIED_STATES)[number][],
): Promise<EvaluationOf> {
  return transactionFor(options.db, scope, async (trx) => {
    const evaluation = requireRetryable(await lockEvaluation(trx, scope, given));
    const count = await requeue(
      trx,
      scope.organizationId,
      evaluation.id,
      sql`i.status = ANY (${[...states]}::text[])`,
    );
    if (count > 0) await reopen(trx, options, scope, evaluation, { states, count });
    return getEvaluation(trx, scope, given);
  });
}

/** @throws {ApiError} `conflict_error` for a sample that has not ended */
export async function retryItem(
  options: ControlOptions,
  scope: WorkspaceScope,
  given: string,
  item: string,
): Promise<EvaluationItemOf> {
  return transactionFor(options.db, scope, async (trx) => {
    const evaluation = requireRetryable(await lockEvaluation(trx, scope, given));
    const { id, item_status } = await getItem(trx, scope, given, item);
    const count = await requeue(trx, scope.organizationId, evaluation.id, sql`i.id = ${id}`);
    if (count === 0)
      throw new ApiError(
        'conflict_error',
        `The sample is ${item_status}; only a sample that has ended can run again.`,
      );
    await reopen(trx, options, scope, evaluation, { states: [item_status], count });
    return getItem(trx, scope, given, item);
  });
}

/**
 * Refuses a retry while the evaluation is being cancelled, since the queued sample would be cancelled and lose its result, and for a check
 * of a gate, which samples that are run until they pass would open.
 */
function requireRetryable(evaluation: LockedEvaluation): LockedEvaluation {
  if (evaluation.gate_check_id !== null)
    throw new ApiError(
      'conflict_error',
      `The evaluation belongs to check ${evaluation.gate_check_id} of a gate, and its results stay as they are. Check again instead.`,
    );
  if (!evaluation.is_cancelling) return evaluation;
  throw new ApiError('conflict_error', 'The evaluation is being cancelled; retry when it has ended.');
}

interface Requeued {
  readonly id: string;
  readonly position: number;
  readonly status: ItemState;
  readonly score: number | null;
}

/**
 * Archives the last attempts of items that have ended, and queues the items again.
 * @returns how many there were
 */
export async function requeue(
  trx: Trx,
  organizationId: string,
  evaluationId: string,
  which: ReturnType<typeof sql>,
): Promise<number> {
  const { rows } = await sql<Requeued>`
    SELECT i.id, i.position, i.status, i.score FROM evaluation_items AS i
     WHERE i.organization_id = ${organizationId} AND i.evaluation_id = ${evaluationId}
       AND i.status = ANY (${[...END_STATES]}::text[]) AND ${which}
     ORDER BY i.id FOR UPDATE`.execute(trx);
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  await archiveAttempts(trx, organizationId, ids);
  await sql`
    UPDATE evaluation_items
       SET status = 'queued', job_attempt = 0, retry_count = 0, queued_at = now(), cancel_requested_at = NULL, ${NO_OUTCOME}
     WHERE organization_id = ${organizationId} AND id = ANY (${ids}::uuid[])`.execute(trx);
  const changes = rows.map(({ id, position, status, score }) => ({
    id,
    position,
    from: status,
    to: 'queued' as const,
    scoreSum: -(score ?? 0),
    scoredCount: score === null ? 0 : -1,
  }));
  await countChanges(trx, { organizationId, evaluationId }, changes);
  return rows.length;
}

/** Queues the job of an evaluation that has ended. One that runs or is paused picks the samples up by itself. */
async function reopen(
  trx: Trx,
  { queue }: ControlOptions,
  scope: WorkspaceScope,
  evaluation: LockedEvaluation,
  retried: { readonly states: readonly string[]; readonly count: number },
): Promise<void> {
  const { organizationId } = scope;
  const { id } = evaluation;
  if (isEndStatus(evaluation.status)) await enqueueAgain(trx, queue, { organizationId, id });
  const after = { states: retried.states, sample_count: retried.count };
  await audit(trx, scope, { action: 'evaluation.retried', resource: `evaluations/${id}`, after });
}

/** Queues an evaluation that has ended. */
export async function enqueueAgain(trx: Trx, queue: ControlOptions['queue'], job: JobRef): Promise<void> {
  await sql`
    UPDATE evaluations
       SET status = 'queued', error = NULL, stop_reason = NULL, completed_at = NULL, cancel_requested_at = NULL,
           checkpoint = NULL, analytics_snapshot = NULL
     WHERE organization_id = ${job.organizationId} AND id = ${job.id}`.execute(trx);
  await queue.enqueue(trx, EVALUATION, job);
}

/** A sample that waits ends at once. One that a worker has claimed, also between two attempts, ends within seconds. */
export async function cancelItem(
  { db }: ControlOptions,
  scope: WorkspaceScope,
  given: string,
  item: string,
): Promise<EvaluationItemOf> {
  return transactionFor(db, scope, async (trx) => {
    const { id: evaluationId } = await lockEvaluation(trx, scope, given);
    const { organizationId } = scope;
    const { id, position, item_status } = await getItem(trx, scope, given, item);
    const { rows } = await sql<{ status: ItemState }>`
      UPDATE evaluation_items AS i
         SET cancel_requested_at = coalesce(i.cancel_requested_at, now()),
             status = CASE WHEN w.is_waiting THEN 'cancelled' ELSE i.status END,
             stop_reason = CASE WHEN w.is_waiting THEN 'cancelled' ELSE i.stop_reason END,
             completed_at = CASE WHEN w.is_waiting THEN now() END
        FROM (SELECT i.status = 'queued' AND NOT (e.status = 'running' AND i.job_attempt = e.attempt) AS is_waiting ${FROM}
               WHERE i.organization_id = ${organizationId} AND i.id = ${id}) AS w
       WHERE i.organization_id = ${organizationId} AND i.id = ${id} AND NOT i.status = ANY (${[...END_STATES]}::text[])
      RETURNING i.status`.execute(trx);
    const [changed] = rows;
    if (!changed) throw new ApiError('conflict_error', `The sample is ${item_status}, and has ended.`);
    if (changed.status === 'cancelled')
      await countChanges(trx, { organizationId, evaluationId }, [
        { id, position, from: 'queued', to: 'cancelled' },
      ]);
    await audit(trx, scope, {
      action: 'evaluation.sample_cancelled',
      resource: `evaluations/${evaluationId}`,
      after: { item_id: id },
    });
    return getItem(trx, scope, given, item);
  });
}
