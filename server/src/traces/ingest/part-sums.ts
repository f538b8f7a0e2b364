/** The sums of sender_parts over spans: one definition for storing spans and for removing them. */
import { type RawBuilder, sql } from 'kysely';
import { bitOf, OWN_FIGURES, SPAN_TYPES } from '../span-types.ts';

/** Maximum number of models per part; longer lists are truncated. */
export const MAX_MODELS = 50;
/** Maximum length of a root span's name in lists; a name may be as long as a request. */
const MAX_ROOT_NAME = 1_000;

const ERROR = sql.lit(2);
const BIT_OF_TYPE = sql`CASE span_type ${sql.join(
  SPAN_TYPES.map((type) => sql`WHEN ${sql.lit(type)} THEN ${sql.lit(bitOf(type))}`),
  sql` `,
)} ELSE 0 END`;
const HAS_OWN = sql`span_type IN (${sql.join(OWN_FIGURES.map((type) => sql.lit(type)))})`;
const sumOf = (column: string) => sql`coalesce(sum(${sql.ref(column)}) FILTER (WHERE ${HAS_OWN}), 0)`;

/**
 * Builds a query that returns one row per part: its key, its sums, and the source of its root span, which holds the service name. The
 * session state is not part of the result, since spans do not carry it.
 * @param spans the FROM clause, with the columns of spans under their own names
 */
export const sumUpParts = (spans: RawBuilder<unknown>) => sql`
  SELECT organization_id, workspace_id, trace_id, user_id, session_id, project_id,
         count(*)::integer AS span_count,
         (count(*) FILTER (WHERE status_code = ${ERROR}))::integer AS error_count,
         bit_or(${BIT_OF_TYPE}) AS span_types,
         coalesce((array_agg(DISTINCT model COLLATE "C") FILTER (WHERE model IS NOT NULL))[1:${sql.lit(MAX_MODELS)}], '{}') AS models,
         min(start_time) AS first_start,
         max(start_time) AS last_start,
         max(end_time) AS last_end,
         min(received_at) AS first_received_at,
         ${sumOf('input_tokens')}::bigint AS input_tokens,
         ${sumOf('output_tokens')}::bigint AS output_tokens,
         ${sumOf('cache_read_input_tokens')}::bigint AS cache_read_input_tokens,
         ${sumOf('cache_creation_input_tokens')}::bigint AS cache_creation_input_tokens,
         ${sumOf('cost_usd')} AS cost_usd,
         (count(*) FILTER (WHERE ${HAS_OWN} AND cost_usd IS NULL AND (input_tokens > 0 OR output_tokens > 0)))::integer AS unpriced_count,
         bool_and(parent_span_id IS NOT NULL) AS root_has_parent,
         min(start_time) FILTER (WHERE is_root) AS root_start,
         (array_agg(span_id) FILTER (WHERE is_root))[1] AS root_span_id,
         left(min(name) FILTER (WHERE is_root), ${sql.lit(MAX_ROOT_NAME)}) AS root_name,
         (array_agg(source_id) FILTER (WHERE is_root))[1] AS root_source_id
    FROM (
      SELECT organization_id, workspace_id, trace_id, user_id, session_id, project_id, span_id, parent_span_id, start_time,
             end_time, received_at, name, source_id, span_type, model, status_code, input_tokens, output_tokens, cache_read_input_tokens,
             cache_creation_input_tokens, cost_usd,
             row_number() OVER (
               PARTITION BY trace_id, session_id, project_id, user_id, organization_id, workspace_id -- what differs most first
               ORDER BY parent_span_id IS NOT NULL, start_time, span_id) = 1 AS is_root
        FROM ${spans}
    ) AS ranked
   GROUP BY trace_id, session_id, project_id, user_id, organization_id, workspace_id`;
