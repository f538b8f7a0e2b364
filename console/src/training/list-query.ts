/** The query of lists of training jobs, apart from the others because the overview needs no more than this one. */
import type { InWorkspace } from '@drydock/sdk';
import { queryOptions } from '@tanstack/react-query';
import { drydock } from '../api/client.ts';

type ListFilters = NonNullable<Parameters<typeof drydock.training.list>[1]>;

export const JOB_LISTS_KEY = 'training-jobs';

export const jobListQuery = (where: InWorkspace, filters: ListFilters) =>
  queryOptions({
    queryKey: [JOB_LISTS_KEY, where.org, where.workspace, filters],
    queryFn: async ({ signal }) => drydock.training.list(where, filters, { signal }),
  });
