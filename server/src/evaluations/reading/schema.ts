/** Requests that read evaluations. */
import { z } from 'zod';
import { Uuid } from '../../platform/fields.ts';
import { ITEM_STATES } from '../item-states.ts';
import { EVALUATION_STATES, EvaluationItem, EvaluationItemAttempt, EvaluationResponse } from '../schema.ts';

const page = {
  page: z.int().min(1).default(1).describe('1-indexed'),
  page_size: z.int().min(1).max(100).default(20),
};

const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    total: z.int().describe('Items matching the query'),
    page: z.int().describe('1-indexed'),
    page_size: z.int(),
  });

export const EvaluationQuery = z.object({
  ...page,
  status: z.enum(EVALUATION_STATES).optional(),
  project_id: Uuid.optional(),
  model: z.string().optional(),
  search: z.string().max(255).optional().describe('Part of the name, case-insensitive'),
  sort_by: z.enum(['created_at', 'name']).default('created_at'),
  sort_dir: z.enum(['asc', 'desc']).default('desc'),
});

export type EvaluationListQuery = z.output<typeof EvaluationQuery>;

export const EvaluationListResponse = pageOf(EvaluationResponse).meta({ id: 'EvaluationListResponse' });

export const EvaluationFacetQuery = EvaluationQuery.pick({
  status: true,
  project_id: true,
  model: true,
  search: true,
});

export type EvaluationFilters = z.output<typeof EvaluationFacetQuery>;

const FacetEntry = z.object({ value: z.string(), count: z.int() }).meta({ id: 'EvaluationFacetEntry' });

export const EvaluationFacetsResponse = z
  .object({
    statuses: z.array(FacetEntry).describe('Counted without the filter `status`'),
    models: z
      .array(FacetEntry)
      .describe('Counted without the filter `model`; at most 100, the most frequent first'),
  })
  .meta({ id: 'EvaluationFacetsResponse' });

export const ItemQuery = z.object({
  ...page,
  item_status: z.enum(ITEM_STATES).optional(),
  passed: z.boolean().optional(),
  task_name: z.string().optional(),
  min_score: z.number().optional(),
  max_score: z.number().optional(),
  sort_by: z.enum(['position', 'score', 'duration_ms', 'cost_usd']).default('position'),
  sort_dir: z.enum(['asc', 'desc']).default('asc'),
});

export type ItemListQuery = z.output<typeof ItemQuery>;

export const EvaluationItemListResponse = pageOf(EvaluationItem).meta({ id: 'EvaluationItemListResponse' });

export const AttemptList = z.array(EvaluationItemAttempt);
