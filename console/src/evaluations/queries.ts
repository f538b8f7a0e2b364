/** The queries of the evaluation pages. Keys begin with `evaluation` and its ID, so that events find everything to update. */
import type { InWorkspace, OneEvaluation, OneItem } from '@drydock/sdk';
import { queryOptions } from '@tanstack/react-query';
import { drydock } from '../api/client.ts';

type ListFilters = NonNullable<Parameters<typeof drydock.evaluations.list>[1]>;
type ItemFilters = NonNullable<Parameters<typeof drydock.evaluationItems.list>[1]>;

export const LISTS_KEY = 'evaluations';

export const evaluationListQuery = (where: InWorkspace, filters: ListFilters) =>
  queryOptions({
    queryKey: [LISTS_KEY, where.org, where.workspace, filters],
    queryFn: async ({ signal }) => drydock.evaluations.list(where, filters, { signal }),
  });

export const FACETS_KEY = 'evaluation-facets';

type FacetFilters = NonNullable<Parameters<typeof drydock.evaluations.facets>[1]>;

export const facetsQuery = (where: InWorkspace, filters: FacetFilters) =>
  queryOptions({
    queryKey: [FACETS_KEY, where.org, where.workspace, filters],
    queryFn: async ({ signal }) => drydock.evaluations.facets(where, filters, { signal }),
    staleTime: 0,
  });

export const evaluationQuery = (where: OneEvaluation) =>
  queryOptions({
    queryKey: ['evaluation', where.evaluation_id],
    queryFn: async ({ signal }) => drydock.evaluations.get(where, { signal }),
    // Another workspace in the address must not show what was read for this one.
    staleTime: 0,
  });

/** The models that can be called, simulated ones included. */
export const modelsQuery = (org: string) =>
  queryOptions({
    queryKey: ['models', org],
    queryFn: async ({ signal }) => drydock.inference.listModels({ org }, { signal }),
    staleTime: 60_000,
  });

export const analyticsQuery = (where: OneEvaluation) =>
  queryOptions({
    queryKey: ['evaluation', where.evaluation_id, 'analytics'],
    queryFn: async ({ signal }) => drydock.evaluations.analytics(where, { signal }),
  });

export const itemListQuery = (where: OneEvaluation, filters: ItemFilters) =>
  queryOptions({
    queryKey: ['evaluation', where.evaluation_id, 'items', filters],
    queryFn: async ({ signal }) => drydock.evaluationItems.list(where, filters, { signal }),
  });

export const itemSearchQuery = (where: OneEvaluation, q: string) =>
  queryOptions({
    queryKey: ['evaluation', where.evaluation_id, 'search', q],
    queryFn: async ({ signal }) => drydock.evaluationItems.search(where, { q }, { signal }),
  });

export const itemQuery = (where: OneItem) =>
  queryOptions({
    queryKey: ['evaluation', where.evaluation_id, 'item', where.item_id],
    queryFn: async ({ signal }) => drydock.evaluationItems.get(where, { signal }),
  });

export const attemptsQuery = (where: OneItem) =>
  queryOptions({
    queryKey: ['evaluation', where.evaluation_id, 'item', where.item_id, 'attempts'],
    queryFn: async ({ signal }) => drydock.evaluationItems.attempts(where, { signal }),
  });

/** Log lines since the page was opened. They come only from events. */
export const logQuery = (evaluationId: string) =>
  queryOptions({
    queryKey: ['evaluation', evaluationId, 'log'],
    queryFn: (): readonly LogLine[] => [],
    initialData: (): readonly LogLine[] => [],
    // Invalidating the evaluation must not empty it.
    enabled: false,
    staleTime: Infinity,
    gcTime: Infinity,
  });

export interface LogLine {
  readonly number: number;
  readonly at: string;
  readonly itemId: string | null;
  readonly message: string;
}
