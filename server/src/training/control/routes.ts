import { workspaceRoutes } from '../../platform/http/operations.ts';
import type { PublishStore } from '../../registry/service.ts';
import { JOB_PATH, JobParams, type JobView, TrainingJobResponse } from '../schema.ts';
import { cancelJob, publishStep, retryJob } from './change.ts';
import { CheckpointParams, PublishCheckpointRequest, PublishCheckpointResponse } from './schema.ts';

const MAY_CHANGE = { scope: 'training:write', role: 'contributor' } as const;

export function controlRoutes(store: PublishStore, view: JobView) {
  return workspaceRoutes('Training', (on) => {
    on.post(
      `${JOB_PATH}/cancel`,
      {
        id: 'cancelTrainingJob',
        summary: 'Cancel a training job',
        description: 'Its trainer stops within seconds. Checkpoints are kept.',
        ...MAY_CHANGE,
        params: JobParams,
        response: TrainingJobResponse,
      },
      async ({ scope, params }) => view.one(await cancelJob(store.db, scope, params.job_id)),
    );

    on.post(
      `${JOB_PATH}/retry`,
      {
        id: 'retryTrainingJob',
        summary: 'Go on with a training job that has ended, as a new job',
        description: 'It continues from the last checkpoint.',
        ...MAY_CHANGE,
        params: JobParams,
        response: TrainingJobResponse,
        status: 201,
      },
      async ({ scope, params }) => view.one(await retryJob(store.db, scope, params.job_id)),
    );

    on.post(
      `${JOB_PATH}/checkpoints/:step/publish`,
      {
        id: 'promoteTrainingCheckpoint',
        summary: 'Publish a checkpoint as a version of a model',
        ...MAY_CHANGE,
        params: CheckpointParams,
        body: PublishCheckpointRequest.nullish(),
        response: PublishCheckpointResponse,
        status: 201,
        watched: true,
        long: true,
      },
      ({ scope, params, body, signal }) => publishStep(store, scope, params, body ?? {}, signal),
    );
  });
}
