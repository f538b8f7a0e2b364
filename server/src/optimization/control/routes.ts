import { workspaceRoutes } from '../../platform/http/operations.ts';
import type { PublishStore } from '../../registry/service.ts';
import { JOB_PATH, JobParams, OptimizationJobResponse, type ShowJob } from '../schema.ts';
import { promote } from './promote.ts';
import { type ControlOptions, cancelJob, retryJob } from './retry.ts';
import { PromoteRequest, PromoteResponse, RetryRequest } from './schema.ts';

const MAY_CHANGE = { scope: 'optimization:write', role: 'contributor' } as const;

export function controlRoutes(options: ControlOptions & PublishStore, show: ShowJob) {
  return workspaceRoutes('Optimization', (on) => {
    on.post(
      `${JOB_PATH}/cancel`,
      {
        id: 'cancelOptimizationJob',
        summary: 'Cancel an optimization job',
        description: 'Everything that was measured is kept.',
        ...MAY_CHANGE,
        params: JobParams,
        response: OptimizationJobResponse,
      },
      async ({ scope, params }) => show(await cancelJob(options, scope, params.job_id)),
    );

    on.post(
      `${JOB_PATH}/retry`,
      {
        id: 'retryOptimizationJob',
        summary: 'Go on with an optimization job that has ended, as a new job',
        description:
          'It starts with everything that the previous job has measured, unless `from_start` is true.',
        ...MAY_CHANGE,
        params: JobParams,
        body: RetryRequest.nullish(),
        response: OptimizationJobResponse,
        status: 201,
      },
      async ({ scope, params, body }) =>
        show(await retryJob(options, scope, params.job_id, body?.from_start ?? false)),
    );

    on.post(
      `${JOB_PATH}/promote`,
      {
        id: 'promoteOptimizationCandidate',
        summary: 'Publish a candidate as a new version of its capability',
        description:
          'The manifest of the version gets a `lineage`: what was measured, on which versions, and at what cost.',
        ...MAY_CHANGE,
        params: JobParams,
        body: PromoteRequest,
        response: PromoteResponse,
        status: 201,
        watched: true,
        long: true,
      },
      ({ scope, params, body, signal }) => promote(options, scope, params.job_id, body, signal),
    );
  });
}
