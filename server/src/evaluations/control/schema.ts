/** Requests that change evaluations. */
import { z } from 'zod';
import { Name } from '../../platform/fields.ts';
import { listOf } from '../../platform/http/requests/lists.ts';
import { Budget, Concurrency, Tags } from '../creation/schema.ts';

export const EvaluationUpdateRequest = z
  .object({
    name: Name.optional(),
    concurrency: Concurrency.optional(),
    paused: z.boolean().optional().describe('Paused: samples under way finish, and no more begin'),
    budget_usd: Budget.nullish(),
    tags: Tags.optional(),
  })
  .meta({ id: 'EvaluationUpdateRequest' });

export type EvaluationUpdate = z.output<typeof EvaluationUpdateRequest>;

export const RETRIED_STATES = ['failed', 'infra_error', 'timed_out'] as const;

export const EvaluationRetryRequest = z
  .object({ states: listOf(z.enum(RETRIED_STATES), RETRIED_STATES.length, 1).nullish() })
  .meta({ id: 'EvaluationRetryRequest' });
