/** The statement that stores spans, their sources, the summaries of their traces and their usage. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { list } from '../../platform/db/value-list.ts';
import { UNCOUNTED_CALL } from '../dialects/conventions.ts';
import { CALLS_OF_MODELS } from '../span-types.ts';
import { MAX_MODELS, sumUpParts } from './part-sums.ts';
import type { ChunkSource } from './span-chunk.ts';
import { COLUMN_NAMES, SPAN_COLUMNS, type SpanColumn } from './span-rows.ts';

export interface PlacedSource {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly projectId: string | null;
  readonly userId: string;
  readonly source: ChunkSource;
  /** Approximate size of its spans in bytes, for the quota. */
  readonly bytes: number;
}

export interface SpanBatch {
  /** Binary arrays, one per column. */
  readonly columns: Record<SpanColumn, Buffer>;
  /** Binary array: for each span the position of its source in `sources`, counted from 1; 0 for a span that is not to be stored. */
  readonly sourceNumbers: Buffer;
  readonly sources: readonly PlacedSource[];
  /** Costs from the price list for spans that report none; empty when it prices none of them. */
  readonly listCosts: Buffer;
}

/** Spans that were not stored. A source is identified by its position in `sources`, counted from 1. */
export interface Unstored {
  /** Sources whose workspace was deleted. */
  readonly gone: readonly number[];
  /** Number of spans per source whose key is stored for another workspace or was sent by another user. */
  readonly taken: ReadonlyMap<number, number>;
}

/**
 * Stores each span once (deduplication: `ON CONFLICT DO NOTHING` on the primary key), even when several statements send it concurrently, and
 * adds only the spans that this statement has stored to the figures of traces and to usage. The bytes for the quota include repeated spans.
 * Waits for statements that store the same spans or update the same traces. Spans and parts are written in the order of their keys, which
 * prevents deadlocks. The spans are durable once this returns.
 */
export async function storeSpans(db: Db, batch: SpanBatch): Promise<Unstored> {
  const { rows } = await sql<{ number: number; is_kept: boolean; stored: number }>`
    WITH given AS MATERIALIZED (${givenSources(batch.sources)}),
    ${WORKSPACES},
    ${KEPT},
    ${NEW_SOURCES},
    ${USED_SOURCES},
    stored AS (${insertSpans(batch)}),
    summed AS (${sumUpParts(sql`stored`)}),
    ${PARTS},
    ${USAGE},
    ${CALL_PARENTS},
    ${COUNTED_BYTES}
    SELECT number::integer, is_kept, (SELECT count(*)::integer FROM stored) AS stored FROM kept`.execute(db);
  const isKept = new Set(rows.filter(({ is_kept }) => is_kept).map(({ number }) => number));
  const given = batch.sources.reduce(
    (sum, { source }, index) => sum + (isKept.has(index + 1) ? source.spans : 0),
    0,
  );
  return {
    gone: rows.flatMap(({ number, is_kept }) => (is_kept ? [] : number)),
    taken: given === rows[0]?.stored ? NONE_TAKEN : await countTaken(db, batch, [...isKept]),
  };
}

const NONE_TAKEN: ReadonlyMap<number, number> = new Map();

/**
 * Counts spans that are stored for another workspace or sender. Runs only when a span was skipped. Most skipped spans are repeats of the
 * same sender, which are not counted.
 */
async function countTaken(
  db: Db,
  { columns, sourceNumbers, sources }: SpanBatch,
  kept: readonly number[],
): Promise<Map<number, number>> {
  const key = ['trace_id', 'start_time', 'span_id'] as const;
  const given = key.map(
    (name) => sql`unnest(${list(columns[name], SPAN_COLUMNS[name])}) AS ${sql.ref(name)}`,
  );
  const { rows } = await sql<{ number: number; spans: number }>`
    WITH given AS MATERIALIZED (${givenSources(sources)})
    SELECT x.number, count(*)::integer AS spans
      FROM (SELECT ${sql.join(given)}, unnest(${list(sourceNumbers, 'integer')}) AS number) AS x
      JOIN given AS g ON g.number = x.number
     WHERE x.number = ANY (${kept}) AND NOT EXISTS (
       SELECT FROM spans AS s
        WHERE s.organization_id = g.organization_id AND s.trace_id = x.trace_id AND s.start_time = x.start_time
          AND s.span_id = x.span_id AND s.workspace_id = g.workspace_id AND s.user_id = g.user_id OFFSET 0)
     GROUP BY x.number`.execute(db);
  return new Map(rows.map(({ number, spans }) => [number, spans]));
}

