import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { JOB_PATH, JobParams, OptimizationJobResponse, type ShowJob } from '../schema.ts';
import { getFeed, OPTIMIZATION_EVENTS } from './events.ts';
import { listLogs } from './logs.ts';
import { JobQuery, LogQuery, OptimizationJobListResponse, OptimizationLogsResponse } from './schema.ts';
import { getJob, listJobs } from './store.ts';

const MAY_READ = { scope: 'optimization:read', role: 'reader' } as const;
const ofJob = { ...MAY_READ, params: JobParams };

/** Jobs, and what happens in them. */
export function readingRoutes({ db }: { readonly db: Db }, show: ShowJob) {
  return workspaceRoutes('Optimization', (on) => {
    on.get(
      '/optimization/jobs',
      {
        id: 'listOptimizationJobs',
        summary: 'List optimization jobs, newest first',
        ...MAY_READ,
        query: JobQuery,
        response: OptimizationJobListResponse,
      },
      async ({ scope, query }) => {
        const { items, ...page } = await listJobs(db, scope, query);
        return { items: items.map(show), ...page };
      },
    );

    on.get(
      JOB_PATH,
      {
        id: 'getOptimizationJob',
        summary: 'Get an optimization job',
        ...ofJob,
        response: OptimizationJobResponse,
      },
      async ({ scope, params }) => show(await getJob(db, scope, params.job_id)),
    );

    on.get(
      `${JOB_PATH}/logs`,
      {
        id: 'listOptimizationLogs',
        summary: 'Read the log of a job',
        ...ofJob,
        query: LogQuery,
        response: OptimizationLogsResponse,
      },
      ({ scope, params, query }) => listLogs(db, scope, params.job_id, query),
    );

    on.events(
      `${JOB_PATH}/events`,
      {
        id: 'streamOptimizationEvents',
        summary: 'Watch an optimization job',
        ...ofJob,
        events: OPTIMIZATION_EVENTS,
      },
      ({ scope, params }) => getFeed(db, scope, params.job_id),
    );
  });
}
