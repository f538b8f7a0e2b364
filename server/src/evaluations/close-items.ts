/** Ends the open items of an evaluation that has ended. */
import { sql } from 'kysely';
import type { Trx } from '../platform/db/transaction.ts';
import { appendEvents } from '../platform/events/event-log.ts';
import type { EndStatus } from '../platform/jobs/job-kind.ts';
import { closeAttempts, getGroupTotals } from '../sessions/service.ts';
import { toUsage } from './attempt-columns.ts';
import { type EvaluationRef, type ItemCounts, OPEN_STATES, toFullCounts } from './item-states.ts';

/**
 * Items that have not ended become `cancelled`, or `infra_error` where the evaluation failed: their samples have no result. Runs in
 * the transaction that ends the evaluation.
 */
export async function closeOpenItems(
  trx: Trx,
  { organizationId, evaluationId }: EvaluationRef,
  status: EndStatus,
): Promise<void> {
  const to = status === 'failed' ? 'infra_error' : 'cancelled';
  const error = status === 'failed' ? 'The evaluation failed before this sample had a result.' : null;
  const { rows } = await sql<OpenItem>`
    UPDATE evaluation_items
       SET status = ${to}, passed = NULL, score = NULL, error = ${error}::text,
           error_kind = CASE WHEN ${to} = 'infra_error' THEN 'infra' END,
           stop_reason = CASE WHEN ${to} = 'cancelled' THEN 'cancelled' ELSE stop_reason END, completed_at = now(),
           duration_ms = round(extract(epoch FROM clock_timestamp() - started_at) * 1000)::integer
     WHERE organization_id = ${organizationId} AND evaluation_id = ${evaluationId} AND status = ANY (${[...OPEN_STATES]}::text[])
    RETURNING id, attempt_id`.execute(trx);
  await closeAttempts(trx, organizationId, {
    groupIds: rows.flatMap(({ attempt_id }) => attempt_id ?? []),
    status: status === 'failed' ? 'failed' : 'cancelled',
  });
  const costUsd = await saveUsage(trx, organizationId, rows);
  const { rows: counted } = await sql<{ item_counts: ItemCounts; error: string | null }>`
    UPDATE evaluations AS e
       SET item_counts = coalesce((
             SELECT jsonb_object_agg(c.status, c.count)
               FROM (SELECT status, count(*) AS count FROM evaluation_items
                      WHERE organization_id = ${organizationId} AND evaluation_id = ${evaluationId} GROUP BY status) AS c), '{}'),
           is_paused = false, pause_reason = NULL, cost_usd = e.cost_usd + ${costUsd},
           stop_reason = CASE ${status} WHEN 'cancelled' THEN 'cancelled' WHEN 'failed' THEN 'error' ELSE 'finished' END
     WHERE e.organization_id = ${organizationId} AND e.id = ${evaluationId}
    RETURNING e.item_counts, e.error`.execute(trx);
  const [row] = counted;
  if (!row) return;
  await appendEvents(trx, { organizationId, streamId: evaluationId }, [
    { type: 'counts', data: { item_counts: toFullCounts(row.item_counts) } },
    { type: 'state', data: { status, error: row.error } },
  ]);
}

interface OpenItem {
  readonly id: string;
  readonly attempt_id: string | null;
}

/**
 * Stores the usage of attempts in progress, at most `concurrency` of them.
 * @returns their cost
 */
async function saveUsage(trx: Trx, organizationId: string, items: readonly OpenItem[]): Promise<number> {
  let costUsd = 0;
  for (const { id, attempt_id } of items) {
    if (attempt_id === null) continue;
    const totals = await getGroupTotals(trx, organizationId, attempt_id);
    costUsd += totals.cost_usd;
    await sql`
      UPDATE evaluation_items SET ${toUsage(totals)}
       WHERE organization_id = ${organizationId} AND id = ${id}`.execute(trx);
  }
  return costUsd;
}
