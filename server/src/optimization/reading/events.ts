/** The events of a job in the API. Clients read texts and scores by example with other operations. */
import { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import type { EventFeed } from '../../platform/events/event-log.ts';
import { JOB_STATES } from '../schema.ts';
import { type Place, requireJob } from './store.ts';

const decided = {
  iteration: z.int(),
  proposal: z.int(),
  parents: z.array(z.int().nullable()),
  components: z.array(z.string()).optional(),
  parent_sum: z.number().nullable(),
  child_sum: z.number().nullable(),
};

const Minibatch = z.array(z.int());

export const OPTIMIZATION_EVENTS = {
  optimization_start: z.object({}).meta({ id: 'OptimizationStartEvent' }),
  iteration_start: z
    .object({
      iteration: z.int(),
      proposals: z.array(z.object({ parent: z.int(), minibatch: Minibatch })).optional(),
      merge: z.object({ parents: z.array(z.int()), ancestor: z.int(), minibatch: Minibatch }).optional(),
    })
    .meta({ id: 'OptimizationIterationEvent' }),
  candidate_accepted: z
    .object({
      ...decided,
      index: z.int(),
      found_by: z.enum(['seed', 'reflection', 'merge']),
      metric_calls_at_discovery: z.int(),
    })
    .meta({ id: 'OptimizationAcceptedEvent' }),
  candidate_rejected: z
    .object({ ...decided, reason: z.string(), error: z.string().optional() })
    .meta({ id: 'OptimizationRejectedEvent' }),
  valset_evaluated: z
    .object({
      iteration: z.int(),
      index: z.int(),
      mean: z.number(),
      is_best: z.boolean(),
    })
    .meta({ id: 'OptimizationValidationEvent' }),
  budget_updated: z.object({ metric_calls: z.int() }).meta({ id: 'OptimizationBudgetEvent' }),
  pareto_front_updated: z
    .object({ frontier_size: z.int(), front: z.array(z.int()) })
    .meta({ id: 'OptimizationFrontierEvent' }),
  optimization_error: z.object({ message: z.string() }).meta({ id: 'OptimizationErrorEvent' }),
  optimization_end: z
    .object({
      status: z.enum(JOB_STATES),
      stop_reason: z.string().nullable(),
      best_index: z.int().nullable(),
    })
    .meta({ id: 'OptimizationEndEvent' }),
};

export async function getFeed(db: Db, scope: Place, given: string): Promise<EventFeed> {
  return { organizationId: scope.organizationId, streamId: await requireJob(db, scope, given) };
}
