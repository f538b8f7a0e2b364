/** The events of an evaluation, and the feed that streams them. */
import { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import type { EventFeed } from '../../platform/events/event-log.ts';
import { Id } from '../../platform/fields.ts';
import { ITEM_STATES } from '../item-states.ts';
import { EVALUATION_STATES } from '../schema.ts';
import { type Place, requireEvaluation } from './store.ts';

const Counts = z
  .object({ item_counts: z.record(z.enum(ITEM_STATES), z.int()) })
  .meta({ id: 'EvaluationCountsEvent' });

const Item = z
  .object({ id: Id, position: z.int(), item_status: z.enum(ITEM_STATES), passed: z.boolean().nullable() })
  .meta({ id: 'EvaluationItemEvent' });

const State = z
  .object({
    status: z.enum(EVALUATION_STATES),
    pause_reason: z.string().nullable().optional(),
    error: z.string().nullable().optional(),
  })
  .meta({ id: 'EvaluationStateEvent' });

const LogLine = z.object({ item_id: Id.nullable(), message: z.string() }).meta({ id: 'EvaluationLogEvent' });

/** Counts are reported at most four times a second, and at the end. */
export const EVALUATION_EVENTS = { counts: Counts, item: Item, state: State, log: LogLine };

export async function getFeed(db: Db, scope: Place, given: string): Promise<EventFeed> {
  return { organizationId: scope.organizationId, streamId: await requireEvaluation(db, scope, given) };
}
