/** The queries of the optimization pages. Keys begin with `optimization-job` and its ID, so that events find everything to update. */
import type { InWorkspace, OneOptimizationJob, OptimizationCandidate } from '@drydock/sdk';
import { queryOptions } from '@tanstack/react-query';
import { drydock } from '../api/client.ts';

type ListFilters = NonNullable<Parameters<typeof drydock.optimization.list>[1]>;
type ExampleFilters = NonNullable<Parameters<typeof drydock.optimization.examples>[1]>;

export const JOB_LISTS_KEY = 'optimization-jobs';
export const JOB_KEY = 'optimization-job';

/** A candidate contains its texts and reflections, about 20 KB: this many are 10 MB. */
const MAX_CANDIDATES = 500;
const MAX_PAGE_SIZE = 100;
/** Requests of 1,000 events each. */
const MAX_LOG_PAGES = 10;

export const PROPOSALS_PER_PAGE = 50;
export const EXAMPLES_PER_PAGE = 100;

export const jobListQuery = (where: InWorkspace, filters: ListFilters) =>
  queryOptions({
    queryKey: [JOB_LISTS_KEY, where.org, where.workspace, filters],
    queryFn: async ({ signal }) => drydock.optimization.list(where, filters, { signal }),
  });

export const jobQuery = (where: OneOptimizationJob) =>
  queryOptions({
    queryKey: [JOB_KEY, where.job_id],
    queryFn: async ({ signal }) => drydock.optimization.get(where, { signal }),
    // Another workspace in the address must not show what was read for this one.
    staleTime: 0,
  });

export const candidatesQuery = (where: OneOptimizationJob) =>
  queryOptions({
    queryKey: [JOB_KEY, where.job_id, 'candidates'],
    queryFn: async ({ signal }) => {
      const found: OptimizationCandidate[] = [];
      const list = drydock.optimization.candidates(where, { page_size: MAX_PAGE_SIZE }, { signal });
      for await (const candidate of list) if (found.push(candidate) === MAX_CANDIDATES) break;
      return found;
    },
  });

export const proposalsQuery = (where: OneOptimizationJob, page: number) =>
  queryOptions({
    queryKey: [JOB_KEY, where.job_id, 'proposals', page],
    queryFn: async ({ signal }) =>
      drydock.optimization.proposals(where, { page, page_size: PROPOSALS_PER_PAGE }, { signal }),
  });

/** Examples do not change after the job was created. */
export const examplesQuery = (where: OneOptimizationJob, filters: ExampleFilters) =>
  queryOptions({
    queryKey: ['optimization-examples', where.job_id, filters],
    queryFn: async ({ signal }) => drydock.optimization.examples(where, filters, { signal }),
    staleTime: 60_000,
  });

export const logsQuery = (where: OneOptimizationJob) =>
  queryOptions({
    queryKey: [JOB_KEY, where.job_id, 'log'],
    queryFn: async ({ signal }) => {
      const lines = [];
      // A page of events may contain fewer lines than events, so that only an empty one is the last.
      for (let pages = 0; pages < MAX_LOG_PAGES; pages += 1) {
        const { items } = await drydock.optimization.logs(
          where,
          { after: lines.at(-1)?.seq ?? 0 },
          { signal },
        );
        if (items.length === 0) break;
        lines.push(...items);
      }
      return lines;
    },
  });
