/** The query of the journey of a capability. */
import type { InWorkspace } from '@drydock/sdk';
import { queryOptions } from '@tanstack/react-query';
import { drydock } from '../api/client.ts';

export const PAGE_SIZE = 20;

export const journeyQuery = (where: InWorkspace, capability: string, page: number) =>
  queryOptions({
    queryKey: ['journey', where.org, where.workspace, capability, page],
    queryFn: async ({ signal }) =>
      drydock.capabilities.journey({ ...where, capability }, { page, page_size: PAGE_SIZE }, { signal }),
    staleTime: 0,
  });
