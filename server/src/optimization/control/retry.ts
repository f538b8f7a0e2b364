/** Cancels jobs, and makes new jobs that continue ended ones. */
import { sql } from 'kysely';
import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import { isEndStatus } from '../../platform/jobs/job-kind.ts';
import { requestCancel } from '../../platform/jobs/job-row.ts';
import type { JobQueue } from '../../platform/jobs/queue.ts';
import { recordLineage } from '../../platform/lineage/lineage.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { pinVersions } from '../../registry/service.ts';
import { toJobNode } from '../lineage.ts';
import { OPTIMIZATION } from '../optimization-kind.ts';
import { listPinned } from '../pinned-versions.ts';
import { getJob } from '../reading/store.ts';
import type { OptimizationJobOf } from '../schema.ts';
import { lockJob } from './lock.ts';

export interface ControlOptions {
  readonly db: Db;
  readonly queue: Pick<JobQueue, 'enqueue'>;
}

/** What runs is stopped within seconds. Everything that was measured is kept. */
export async function cancelJob(
  { db }: ControlOptions,
  scope: WorkspaceScope,
  given: string,
): Promise<OptimizationJobOf> {
  return transactionFor(db, scope, async (trx) => {
    const { id } = await lockJob(trx, scope, given);
    await requestCancel(trx, OPTIMIZATION, { organizationId: scope.organizationId, id });
    await audit(trx, scope, { action: 'optimization_job.cancelled', resource: `optimization/jobs/${id}` });
    return getJob(trx, scope, id);
  });
}

/** @throws {ApiError} `conflict_error` for a job that has not ended */
export async function retryJob(
  { db, queue }: ControlOptions,
  scope: WorkspaceScope,
  given: string,
  fromStart: boolean,
): Promise<OptimizationJobOf> {
  const { organizationId } = scope;
  const id = uuidv7();
  return transactionFor(db, scope, async (trx) => {
    const before = await lockJob(trx, scope, given);
    if (!isEndStatus(before.status))
      throw new ApiError(
        'conflict_error',
        `The job is ${before.status}; cancel it, or wait for its end, before you retry it.`,
      );
    await copyJob(trx, scope, { from: before.id, to: id });
    if (!fromStart) await copyJournal(trx, organizationId, { from: before.id, to: id });
    const parent = toJobNode({ workspaceId: scope.workspaceId, id: before.id });
    await recordLineage(trx, organizationId, [
      { node: toJobNode({ ...scope, id }), parents: [{ node: parent, relation: 'retry' }] },
    ]);
    await queue.enqueue(trx, OPTIMIZATION, { organizationId, id });
    const after = { retry_of: before.id, from_start: fromStart };
    await audit(trx, scope, {
      action: 'optimization_job.retried',
      resource: `optimization/jobs/${id}`,
      after,
    });
    return getJob(trx, scope, id);
  });
}

interface Copy {
  readonly from: string;
  readonly to: string;
}

async function copyJob(
  trx: Trx,
  { organizationId, principal }: WorkspaceScope,
  { from, to }: Copy,
): Promise<void> {
  await sql`
    INSERT INTO optimization_jobs (organization_id, id, workspace_id, project_id, created_by, name, model, target_kind, tags,
                                   request, seed_candidate, train_size, val_size, holdout_size, warnings, retry_of)
    SELECT organization_id, ${to}, workspace_id, project_id, ${principal.userId}, name, model, target_kind, tags,
           request, seed_candidate, train_size, val_size, holdout_size, warnings, id
      FROM optimization_jobs WHERE organization_id = ${organizationId} AND id = ${from}`.execute(trx);
  await sql`
    INSERT INTO optimization_examples (organization_id, job_id, split, position, row_index, task_name, task_version, source)
    SELECT organization_id, ${to}, split, position, row_index, task_name, task_version, source
      FROM optimization_examples WHERE organization_id = ${organizationId} AND job_id = ${from}`.execute(trx);
  // A version that was deleted since keeps its files, because the job before it has pinned them.
  await pinVersions(trx, await listPinned(trx, { organizationId, id: to }), to);
}

/**
 * Copies all stored results but failed reflections, whose calls are made again. Where one of them succeeds now, later decisions may differ;
 * the new job replaces results that do not fit them, and uses the others.
 */
async function copyJournal(trx: Trx, organizationId: string, { from, to }: Copy): Promise<void> {
  await sql`
    INSERT INTO optimization_batches (organization_id, job_id, iteration, proposal, purpose, split, candidate_sha256, positions,
                                      evaluation_id, is_inherited)
    SELECT organization_id, ${to}, iteration, proposal, purpose, split, candidate_sha256, positions, evaluation_id, true
      FROM optimization_batches WHERE organization_id = ${organizationId} AND job_id = ${from}`.execute(trx);
  await sql`
    INSERT INTO optimization_reflections (organization_id, job_id, iteration, proposal, component, paid_by, prompt, response, error,
                                          session_id, cost_usd, created_at)
    SELECT organization_id, ${to}, iteration, proposal, component, paid_by, prompt, response, error, session_id, cost_usd, created_at
      FROM optimization_reflections
     WHERE organization_id = ${organizationId} AND job_id = ${from} AND error IS NULL`.execute(trx);
}