function givenSources(sources: readonly PlacedSource[]): RawBuilder<unknown> {
  const of = (read: (source: PlacedSource) => string | null, type: string) => list(sources.map(read), type);
  return sql`
    SELECT number, organization_id, workspace_id, project_id, user_id, id, service_name, resource, scope, bytes
      FROM unnest(
        ${of(({ organizationId }) => organizationId, 'uuid')},
        ${of(({ workspaceId }) => workspaceId, 'uuid')},
        ${of(({ projectId }) => projectId, 'uuid')},
        ${of(({ userId }) => userId, 'uuid')},
        ${of(({ source }) => source.id, 'uuid')},
        ${of(({ source }) => source.serviceName, 'text')},
        ${of(({ source }) => source.resource, 'json')},
        ${of(({ source }) => source.scope, 'json')},
        ${of(({ bytes }) => String(bytes), 'bigint')}
      ) WITH ORDINALITY
        AS g (organization_id, workspace_id, project_id, user_id, id, service_name, resource, scope, bytes, number)`;
}

/** Locks the workspaces until the spans are committed: the deletion of a workspace waits, and then deletes these spans too. */
const WORKSPACES = sql`
  places AS MATERIALIZED (
    SELECT g.organization_id, g.workspace_id
      FROM (SELECT DISTINCT organization_id, workspace_id FROM given ORDER BY organization_id, workspace_id) AS g
      CROSS JOIN LATERAL (
        SELECT w.id FROM workspaces AS w
         WHERE w.organization_id = g.organization_id AND w.id = g.workspace_id FOR KEY SHARE
      ) AS w
  )`;

const KEPT = sql`
  kept AS MATERIALIZED (
    SELECT g.number, g.organization_id, g.workspace_id, g.project_id, g.user_id, g.id, g.service_name, g.resource, g.scope, g.bytes,
           p.workspace_id IS NOT NULL AS is_kept
      FROM given AS g
      LEFT JOIN places AS p ON p.organization_id = g.organization_id AND p.workspace_id = g.workspace_id
  )`;

/**
 * Counts bytes for the quota in 16 rows per organization and day, chosen by the connection, so that writers rarely wait for each other.
 * Repeated spans count again: retries are rare.
 */
const COUNTED_BYTES = sql`
  counted_bytes AS (
    INSERT INTO span_bytes AS b (organization_id, day, part, bytes)
    SELECT organization_id, current_date, pg_backend_pid() % 16, sum(bytes) FROM kept WHERE is_kept
     GROUP BY organization_id ORDER BY organization_id
    ON CONFLICT (organization_id, day, part) DO UPDATE SET bytes = b.bytes + excluded.bytes
  )`;

const NEW_SOURCES = sql`
  new_sources AS (
    INSERT INTO span_sources (organization_id, id, service_name, resource, scope)
    SELECT DISTINCT ON (k.organization_id, k.id) k.organization_id, k.id, k.service_name, k.resource, k.scope
      FROM kept AS k
      LEFT JOIN LATERAL (
        SELECT true AS is_there FROM span_sources AS s
         WHERE s.organization_id = k.organization_id AND s.id = k.id OFFSET 0
      ) AS s ON true
     WHERE k.is_kept AND s.is_there IS NULL
     ORDER BY k.organization_id, k.id
    ON CONFLICT (organization_id, id) DO NOTHING
  )`;

/** Records the use of sources once a day. Skips a row that another statement has locked, since that statement records the same. */
const USED_SOURCES = sql`
  used_sources AS (
    UPDATE span_sources AS s SET last_used_at = now()
      FROM (
        SELECT u.organization_id, u.id
          FROM (SELECT DISTINCT organization_id, id FROM kept WHERE is_kept) AS k
          CROSS JOIN LATERAL (
            SELECT u.organization_id, u.id FROM span_sources AS u
             WHERE u.organization_id = k.organization_id AND u.id = k.id AND u.last_used_at < now() - interval '1 day'
               FOR NO KEY UPDATE SKIP LOCKED
          ) AS u
      ) AS u
     WHERE s.organization_id = u.organization_id AND s.id = u.id
  )`;

