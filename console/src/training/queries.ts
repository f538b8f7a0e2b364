/** The queries of the training pages. Keys begin with `training-job` and its ID, so that events find everything to update. */
import type { InWorkspace, OneTrainingJob, TrainingLogsResponse } from '@drydock/sdk';
import { queryOptions, skipToken } from '@tanstack/react-query';
import { drydock } from '../api/client.ts';

export type LogEntry = TrainingLogsResponse['items'][number];

export const JOB_KEY = 'training-job';
export const BACKENDS_KEY = 'training-backends';

export const LOSS = 'train/loss';

/** A chart is about 1,200 pixels wide: more points would not be seen. */
const MAX_POINTS = 2_000;
const LOG_PAGE = 1_000;
/** Number of log pages that are read at once; a button reads more. */
const MAX_LOG_PAGES = 10;

export const jobQuery = (where: OneTrainingJob) =>
  queryOptions({
    queryKey: [JOB_KEY, where.job_id],
    queryFn: async ({ signal }) => drydock.training.get(where, { signal }),
    // Another workspace in the address must not show what was read for this one.
    staleTime: 0,
  });

/** Values of one step, as an event has them. */
export interface LivePoint {
  readonly step: number;
  readonly metrics: Readonly<Record<string, number>>;
}

const NO_POINTS: readonly LivePoint[] = [];

/** The points that arrived by events since the metrics were read. */
export const livePointsQuery = ({ job_id }: Pick<OneTrainingJob, 'job_id'>) =>
  queryOptions<readonly LivePoint[]>({
    queryKey: [JOB_KEY, job_id, 'live'],
    queryFn: skipToken,
    initialData: NO_POINTS,
  });

export const metricsQuery = (where: OneTrainingJob) =>
  queryOptions({
    queryKey: [JOB_KEY, where.job_id, 'metrics'],
    queryFn: async ({ signal, client }) => {
      const { queryKey } = livePointsQuery(where);
      const known = client.getQueryData(queryKey)?.length ?? 0;
      const metrics = await drydock.training.metrics(where, { max_points: MAX_POINTS }, { signal });
      // The server stores a point before it sends the event, so the response has every point that had arrived when it was asked for.
      client.setQueryData(queryKey, (points = NO_POINTS) => points.slice(known));
      return metrics;
    },
  });

/** The last loss of a job. Lists have it only of jobs that are completed. */
export const lastLossQuery = (where: OneTrainingJob) =>
  queryOptions<number | null>({
    queryKey: [JOB_KEY, where.job_id, 'last-loss'],
    queryFn: async ({ signal }) => {
      const filters = { names: [LOSS], max_points: 10 };
      const { series } = await drydock.training.metrics(where, filters, { signal });
      return series[LOSS]?.values.at(-1) ?? null;
    },
    // Events keep it up to date.
    staleTime: Infinity,
  });

export const checkpointsQuery = (where: OneTrainingJob) =>
  queryOptions({
    queryKey: [JOB_KEY, where.job_id, 'checkpoints'],
    queryFn: async ({ signal }) => drydock.training.checkpoints(where, { signal }),
  });

export const artifactsQuery = (where: OneTrainingJob) =>
  queryOptions({
    queryKey: [JOB_KEY, where.job_id, 'artifacts'],
    queryFn: async ({ signal }) => drydock.training.artifacts(where, { signal }),
  });

export interface Log {
  readonly lines: readonly LogEntry[];
  /** Whether the server has lines after these. */
  readonly hasMore: boolean;
}

/** Reads only the lines after those that are known. */
export const logQuery = (where: OneTrainingJob) => {
  const queryKey = [JOB_KEY, where.job_id, 'log'];
  return queryOptions<Log>({
    queryKey,
    queryFn: async ({ signal, client }) => {
      const lines = [...(client.getQueryData<Log>(queryKey)?.lines ?? [])];
      for (let pages = 0; pages < MAX_LOG_PAGES; pages += 1) {
        const after = lines.at(-1)?.id;
        const filters = { limit: LOG_PAGE, ...(after && { after }) };
        const { items } = await drydock.training.logs(where, filters, { signal });
        lines.push(...items);
        if (items.length < LOG_PAGE) return { lines, hasMore: false };
      }
      return { lines, hasMore: true };
    },
  });
};

export const backendsQuery = (where: InWorkspace) =>
  queryOptions({
    queryKey: [BACKENDS_KEY, where.org, where.workspace],
    queryFn: async ({ signal }) => drydock.training.backends(where, { signal }),
  });

/** The models of the organization that are served beside the server. */
export const servedModelsQuery = (org: string) =>
  queryOptions({
    queryKey: ['served-models', org],
    queryFn: async ({ signal }) => drydock.models.listServed({ org }, { signal }),
  });
