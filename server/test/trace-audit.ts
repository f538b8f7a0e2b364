/** Compares the stored traces with what was sent and with figures computed from it. */
import pg from 'pg';
import { expect } from 'vitest';
import type { DecodedSpan } from '../src/traces/otlp/model.ts';
import { SPAN_TYPES } from '../src/traces/span-types.ts';

/**
 * Requires that exactly the sent spans are stored, each once.
 * @returns their number
 */
export async function auditSpans(url: string, sent: readonly DecodedSpan[]): Promise<number> {
  return withClient(url, async (client) => {
    const { rows } = await client.query(
      `WITH sent AS (SELECT DISTINCT * FROM unnest($1::bytea[], $2::bytea[]) AS s (trace_id, span_id))
       SELECT (SELECT count(*) FROM sent)::int AS sent, (SELECT count(*) FROM spans)::int AS stored,
              (SELECT count(*) FROM sent JOIN spans USING (trace_id, span_id))::int AS found`,
      [sent.map(({ traceId }) => Buffer.from(traceId)), sent.map(({ spanId }) => Buffer.from(spanId))],
    );
    const count = sent.length;
    expect(rows[0]).toEqual({ sent: count, stored: count, found: count });
    return count;
  });
}

/**
 * Requires that lists match the spans.
 * @returns the number of parts of traces
 */
export async function auditParts(url: string): Promise<number> {
  return withClient(url, async (client) => {
    const { rows: counted } = await client.query(RECOUNT, [SPAN_TYPES]);
    const { rows: stored } = await client.query(STORED);
    expect(stored).toHaveLength(counted.length);
    for (const [index, part] of stored.entries()) expect(part).toEqual(counted[index]);
    return stored.length;
  });
}

const FIGURES = `span_count, error_count, span_types, models, first_start, last_start, last_end, input_tokens, output_tokens,
  cache_read_input_tokens, cache_creation_input_tokens, cost_usd, unpriced_count, root_has_parent, root_start, root_span_id,
  root_name, root_service_name`;
const KEY = 'organization_id, workspace_id, trace_id, user_id, session_id, project_id';

const STORED = `SELECT ${KEY}, ${FIGURES.replace('cost_usd', 'trim_scale(cost_usd) AS cost_usd')} FROM sender_parts ORDER BY ${KEY}`;

const RECOUNT = `
  WITH roots AS (
    SELECT DISTINCT ON (${KEY.replaceAll(/(\w+)/g, 's.$1')}) ${KEY.replaceAll(/(\w+)/g, 's.$1')},
           s.parent_span_id IS NOT NULL AS root_has_parent, s.start_time AS root_start, s.span_id AS root_span_id,
           s.name AS root_name, source.service_name AS root_service_name
      FROM spans AS s JOIN span_sources AS source ON source.organization_id = s.organization_id AND source.id = s.source_id
     ORDER BY ${KEY.replaceAll(/(\w+)/g, 's.$1')}, s.parent_span_id IS NOT NULL, s.start_time, s.span_id),
  figures AS (
    SELECT ${KEY}, count(*)::int AS span_count, (count(*) FILTER (WHERE status_code = 2))::int AS error_count,
           bit_or(1 << (array_position($1::text[], span_type) - 1)) AS span_types,
           coalesce(array_agg(DISTINCT model COLLATE "C" ORDER BY model COLLATE "C") FILTER (WHERE model IS NOT NULL), '{}') AS models,
           min(start_time) AS first_start, max(start_time) AS last_start, max(end_time) AS last_end,
           coalesce(sum(input_tokens) FILTER (WHERE is_own), 0)::bigint AS input_tokens, coalesce(sum(output_tokens) FILTER (WHERE is_own), 0)::bigint AS output_tokens,
           coalesce(sum(cache_read_input_tokens) FILTER (WHERE is_own), 0)::bigint AS cache_read_input_tokens,
           coalesce(sum(cache_creation_input_tokens) FILTER (WHERE is_own), 0)::bigint AS cache_creation_input_tokens,
           trim_scale(coalesce(sum(cost_usd) FILTER (WHERE is_own), 0)) AS cost_usd,
           (count(*) FILTER (WHERE is_own AND cost_usd IS NULL AND (input_tokens > 0 OR output_tokens > 0)))::int AS unpriced_count
      FROM (SELECT *, span_type NOT IN ('agent', 'chain', 'tool') AS is_own FROM spans) AS s GROUP BY ${KEY})
  SELECT ${KEY.replaceAll(/(\w+)/g, 'f.$1')}, ${FIGURES}
    FROM figures AS f JOIN roots AS r
      ON (r.organization_id, r.workspace_id, r.trace_id, r.user_id) = (f.organization_id, f.workspace_id, f.trace_id, f.user_id)
     AND r.session_id IS NOT DISTINCT FROM f.session_id AND r.project_id IS NOT DISTINCT FROM f.project_id
   ORDER BY ${KEY}`;

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
