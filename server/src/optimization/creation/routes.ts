import { workspaceRoutes } from '../../platform/http/operations.ts';
import { OptimizationJobResponse, type ShowJob } from '../schema.ts';
import { type CreateOptions, createJob } from './create.ts';
import { estimateJob } from './estimate.ts';
import { OptimizationEstimateResponse, OptimizationJobCreateRequest } from './schema.ts';

export function creationRoutes(options: CreateOptions, show: ShowJob) {
  return workspaceRoutes('Optimization', (on) => {
    on.post(
      '/optimization/jobs',
      {
        id: 'createOptimizationJob',
        summary: 'Improve the texts of a capability',
        description:
          'Versions are resolved now, and the rows or tasks are fixed. What cannot run is refused now. The search is the published algorithm GEPA.',
        scope: 'optimization:write',
        role: 'contributor',
        body: OptimizationJobCreateRequest,
        response: OptimizationJobResponse,
        status: 201,
        watched: true,
        isBulk: true,
        long: true,
      },
      async ({ scope, body, signal }) => show(await createJob(options, scope, body, signal)),
    );

    on.post(
      '/optimization/jobs/estimate',
      {
        id: 'estimateOptimizationJob',
        summary: 'Estimate what an optimization job takes',
        description: 'Checks the request like a creation, and stores nothing.',
        scope: 'optimization:read',
        role: 'contributor',
        body: OptimizationJobCreateRequest,
        response: OptimizationEstimateResponse,
        watched: true,
        idempotency: false,
        long: true,
      },
      ({ scope, body, signal }) => estimateJob(options, scope, body, signal),
    );
  });
}
