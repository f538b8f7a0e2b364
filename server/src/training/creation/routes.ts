import { workspaceRoutes } from '../../platform/http/operations.ts';
import type { DatasetStore } from '../../registry/service.ts';
import { type JobView, TrainingJobResponse } from '../schema.ts';
import { createJob } from './create.ts';
import { estimateJob } from './estimate.ts';
import { TrainingEstimateResponse, TrainingJobCreateRequest } from './schema.ts';

export function creationRoutes(store: DatasetStore, view: JobView) {
  return workspaceRoutes('Training', (on) => {
    on.post(
      '/training/jobs',
      {
        id: 'createTrainingJob',
        summary: 'Fine-tune a model',
        description:
          'Versions are resolved now, and the first 10,000 rows of each dataset are checked. The job waits until a trainer claims it; ' +
          '`GET …/training/backends` says how to start one.',
        scope: 'training:write',
        role: 'contributor',
        body: TrainingJobCreateRequest,
        response: TrainingJobResponse,
        status: 201,
        watched: true,
        isBulk: true,
        long: true,
      },
      async ({ scope, body, signal }) => view.one(await createJob(store, scope, body, signal)),
    );

    on.post(
      '/training/jobs/estimate',
      {
        id: 'estimateTrainingJob',
        summary: 'Estimate what a training job takes',
        description: 'Checks the request like a creation, and stores nothing.',
        scope: 'training:read',
        role: 'contributor',
        body: TrainingJobCreateRequest,
        response: TrainingEstimateResponse,
        watched: true,
        idempotency: false,
        long: true,
      },
      ({ scope, body, signal }) => estimateJob(store, scope, body, signal),
    );
  });
}
