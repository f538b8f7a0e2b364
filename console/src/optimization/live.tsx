/** Keeps optimization jobs in the query cache up to date: their events are written into what pages have read of them. */
import type {
  InWorkspace,
  OptimizationBudgetEvent,
  OptimizationCandidate,
  OptimizationFrontierEvent,
  OptimizationJobListResponse,
  OptimizationJobResponse,
} from '@drydock/sdk';
import { useThrottledCallback } from '@mantine/hooks';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { drydock } from '../api/client.ts';
import { useLiveEvents } from '../api/live-events.ts';
import { RUNNING_KEY } from '../frame/running-jobs.tsx';
import { JOB_KEY, JOB_LISTS_KEY } from './queries.ts';

/** Events contain no texts, costs and holdout scores. These are read again, at most this often. */
const READ_AGAIN_MS = 1_000;

/** Jobs of a list that are followed at once: a browser opens at most six connections to a server. */
const MAX_FOLLOWED = 3;

interface FollowJobsProps {
  readonly where: InWorkspace;
  readonly jobs: readonly OptimizationJobResponse[];
}

/** Follows the first jobs of a list, which are updated in the query cache. It shows nothing itself. */
export function FollowJobs({ where, jobs }: FollowJobsProps) {
  return jobs.slice(0, MAX_FOLLOWED).map(({ id }) => <FollowJob key={id} where={where} id={id} />);
}

function FollowJob({ where, id }: { readonly where: InWorkspace; readonly id: string }) {
  useLiveJob(where, id, true);
  return null;
}

type Part = 'job' | 'candidates' | 'proposals' | 'log';

const ALL: readonly Part[] = ['job', 'candidates', 'proposals', 'log'];

/** Queries that each event invalidates. The holdout score of a candidate is known when the next iteration begins. */
const OUTDATED: Readonly<Record<string, readonly Part[]>> = {
  optimization_start: ALL,
  iteration_start: ['job', 'candidates', 'log'],
  candidate_accepted: ['job', 'proposals', 'log'],
  candidate_rejected: ['job', 'proposals', 'log'],
  valset_evaluated: ['job', 'candidates', 'log'],
  optimization_error: ALL,
  optimization_end: ALL,
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
    if (parts.has('job')) void queries.invalidateQueries({ queryKey: [JOB_LISTS_KEY] });
  }, READ_AGAIN_MS);
  const outdate = (parts: readonly Part[]) => {
    for (const part of parts) outdated.current.add(part);
    if (parts.length > 0) readAgain();
  };
  useLiveEvents({
    name: isLive ? `optimization-jobs/${jobId}` : undefined,
    open: (options) => drydock.optimization.events({ ...where, job_id: jobId }, options),
    onStart: () => outdate(ALL),
    onEvent: ({ type, data }) => {
      if (type === 'budget_updated') applyBudget(queries, jobId, data as OptimizationBudgetEvent);
      if (type === 'pareto_front_updated') applyFrontier(queries, jobId, data as OptimizationFrontierEvent);
      if (type === 'optimization_start' || type === 'optimization_end')
        void queries.invalidateQueries({ queryKey: [RUNNING_KEY] });
      outdate(OUTDATED[type] ?? []);
    },
  });
}

const applyBudget = (queries: QueryClient, id: string, { metric_calls }: OptimizationBudgetEvent): void =>
  patchJob(queries, id, ({ summary, ...job }) => {
    const { metadata } = summary;
    const budget = { ...metadata.budget, metric_calls_used: metric_calls };
    return { ...job, summary: { ...summary, metadata: { ...metadata, budget } } };
  });

function applyFrontier(
  queries: QueryClient,
  id: string,
  { front, frontier_size }: OptimizationFrontierEvent,
): void {
  patchJob(queries, id, ({ summary, ...job }) => ({ ...job, summary: { ...summary, frontier_size } }));
  queries.setQueryData<OptimizationCandidate[]>([JOB_KEY, id, 'candidates'], (old) =>
    old?.map((candidate) => ({ ...candidate, is_on_frontier: front.includes(candidate.index) })),
  );
}

/** Changes a job in its own page and in all lists that show it. */
function patchJob(
  queries: QueryClient,
  id: string,
  change: (job: OptimizationJobResponse) => OptimizationJobResponse,
): void {
  queries.setQueryData<OptimizationJobResponse>([JOB_KEY, id], (old) => old && change(old));
  queries.setQueriesData<OptimizationJobListResponse>(
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
    void queries.invalidateQueries({ queryKey: [RUNNING_KEY] });
  };
}
