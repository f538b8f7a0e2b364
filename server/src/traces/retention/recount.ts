/** Recomputes parts of traces from the remaining spans after some were deleted. */
import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '../../platform/db/transaction.ts';
import { sumUpParts } from '../ingest/part-sums.ts';

/** Key of a row of sender_parts. */
export interface PartKey {
  readonly organization_id: string;
  readonly workspace_id: string;
  readonly trace_id: Buffer;
  readonly user_id: string;
  readonly session_id: string | null;
  readonly project_id: string | null;
}

/**
 * Deletes parts without spans and recounts the others, in three statements, each of which sees more than the one before. A statement that
 * adds spans to a part holds its row, so once the rows are locked no span is missing, and none is added before the end. A part without a
 * row needs no recount: a statement that creates one in between counts the spans itself.
 */
export async function recountParts(trx: Trx, parts: readonly PartKey[]): Promise<void> {
  if (parts.length === 0) return;
  await goByKeys(trx);
  const { rows: locked } = await sql<PartKey>`
    SELECT p.organization_id, p.workspace_id, p.trace_id, p.user_id, p.session_id, p.project_id
      FROM sender_parts AS p JOIN ${toRows(parts)} ON ${isSame('p', 'g')}
     ORDER BY p.organization_id, p.workspace_id, p.trace_id, p.user_id, p.session_id, p.project_id FOR UPDATE OF p`.execute(
    trx,
  );
  if (locked.length === 0) return;
  const given = toRows(locked);
  await sql`
    DELETE FROM sender_parts AS p USING ${given}
     WHERE ${isSame('p', 'g')} AND NOT EXISTS (SELECT FROM spans AS s WHERE ${isOf('s', 'p')})`.execute(trx);
  await sql`
    UPDATE sender_parts AS p
       SET span_count = n.span_count, error_count = n.error_count, span_types = n.span_types, models = n.models,
           first_start = n.first_start, last_start = n.last_start, last_end = n.last_end,
           first_received_at = n.first_received_at,
           input_tokens = n.input_tokens, output_tokens = n.output_tokens,
           cache_read_input_tokens = n.cache_read_input_tokens,
           cache_creation_input_tokens = n.cache_creation_input_tokens,
           cost_usd = n.cost_usd, unpriced_count = n.unpriced_count, root_has_parent = n.root_has_parent,
           root_start = n.root_start, root_span_id = n.root_span_id, root_name = n.root_name,
           root_service_name = (SELECT f.service_name FROM span_sources AS f
                                 WHERE f.organization_id = p.organization_id AND f.id = n.root_source_id)
      FROM (${sumUpParts(spansOf(given))}) AS n WHERE ${isSame('p', 'n')}`.execute(trx);
}

/** Disables scans, so that PostgreSQL never reads all spans of all tenants for these few rows, whatever it estimates. */
export async function goByKeys(trx: Trx): Promise<void> {
  await sql`
    SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
           set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
           -- A plan that was made when a day was empty is none for when it is full.
           set_config('plan_cache_mode', 'force_custom_plan', true)`.execute(trx);
}

/** Builds a query with the columns of spans under their own names. */
const spansOf = (given: RawBuilder<unknown>) => sql`(
  SELECT s.organization_id, s.workspace_id, s.trace_id, s.user_id, s.session_id, s.project_id, s.span_id, s.parent_span_id,
         s.start_time, s.end_time, s.received_at, s.name, s.source_id, s.span_type, s.model, s.status_code, s.input_tokens,
         s.output_tokens, s.cache_read_input_tokens, s.cache_creation_input_tokens, s.cost_usd
    FROM ${given} JOIN sender_parts AS p ON ${isSame('p', 'g')} JOIN spans AS s ON ${isOf('s', 'p')}) AS left_spans`;

/** @param part an alias of sender_parts, whose times determine the days to read */
const isOf = (span: string, part: string) => sql`
  ${sql.ref(`${span}.organization_id`)} = ${sql.ref(`${part}.organization_id`)}
  AND ${sql.ref(`${span}.trace_id`)} = ${sql.ref(`${part}.trace_id`)}
  AND ${sql.ref(`${span}.start_time`)} BETWEEN ${sql.ref(`${part}.first_start`)} AND ${sql.ref(`${part}.last_start`)}
  AND ${sql.ref(`${span}.workspace_id`)} = ${sql.ref(`${part}.workspace_id`)}
  AND ${sql.ref(`${span}.user_id`)} = ${sql.ref(`${part}.user_id`)}
  AND ${sql.ref(`${span}.session_id`)} IS NOT DISTINCT FROM ${sql.ref(`${part}.session_id`)}
  AND ${sql.ref(`${span}.project_id`)} IS NOT DISTINCT FROM ${sql.ref(`${part}.project_id`)}`;

const isSame = (part: string, given: string) => sql`
  ${sql.ref(`${part}.organization_id`)} = ${sql.ref(`${given}.organization_id`)}
  AND ${sql.ref(`${part}.workspace_id`)} = ${sql.ref(`${given}.workspace_id`)}
  AND ${sql.ref(`${part}.trace_id`)} = ${sql.ref(`${given}.trace_id`)}
  AND ${sql.ref(`${part}.user_id`)} = ${sql.ref(`${given}.user_id`)}
  AND ${sql.ref(`${part}.session_id`)} IS NOT DISTINCT FROM ${sql.ref(`${given}.session_id`)}
  AND ${sql.ref(`${part}.project_id`)} IS NOT DISTINCT FROM ${sql.ref(`${given}.project_id`)}`;

const toRows = (parts: readonly PartKey[]) => sql`
  unnest(${parts.map((p) => p.organization_id)}::uuid[], ${parts.map((p) => p.workspace_id)}::uuid[],
         ${parts.map((p) => p.trace_id)}::bytea[], ${parts.map((p) => p.user_id)}::uuid[],
         ${parts.map((p) => p.session_id)}::uuid[], ${parts.map((p) => p.project_id)}::uuid[])
    AS g (organization_id, workspace_id, trace_id, user_id, session_id, project_id)`;
