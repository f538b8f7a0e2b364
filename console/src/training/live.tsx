/** Keeps training jobs in the query cache up to date: their events are written into what pages have read of them. */
import type {
  InWorkspace,
  TrainingClaimedEvent,
  TrainingJobListResponse,
  TrainingJobResponse,
  TrainingStepEvent,
} from '@drydock/sdk';
import { useThrottledCallback } from '@mantine/hooks';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { drydock } from '../api/client.ts';
import { useLiveEvents } from '../api/live-events.ts';
import { RUNNING_KEY } from '../frame/running-jobs.tsx';
import { JOB_LISTS_KEY } from './list-query.ts';
import { BACKENDS_KEY, JOB_KEY, type LivePoint, LOSS, livePointsQuery } from './queries.ts';
import { figureOf } from './states.ts';

/** What events do not contain is read again, at most this often. */
const READ_AGAIN_MS = 1_000;
/** Points are drawn at most this often: a trainer reports many steps at once. */
const DRAW_MS = 200;
/** If there are more points than this, the metrics are read again, which thins them out. */
const MAX_LIVE_POINTS = 2_000;
/** Jobs of a list that are followed at once: a browser opens at most six connections to a server. */
const MAX_FOLLOWED = 3;

interface FollowJobsProps {
  readonly where: InWorkspace;
  readonly jobs: readonly Pick<TrainingJobResponse, 'id'>[];
}

/** Follows the first jobs of a list, which are updated in the query cache. It shows nothing itself. */
export function FollowJobs({ where, jobs }: FollowJobsProps) {
  return jobs.slice(0, MAX_FOLLOWED).map(({ id }) => <FollowJob key={id} where={where} id={id} />);
}

function FollowJob({ where, id }: { readonly where: InWorkspace; readonly id: string }) {
  useLiveJob(where, id, true);
  return null;
}

type Part = 'job' | 'metrics' | 'checkpoints' | 'artifacts' | 'log';

const ALL: readonly Part[] = ['job', 'metrics', 'checkpoints', 'artifacts', 'log'];

/** Queries that each event invalidates. Log lines have no events of their own: they arrive with the others. */
const OUTDATED: Readonly<Record<string, readonly Part[]>> = {
  job_claimed: ['job', 'log'],
  worker_lost: ['job', 'log'],
  training_start: ['job', 'artifacts', 'log'],
  step_complete: ['log'],
  eval_complete: ['log'],
  checkpoint_saved: ['job', 'checkpoints', 'artifacts', 'log'],
};

/** Follows a job while `isLive`. */
export function useLiveJob(where: InWorkspace, jobId: string, isLive: boolean): void {
  const queries = useQueryClient();
  const outdated = useRef(new Set<Part>());
  const readAgain = useThrottledCallback(() => {
    const parts = outdated.current;
    outdated.current = new Set();
    void queries.invalidateQueries({
      queryKey: [JOB_KEY, jobId],
      predicate: ({ queryKey: [, , part = 'job'] }) => parts.has(part as Part),
    });
    if (!parts.has('job')) return;
    void queries.invalidateQueries({ queryKey: [JOB_LISTS_KEY] });
    void queries.invalidateQueries({ queryKey: [BACKENDS_KEY] });
  }, READ_AGAIN_MS);
  const outdate = (parts: readonly Part[]) => {
    for (const part of parts) outdated.current.add(part);
    if (parts.length > 0) readAgain();
  };
  const addPoints = useAddPoints(jobId, () => outdate(['metrics']));
  useLiveEvents({
    name: isLive ? `training-jobs/${jobId}` : undefined,
    open: (options) => drydock.training.events({ ...where, job_id: jobId }, options),
    onStart: () => outdate(ALL),
    onEvent: ({ type, data }) => {
      if (type === 'step_complete' || type === 'eval_complete') addPoints(data as TrainingStepEvent);
      if (type === 'job_claimed' || type === 'worker_lost') {
        const { status, worker, attempt } = data as TrainingClaimedEvent;
        patchJob(queries, jobId, (job) => ({ ...job, status, worker, attempt }));
      }
      if (type === 'job_claimed' || type === 'job_ended')
        void queries.invalidateQueries({ queryKey: [RUNNING_KEY] });
      outdate(OUTDATED[type] ?? ALL);
    },
  });
}

/** The part of a step event that events of evaluations have too. */
type PointEvent = LivePoint & Partial<Pick<TrainingStepEvent, 'epoch' | 'num_tokens_processed'>>;

/** @returns a function that adds the values of an event to the curves, and to the job */
function useAddPoints(jobId: string, onTooMany: () => void): (event: PointEvent) => void {
  const queries = useQueryClient();
  const waiting = useRef<PointEvent[]>([]);
  const flush = useThrottledCallback(() => {
    const added = waiting.current;
    waiting.current = [];
    if (added.length === 0) return;
    const { queryKey } = livePointsQuery({ job_id: jobId });
    const points = queries.setQueryData(queryKey, (known = []) => [...known, ...added]);
    if ((points?.length ?? 0) > MAX_LIVE_POINTS) onTooMany();
    const last = added.findLast(({ epoch }) => epoch !== undefined);
    if (!last) return;
    patchJob(queries, jobId, (job) => advance(job, last));
    queries.setQueryData([JOB_KEY, jobId, 'last-loss'], last.metrics[LOSS]);
  }, DRAW_MS);
  return (event) => {
    waiting.current.push(event);
    flush();
  };
}

function advance(job: TrainingJobResponse, event: PointEvent): TrainingJobResponse {
  const { step, metrics, epoch, num_tokens_processed } = event;
  return {
    ...job,
    step,
    metrics: {
      ...job.metrics,
      'train/loss_last': metrics[LOSS] ?? job.metrics['train/loss_last'],
      'train/loss_best': Math.min(metrics[LOSS] ?? Infinity, figureOf(job, 'train/loss_best') ?? Infinity),
      'train/epochs_completed': epoch,
      'train/num_tokens_processed': num_tokens_processed,
    },
  };
}

/** Changes a job in its own page and in all lists that show it. */
function patchJob(
  queries: QueryClient,
  id: string,
  change: (job: TrainingJobResponse) => TrainingJobResponse,
): void {
  queries.setQueryData<TrainingJobResponse>([JOB_KEY, id], (old) => old && change(old));
  queries.setQueriesData<TrainingJobListResponse>(
    { queryKey: [JOB_LISTS_KEY] },
    (old) => old && { ...old, items: old.items.map((one) => (one.id === id ? change(one) : one)) },
  );
}

/** @returns a function that reads a job again, everywhere, after it was changed */
export function useReadJobAgain(): (jobId: string) => void {
  const queries = useQueryClient();
  return (jobId) => {
    void queries.invalidateQueries({ queryKey: [JOB_KEY, jobId] });
    void queries.invalidateQueries({ queryKey: [JOB_LISTS_KEY] });
    void queries.invalidateQueries({ queryKey: [BACKENDS_KEY] });
    void queries.invalidateQueries({ queryKey: [RUNNING_KEY] });
  };
}