/**
 * Unnests the lists side by side in a select list, which streams them; unnesting in FROM would materialize a table first. A list that is
 * shorter than the others yields null at its end.
 */
function insertSpans({ columns, sourceNumbers, sources, listCosts }: SpanBatch): RawBuilder<unknown> {
  const names = COLUMN_NAMES.map((name) => sql.ref(name));
  const values = COLUMN_NAMES.map((name) =>
    name === 'cost_usd' ? sql`coalesce(cost_usd, list_cost_usd)` : sql.ref(name),
  );
  const unnested = COLUMN_NAMES.map(
    (name) => sql`unnest(${list(columns[name], SPAN_COLUMNS[name])}) AS ${sql.ref(name)}`,
  );
  const ofSource = (read: (source: PlacedSource) => string | null) =>
    sql`(${list(sources.map(read), 'uuid')})[source_number]`;
  return sql`
    INSERT INTO spans (organization_id, workspace_id, project_id, user_id, source_id, ${sql.join(names)})
    SELECT ${ofSource(({ organizationId }) => organizationId)},
           ${ofSource(({ workspaceId }) => workspaceId)},
           ${ofSource(({ projectId }) => projectId)},
           ${ofSource(({ userId }) => userId)},
           ${ofSource(({ source }) => source.id)},
           ${sql.join(values)}
      FROM (
        SELECT ${sql.join(unnested, sql`,\n               `)},
               unnest(${list(listCosts, 'double precision')}) AS list_cost_usd,
               unnest(${list(sourceNumbers, 'integer')}) AS source_number,
               generate_subscripts(${list(sourceNumbers, 'integer')}, 1) AS position
      ) AS given_spans
     WHERE ((SELECT array_agg(is_kept ORDER BY number) FROM kept))[source_number]
     ORDER BY trace_id, start_time, span_id, position
    ON CONFLICT DO NOTHING
    RETURNING organization_id, workspace_id, trace_id, session_id, project_id, span_id, parent_span_id, start_time, end_time, name,
              source_id, span_type, model, status_code, input_tokens, output_tokens, cache_read_input_tokens,
              cache_creation_input_tokens, cost_usd, user_id, inference_call_id, received_at, kind, operation`;
}

const IS_EARLIER_ROOT = sql`
  (excluded.root_has_parent, excluded.root_start, excluded.root_span_id) < (p.root_has_parent, p.root_start, p.root_span_id)`;
const ofRoot = (column: string) => {
  const name = sql.ref(column);
  return sql`${name} = CASE WHEN ${IS_EARLIER_ROOT} THEN excluded.${name} ELSE p.${name} END`;
};
const added = (column: string) => {
  const name = sql.ref(column);
  return sql`${name} = p.${name} + excluded.${name}`;
};

