/** Recomputes the counters of a session from its stored messages and compactions. */
import { sql } from 'kysely';
import { NEXT_CHANGE } from '../../platform/db/change-time.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { toSearchText } from '../search-text.ts';

/** Number of characters of the first user message that lists show. */
export const PREVIEW_LENGTH = 200;

/** The caller holds the session's lock. */
export async function recountSession(trx: Trx, organizationId: string, sessionId: string): Promise<void> {
  const { rows } = await sql<{ title: string | null; preview_text: string | null }>`
    WITH era AS (
      SELECT count(*) AS compaction_count, coalesce(max(c.up_to_seq), 0) AS compacted_up_to
        FROM session_compactions AS c WHERE c.organization_id = ${organizationId} AND c.session_id = ${sessionId}
    ), sums AS (
      SELECT coalesce(max(m.seq), 0) AS last_seq,
             coalesce(sum(m.input_tokens) FILTER (WHERE m.is_generation), 0) AS input_tokens,
             coalesce(sum(m.output_tokens) FILTER (WHERE m.is_generation), 0) AS output_tokens,
             coalesce(sum(m.cache_read_input_tokens) FILTER (WHERE m.is_generation), 0) AS cache_read_input_tokens,
             coalesce(sum(m.cache_creation_input_tokens) FILTER (WHERE m.is_generation), 0) AS cache_creation_input_tokens,
             coalesce(sum(m.tool_call_count), 0) AS tool_call_count,
             coalesce(sum(m.cost_usd) FILTER (WHERE m.is_generation), 0) AS cost_usd,
             count(*) FILTER (WHERE m.is_generation AND m.cost_usd IS NULL) AS unpriced_count,
             coalesce(sum(m.input_tokens) FILTER (WHERE m.is_generation AND m.is_old), 0) AS old_input_tokens,
             coalesce(sum(m.output_tokens) FILTER (WHERE m.is_generation AND m.is_old), 0) AS old_output_tokens,
             coalesce(sum(m.cache_read_input_tokens) FILTER (WHERE m.is_generation AND m.is_old), 0)
               AS old_cache_read_input_tokens,
             coalesce(sum(m.cache_creation_input_tokens) FILTER (WHERE m.is_generation AND m.is_old), 0)
               AS old_cache_creation_input_tokens,
             coalesce(sum(m.tool_call_count) FILTER (WHERE m.is_old), 0) AS old_tool_call_count,
             coalesce(sum(m.cost_usd) FILTER (WHERE m.is_generation AND m.is_old), 0) AS old_cost_usd,
             count(*) FILTER (WHERE m.is_generation AND m.is_old AND m.cost_usd IS NULL) AS old_unpriced_count
        FROM (
          SELECT x.seq, x.input_tokens, x.output_tokens, x.cache_read_input_tokens, x.cache_creation_input_tokens,
                 x.tool_call_count, x.cost_usd, x.role = 'assistant' AND x.input_tokens IS NOT NULL AS is_generation,
                 x.seq <= era.compacted_up_to AS is_old
            FROM session_messages AS x, era WHERE x.organization_id = ${organizationId} AND x.session_id = ${sessionId}
        ) AS m
    )
    UPDATE sessions AS s
       SET updated_at = ${NEXT_CHANGE},
           claimed_message_count = NULL,
           last_seq = sums.last_seq,
           compacted_up_to = era.compacted_up_to,
           compaction_count = era.compaction_count,
           last_message_at = (
             SELECT m.created_at FROM session_messages AS m
              WHERE m.organization_id = ${organizationId} AND m.session_id = ${sessionId} AND m.seq = sums.last_seq),
           preview_text = (
             SELECT left(m.content, ${PREVIEW_LENGTH}) FROM session_messages AS m
              WHERE m.organization_id = ${organizationId} AND m.session_id = ${sessionId} AND m.role = 'user'
              ORDER BY m.seq LIMIT 1),
           last_generation_input_tokens = (
             SELECT m.input_tokens FROM session_messages AS m
              WHERE m.organization_id = ${organizationId} AND m.session_id = ${sessionId} AND m.role = 'assistant'
                AND m.input_tokens IS NOT NULL
              ORDER BY m.seq DESC LIMIT 1),
           input_tokens = sums.input_tokens,
           output_tokens = sums.output_tokens,
           cache_read_input_tokens = sums.cache_read_input_tokens,
           cache_creation_input_tokens = sums.cache_creation_input_tokens,
           tool_call_count = sums.tool_call_count,
           cost_usd = sums.cost_usd,
           unpriced_count = sums.unpriced_count,
           compacted_input_tokens = sums.old_input_tokens,
           compacted_output_tokens = sums.old_output_tokens,
           compacted_cache_read_input_tokens = sums.old_cache_read_input_tokens,
           compacted_cache_creation_input_tokens = sums.old_cache_creation_input_tokens,
           compacted_tool_call_count = sums.old_tool_call_count,
           compacted_cost_usd = sums.old_cost_usd,
           compacted_unpriced_count = sums.old_unpriced_count
      FROM sums, era
     WHERE s.organization_id = ${organizationId} AND s.id = ${sessionId}
    RETURNING s.title, s.preview_text`.execute(trx);
  for (const { title, preview_text } of rows) {
    await sql`
      UPDATE sessions AS s SET search_text = ${toSearchText(title, preview_text)}
       WHERE s.organization_id = ${organizationId} AND s.id = ${sessionId}`.execute(trx);
  }
}
