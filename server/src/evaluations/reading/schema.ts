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
  search: z.string().max(255).optional().describe('A part of the name, whatever its case'),
  sort_by: z.enum(['created_at', 'name']).default('created_at'),
  sort_dir: z.enum(['asc', 'desc']).default('desc'),
});

export type EvaluationListQuery = z.output<typeof EvaluationQuery>;

export const EvaluationListResponse = pageOf(EvaluationResponse).meta({ id: 'EvaluationListResponse' });

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