const PARTS = sql`
  parts AS (
    INSERT INTO sender_parts AS p (
      organization_id, workspace_id, trace_id, user_id, session_id, project_id, session_was_known, span_count, error_count,
      span_types, models, first_start, last_start, last_end, first_received_at, input_tokens, output_tokens, cache_read_input_tokens,
      cache_creation_input_tokens, cost_usd, unpriced_count, root_has_parent, root_start, root_span_id, root_name,
      root_service_name)
    SELECT s.organization_id, s.workspace_id, s.trace_id, s.user_id, s.session_id, s.project_id,
           session.is_known IS NOT NULL, s.span_count, s.error_count, s.span_types, s.models, s.first_start, s.last_start,
           s.last_end, s.first_received_at, s.input_tokens, s.output_tokens, s.cache_read_input_tokens,
           s.cache_creation_input_tokens, s.cost_usd, s.unpriced_count, s.root_has_parent, s.root_start, s.root_span_id, s.root_name,
           (SELECT k.service_name FROM kept AS k
             WHERE k.organization_id = s.organization_id AND k.id = s.root_source_id LIMIT 1)
      FROM summed AS s
      LEFT JOIN LATERAL (
        SELECT true AS is_known FROM sessions AS x
         WHERE x.organization_id = s.organization_id AND x.id = s.session_id AND x.workspace_id IS NOT DISTINCT FROM s.workspace_id
           AND x.user_id = s.user_id
        UNION ALL
        SELECT true FROM session_deletions AS x
         WHERE x.organization_id = s.organization_id AND x.workspace_id = s.workspace_id AND x.session_id = s.session_id
           AND x.user_id = s.user_id
         LIMIT 1
      ) AS session ON true
     ORDER BY s.organization_id, s.workspace_id, s.trace_id, s.user_id, s.session_id, s.project_id
    ON CONFLICT (organization_id, workspace_id, trace_id, user_id, session_id, project_id) DO UPDATE SET
      session_was_known = p.session_was_known OR excluded.session_was_known,
      ${added('span_count')},
      ${added('error_count')},
      span_types = p.span_types | excluded.span_types,
      models = CASE WHEN p.models @> excluded.models THEN p.models ELSE ARRAY(
        SELECT DISTINCT model FROM unnest(p.models || excluded.models) AS model ORDER BY model LIMIT ${sql.lit(MAX_MODELS)}) END,
      first_start = least(p.first_start, excluded.first_start),
      last_start = greatest(p.last_start, excluded.last_start),
      last_end = greatest(p.last_end, excluded.last_end),
      first_received_at = least(p.first_received_at, excluded.first_received_at),
      ${added('input_tokens')},
      ${added('output_tokens')},
      ${added('cache_read_input_tokens')},
      ${added('cache_creation_input_tokens')},
      ${added('cost_usd')},
      ${added('unpriced_count')},
      ${ofRoot('root_has_parent')},
      ${ofRoot('root_start')},
      ${ofRoot('root_span_id')},
      ${ofRoot('root_name')},
      ${ofRoot('root_service_name')}
  )`;

const IS_CALL = sql`s.span_type IN (${sql.join(CALLS_OF_MODELS.map((type) => sql.lit(type)))})`;
/** The status code ERROR and the span kind CLIENT of OTLP. */
const [ERROR, CLIENT] = [sql.lit(2), sql.lit(3)];

/**
 * Records the usage of model calls, which outlives their spans. This never blocks: a statement that stores the same span has waited
 * already. Usage without a span was counted while the span was stored. A failed call without usage is not a request, as for the gateway.
 */
const USAGE = sql`
  usage AS (
    INSERT INTO span_usage (
      organization_id, user_id, start_time, trace_id, span_id, parent_span_id, inference_call_id, model, input_tokens,
      output_tokens, cost_usd)
    SELECT s.organization_id, s.user_id, s.start_time, s.trace_id, s.span_id, s.parent_span_id, s.inference_call_id, s.model,
           s.input_tokens, s.output_tokens, s.cost_usd
      FROM stored AS s
     WHERE ${IS_CALL} AND s.operation IS DISTINCT FROM ${sql.lit(UNCOUNTED_CALL)}
       AND NOT (s.status_code = ${ERROR} AND coalesce(s.input_tokens, 0) = 0 AND coalesce(s.output_tokens, 0) = 0)
    ON CONFLICT (organization_id, user_id, start_time, trace_id, span_id) DO NOTHING
  )`;

/**
 * Parents of the spans that gateway calls refer to: an instrumented HTTP client sends the gateway the id of its own span, whose parent is
 * the model call. A call is stored before its client gets the response, and so before that span ends.
 */
const CALL_PARENTS = sql`
  call_parents AS (
    INSERT INTO inference_call_parents (organization_id, trace_id, span_id, user_id)
    SELECT DISTINCT s.organization_id, s.trace_id, s.parent_span_id, s.user_id
      FROM stored AS s
      CROSS JOIN LATERAL (
        SELECT FROM inference_calls AS g
         WHERE g.organization_id = s.organization_id AND g.trace_id = s.trace_id AND g.span_id = s.span_id
           AND g.user_id = s.user_id LIMIT 1 OFFSET 0
      ) AS g
     WHERE s.parent_span_id IS NOT NULL AND (s.kind = ${CLIENT} OR ${IS_CALL})
     ORDER BY s.organization_id, s.trace_id, s.parent_span_id, s.user_id
    ON CONFLICT (organization_id, trace_id, span_id, user_id) DO NOTHING
  )`;
