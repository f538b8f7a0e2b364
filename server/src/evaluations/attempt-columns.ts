/** The columns of an item that describe its last attempt: reset for the next attempt, archived when they no longer count. */
import { sql } from 'kysely';
import type { Trx } from '../platform/db/transaction.ts';
import type { SessionTotals } from '../sessions/service.ts';
import { ATTEMPT } from './reading/items.ts';

/** Resets the columns of an attempt, for an item that is queued again. */
export const NO_OUTCOME = sql`attempt_id = NULL, session_id = NULL, agent_sandbox_id = NULL, env_sandbox_id = NULL, passed = NULL,
  score = NULL, scores = '{}', metrics = NULL, stop_reason = NULL, error = NULL, error_kind = NULL, requested_resources = NULL,
  enforced_resources = NULL, input_tokens = 0, output_tokens = 0, cache_read_input_tokens = 0, cache_creation_input_tokens = 0,
  cost_usd = 0, turn_count = 0, answer = NULL, verification = NULL, changed_files = NULL, duration_ms = NULL, started_at = NULL,
  agent_started_at = NULL, agent_finished_at = NULL, completed_at = NULL`;

/** Copies attempts that no longer count to `evaluation_item_attempts`, and removes their texts from the search. */
export async function archiveAttempts(
  trx: Trx,
  organizationId: string,
  itemIds: readonly string[],
): Promise<void> {
  await sql`
    INSERT INTO evaluation_item_attempts (organization_id, item_id, number, id, session_id, outcome)
    SELECT i.organization_id, i.id, i.attempt_number, i.attempt_id, i.session_id, to_jsonb(a)
      FROM evaluation_items AS i CROSS JOIN LATERAL (SELECT ${ATTEMPT}) AS a
     WHERE i.organization_id = ${organizationId} AND i.id = ANY (${itemIds}::uuid[]) AND i.attempt_id IS NOT NULL`.execute(
    trx,
  );
  await sql`
    DELETE FROM evaluation_texts AS t USING evaluation_items AS i
     WHERE i.organization_id = ${organizationId} AND i.id = ANY (${itemIds}::uuid[])
       AND t.organization_id = i.organization_id AND t.evaluation_id = i.evaluation_id AND t.position = i.position`.execute(
    trx,
  );
}

/** Sets the usage of an item to the totals of its session. */
export const toUsage = (
  totals: SessionTotals,
) => sql`input_tokens = ${totals.input_tokens}, output_tokens = ${totals.output_tokens},
    cache_read_input_tokens = ${totals.cache_read_input_tokens},
    cache_creation_input_tokens = ${totals.cache_creation_input_tokens}, cost_usd = ${totals.cost_usd}`;
