/**
 * The states of an item, and how the evaluation counts its items by state. An item is a sample: one task or row, one repetition.
 *
 * States change in `running/attempt-rows.ts` (a worker), `control/retry.ts` (a user) and `close-items.ts` (the end of the evaluation).
 */
import { sql } from 'kysely';
import type { Trx } from '../platform/db/transaction.ts';
import { appendEvents } from '../platform/events/event-log.ts';

/** States of an item that a worker still has to work on, in the order in which a sample passes through them. */
export const OPEN_STATES = [
  'queued',
  'claiming',
  'provisioning',
  'agent_running',
  'agent_finished',
  'verifying',
] as const;
export const END_STATES = ['passed', 'failed', 'timed_out', 'cancelled', 'infra_error'] as const;
export const ITEM_STATES = [...OPEN_STATES, ...END_STATES] as const;

export type EndState = (typeof END_STATES)[number];
export type ItemState = (typeof ITEM_STATES)[number];

/** A state without items may be missing. */
export type ItemCounts = Readonly<Partial<Record<ItemState, number>>>;

export const toFullCounts = (counts: ItemCounts): Record<ItemState, number> =>
  Object.fromEntries(ITEM_STATES.map((state) => [state, counts[state] ?? 0])) as Record<ItemState, number>;

/** Above this number of changes at once, they are not reported one by one. */
const MAX_REPORTED = 100;

export interface EvaluationRef {
  readonly organizationId: string;
  readonly evaluationId: string;
}

export interface ItemChange {
  readonly id: string;
  readonly position: number;
  readonly from: ItemState;
  readonly to: ItemState;
  readonly passed?: boolean | null;
  /** These are added to the sums of the evaluation; an item that is put back subtracts its score. */
  readonly scoreSum?: number;
  readonly scoredCount?: number;
  readonly costUsd?: number;
}

/**
 * Counts items in their new states and notifies readers of the evaluation. The caller has changed the rows of the items in the same
 * transaction. The row of the evaluation is locked from here to the commit, so this comes last.
 */
export async function countChanges(
  trx: Trx,
  { organizationId, evaluationId }: EvaluationRef,
  changes: readonly ItemChange[],
): Promise<void> {
  const deltas: Record<string, number> = {};
  const total = (field: 'scoreSum' | 'scoredCount' | 'costUsd') =>
    changes.reduce((sum, change) => sum + (change[field] ?? 0), 0);
  for (const { from, to } of changes) {
    deltas[from] = (deltas[from] ?? 0) - 1;
    deltas[to] = (deltas[to] ?? 0) + 1;
  }
  const { rows } = await sql<{ item_counts: ItemCounts; is_reported: boolean }>`
    UPDATE evaluations AS e
       SET item_counts = (SELECT jsonb_object_agg(key, value) FROM (
             SELECT coalesce(c.key, d.key) AS key, coalesce(c.value::integer, 0) + coalesce(d.value::integer, 0) AS value
               FROM jsonb_each_text(e.item_counts) AS c
               FULL JOIN jsonb_each_text(${JSON.stringify(deltas)}::jsonb) AS d ON d.key = c.key) AS summed),
           score_sum = e.score_sum + ${total('scoreSum')}, scored_count = e.scored_count + ${total('scoredCount')},
           cost_usd = e.cost_usd + ${total('costUsd')},
           counts_told_at = CASE WHEN coalesce(e.counts_told_at < clock_timestamp() - interval '250 milliseconds', true)
                                 THEN clock_timestamp() ELSE e.counts_told_at END
      FROM (SELECT counts_told_at FROM evaluations
             WHERE organization_id = ${organizationId} AND id = ${evaluationId} FOR NO KEY UPDATE) AS before
     WHERE e.organization_id = ${organizationId} AND e.id = ${evaluationId}
    RETURNING e.item_counts, e.counts_told_at IS DISTINCT FROM before.counts_told_at AS is_reported`.execute(
    trx,
  );
  const [row] = rows;
  if (!row) return;
  // A retry of a hundred thousand samples would send as many events at once; its readers query the samples instead.
  const reported = changes.length <= MAX_REPORTED ? changes : [];
  const items = reported.map(({ id, position, to, passed = null }) => ({
    type: 'item',
    data: { id, position, item_status: to, passed },
  }));
  const counts =
    row.is_reported || reported.length < changes.length
      ? [{ type: 'counts', data: { item_counts: toFullCounts(row.item_counts) } }]
      : [];
  await appendEvents(trx, { organizationId, streamId: evaluationId }, [...items, ...counts]);
}
