import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { isUuid } from '../../platform/fields.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';
import { JOB_PATH, JobParams, type JobView, TrainingJobResponse } from '../schema.ts';
import { TRAINING_EVENTS } from './events.ts';
import { JobQuery, LogQuery, TrainingJobListResponse, TrainingLogsResponse } from './schema.ts';
import { getJob, listJobs, requireJob } from './store.ts';

const MAY_READ = { scope: 'training:read', role: 'reader' } as const;
const ofJob = { ...MAY_READ, params: JobParams };

/** Jobs, and what happens in them. */
export function readingRoutes({ db }: { readonly db: Db }, view: JobView) {
  return workspaceRoutes('Training', (on) => {
    on.get(
      '/training/jobs',
      {
        id: 'listTrainingJobs',
        summary: 'List training jobs, newest first',
        ...MAY_READ,
        query: JobQuery,
        response: TrainingJobListResponse,
      },
      async ({ scope, query }) => {
        const { items, ...page } = await listJobs(db, scope, query);
        return { items: await view.all(items), ...page };
      },
    );

    on.get(
      JOB_PATH,
      { id: 'getTrainingJob', summary: 'Get a training job', ...ofJob, response: TrainingJobResponse },
      async ({ scope, params }) => view.one(await getJob(db, scope, params.job_id)),
    );

    on.get(
      `${JOB_PATH}/logs`,
      {
        id: 'listTrainingLogs',
        summary: 'Read the log of a training job',
        ...ofJob,
        query: LogQuery,
        response: TrainingLogsResponse,
      },
      async ({ scope, params, query }) => ({
        items: await listLogs(db, await requireJob(db, scope, params.job_id), query),
      }),
    );

    on.events(
      `${JOB_PATH}/events`,
      { id: 'streamTrainingEvents', summary: 'Watch a training job', ...ofJob, events: TRAINING_EVENTS },
      async ({ scope, params }) => {
        const { organizationId, id: streamId } = await requireJob(db, scope, params.job_id);
        return { organizationId, streamId };
      },
    );
  });
}

interface LogLine {
  readonly id: string;
  readonly timestamp: string;
  readonly level: 'debug' | 'info' | 'warning' | 'error';
  readonly message: string;
  readonly data: Record<string, unknown> | null;
}

async function listLogs(
  db: Db,
  { organizationId, id }: JobRef,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<LogLine[]> {
  const start = after !== undefined && isUuid(after) ? after : null;
  const { rows } = await sql<LogLine>`
    SELECT id, created_at AS timestamp, level, message, data FROM training_logs
     WHERE organization_id = ${organizationId} AND job_id = ${id} AND (${start}::uuid IS NULL OR id > ${start})
     ORDER BY id LIMIT ${limit}`.execute(db);
  return rows;
}
