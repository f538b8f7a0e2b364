import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { isUuid } from '../../platform/fields.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { holdsLease } from '../job-state.ts';
import { JOB_PATH, JobParams } from '../schema.ts';
import { findStoredJob, jobNotFound, refOf, type StoredJob } from '../stored-job.ts';
import { claimJob, keyOf } from './claim.ts';
import { announceUploads, linkFiles } from './job-files.ts';
import { reportProgress, type WorkStore } from './progress.ts';
import {
  TrainingCheckpointRequest,
  TrainingCheckpointUploads,
  TrainingClaimRequest,
  TrainingClaimResponse,
  TrainingFilesRequest,
  TrainingFilesResponse,
  TrainingProgressRequest,
  TrainingProgressResponse,
} from './schema.ts';

const OF_TRAINERS = { scope: 'training:work', role: 'contributor', idempotency: false } as const;

/** The worker protocol. */
export function workingRoutes(store: WorkStore) {
  return workspaceRoutes('Trainers', (on) => {
    on.post(
      '/training/claim',
      {
        id: 'claimTrainingJob',
        summary: 'Claim a job, as a trainer',
        description:
          'Waits up to `wait_seconds` for one. The trainer reports at least every 5 seconds, and loses the job after 30 seconds without a ' +
          'report. The scope `training:work` must be named in the `allowed_scopes` of the key.',
        ...OF_TRAINERS,
        body: TrainingClaimRequest,
        response: TrainingClaimResponse,
        watched: true,
        long: true,
      },
      async ({ scope, body, signal }) => ({ job: await claimJob(store, scope, body, signal) }),
    );

    on.post(
      `${JOB_PATH}/progress`,
      {
        id: 'reportTrainingProgress',
        summary: 'Report on a job, as its trainer',
        description:
          'Renews the lease, also without records. Records are numbered from 1 within an attempt; those that are stored already are ' +
          'ignored. `training_end` publishes the model and may take minutes. 409: the trainer has lost the job.',
        ...OF_TRAINERS,
        params: JobParams,
        body: TrainingProgressRequest,
        response: TrainingProgressResponse,
        watched: true,
        isBulk: true,
        long: true,
      },
      ({ scope, params, body, signal }) => reportProgress(store, scope, params.job_id, body, signal),
    );

    on.post(
      `${JOB_PATH}/files`,
      {
        id: 'linkTrainingFiles',
        summary: 'Get new links to the files of a job, as its trainer',
        ...OF_TRAINERS,
        params: JobParams,
        body: TrainingFilesRequest,
        response: TrainingFilesResponse,
      },
      async ({ scope, params, body }) =>
        linkFiles(store, await getLeased(store.db, scope, params.job_id, body.attempt)),
    );

    on.post(
      `${JOB_PATH}/checkpoints`,
      {
        id: 'uploadTrainingCheckpoint',
        summary: 'Get links to upload a checkpoint with, as its trainer',
        description:
          'Each part is sent with a PUT. The record `checkpoint_saved` then makes the checkpoint count.',
        ...OF_TRAINERS,
        params: JobParams,
        body: TrainingCheckpointRequest,
        response: TrainingCheckpointUploads,
        isBulk: true,
      },
      async ({ scope, params, body }) => {
        const job = await getLeased(store.db, scope, params.job_id, body.attempt);
        return announceUploads(store, refOf(job), body);
      },
    );
  });
}

/** Trainers that may use a job's files have claimed it, and have not lost it. */
async function getLeased(db: Db, scope: WorkspaceScope, given: string, attempt: number): Promise<StoredJob> {
  const { organizationId, workspaceId } = scope;
  const job = isUuid(given)
    ? await findStoredJob(db, { organizationId, id: given.toLowerCase() })
    : undefined;
  if (job?.workspace_id !== workspaceId) throw jobNotFound(given);
  holdsLease(job, attempt, keyOf(scope), Infinity);
  return job;
}
