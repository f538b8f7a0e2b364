/** Cancels and retries jobs, and publishes their checkpoints. */
import type { z } from 'zod';
import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transaction, transactionFor } from '../../platform/db/transaction.ts';
import { ApiError, forbidden } from '../../platform/errors.ts';
import { isEndStatus } from '../../platform/jobs/job-kind.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import type { PublishStore } from '../../registry/service.ts';
import { inheritCheckpoint } from '../checkpoint-store.ts';
import { copyJob } from '../creation/create.ts';
import { cancelJob as cancel } from '../job-state.ts';
import { publishCheckpoint } from '../publishing/publish.ts';
import { getJob, requireJob } from '../reading/store.ts';
import type { FoundJob } from '../schema.ts';
import { jobNotFound, lockStoredJob, type StoredJob } from '../stored-job.ts';
import type { PublishCheckpointRequest, PublishCheckpointResponse } from './schema.ts';

/** @throws {ApiError} `not_found_error`; `forbidden_error` for a caller who is neither its creator nor an admin of the workspace */
async function lockJob(trx: Trx, scope: WorkspaceScope, given: string): Promise<StoredJob> {
  const job = await lockStoredJob(trx, await requireJob(trx, scope, given));
  if (!job) throw jobNotFound(given);
  if (job.created_by !== scope.principal.userId && scope.workspaceRole !== 'admin')
    throw forbidden('Only its creator or an admin of the workspace can change this training job.');
  return job;
}

export async function cancelJob(db: Db, scope: WorkspaceScope, given: string): Promise<FoundJob> {
  return transactionFor(db, scope, async (trx) => {
    const job = await lockJob(trx, scope, given);
    await cancel(trx, job);
    await audit(trx, scope, { action: 'training_job.cancelled', resource: `training/jobs/${job.id}` });
    return getJob(trx, scope, job.id);
  });
}

/** @throws {ApiError} `conflict_error` for a job that has not ended */
export async function retryJob(db: Db, scope: WorkspaceScope, given: string): Promise<FoundJob> {
  const { organizationId } = scope;
  const to = uuidv7();
  return transactionFor(db, scope, async (trx) => {
    const before = await lockJob(trx, scope, given);
    if (!isEndStatus(before.status))
      throw new ApiError(
        'conflict_error',
        `The job is ${before.status}; cancel it, or wait for its end, before you retry it.`,
      );
    await copyJob(trx, scope, { from: before.id, to });
    await inheritCheckpoint(trx, organizationId, { from: before.id, to });
    await audit(trx, scope, {
      action: 'training_job.retried',
      resource: `training/jobs/${to}`,
      after: { retry_of: before.id },
    });
    return getJob(trx, scope, to);
  });
}

export async function publishStep(
  store: PublishStore,
  scope: WorkspaceScope,
  { job_id, step }: { readonly job_id: string; readonly step: number },
  { name, version: wanted }: z.output<typeof PublishCheckpointRequest>,
  signal: AbortSignal,
): Promise<z.output<typeof PublishCheckpointResponse>> {
  const job = await transaction(store.db, (trx) => lockJob(trx, scope, job_id));
  const target = {
    step,
    isFinal: false,
    userId: scope.principal.userId,
    model: name ?? undefined,
    version: wanted ?? undefined,
    recordEffect: scope.recordEffect,
  };
  const { model, version } = await publishCheckpoint(store, job, target, signal);
  const entry = { action: 'training_job.checkpoint_published', resource: `training/jobs/${job.id}` };
  await transactionFor(store.db, scope, (trx) =>
    audit(trx, scope, { ...entry, after: { step, model, version } }),
  );
  return { name: model, version, step };
}
