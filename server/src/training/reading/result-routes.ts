import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { JOB_PATH, JobParams } from '../schema.ts';
import { readSeries } from './metrics.ts';
import { getArtifacts, listCheckpoints } from './publications.ts';
import {
  MetricsQuery,
  RolloutQuery,
  TrainingArtifactsResponse,
  TrainingCheckpointsResponse,
  TrainingMetricsResponse,
  TrainingRolloutsResponse,
} from './schema.ts';
import { requireJob } from './store.ts';

const ofJob = { scope: 'training:read', role: 'reader', params: JobParams } as const;

/** What jobs have measured and made. */
export function resultRoutes({ db }: { readonly db: Db }) {
  return workspaceRoutes('Training', (on) => {
    on.get(
      `${JOB_PATH}/metrics`,
      {
        id: 'getTrainingMetrics',
        summary: 'Read the curves of a training job',
        description:
          'Long curves are thinned out; the smallest and the largest value of every span are kept.',
        ...ofJob,
        query: MetricsQuery,
        response: TrainingMetricsResponse,
      },
      async ({ scope, params, query: { names, max_points } }) => ({
        series: await readSeries(db, await requireJob(db, scope, params.job_id), {
          names,
          maxPoints: max_points,
        }),
      }),
    );

    on.get(
      `${JOB_PATH}/checkpoints`,
      {
        id: 'listTrainingCheckpoints',
        summary: 'List the checkpoints of a training job',
        ...ofJob,
        response: TrainingCheckpointsResponse,
      },
      async ({ scope, params }) => ({
        items: await listCheckpoints(db, await requireJob(db, scope, params.job_id)),
      }),
    );

    on.get(
      `${JOB_PATH}/artifacts`,
      {
        id: 'getTrainingArtifacts',
        summary: 'Get the results of a training job and their sources',
        ...ofJob,
        response: TrainingArtifactsResponse,
      },
      async ({ scope, params }) => getArtifacts(db, await requireJob(db, scope, params.job_id)),
    );

    on.get(
      `${JOB_PATH}/rollouts`,
      {
        id: 'listTrainingRollouts',
        summary: 'List the rollouts of a training job',
        description: 'Fine-tuning has none.',
        ...ofJob,
        query: RolloutQuery,
        response: TrainingRolloutsResponse,
      },
      async ({ scope, params }) => {
        await requireJob(db, scope, params.job_id);
        return { items: [] };
      },
    );
  });
}
