/** Inserts millions of spans and their summaries for lists directly into the tables. */
import type pg from 'pg';
import { count as figure } from './figures.ts';

export const SPANS_PER_TRACE = 50;
const BATCH = 100_000;

export interface SpanRows {
  /** `main`, or all other organizations, one trace after the other. */
  readonly of: 'main' | 'others';
  /** Days before today; the newest is the day on which the traces began. */
  readonly daysAgo: readonly number[];
  readonly spans: number;
  /** Distinguishes the rows of two calls. */
  readonly seed: string;
  /** Whether all spans belong to one trace. */
  readonly isOneTrace?: boolean;
}

/** Each organization gets a workspace, and each day a partition of its own. */
export async function prepareSpanRows(pool: pg.Pool, days: number): Promise<void> {
  await pool.query(
    `INSERT INTO workspaces (organization_id, id, key, name, created_by)
     SELECT o.id, gen_random_uuid(), 'main', 'Main', (SELECT id FROM users LIMIT 1)
       FROM organizations AS o WHERE o.key LIKE 'other-%'`,
  );
  const { rows } = await pool.query<{ name: string; day: string; next: string }>(
    `SELECT to_char(day, '"spans_"YYYYMMDD') AS name, day::text, (day + interval '1 day')::text AS next
       FROM generate_series(date_trunc('day', now(), 'UTC') - $1 * interval '1 day', now(), interval '1 day') AS day
      WHERE to_regclass(to_char(day, '"spans_"YYYYMMDD')) IS NULL`,
    [days],
  );
  for (const { name, day, next } of rows)
    await pool.query(`CREATE TABLE ${name} PARTITION OF spans FOR VALUES FROM ('${day}') TO ('${next}')`);
}

/** @returns the ids of some of the traces, in hex */
export async function insertSpanRows(pool: pg.Pool, rows: SpanRows): Promise<string[]> {
  const { daysAgo, spans, seed, of, isOneTrace = false } = rows;
  const perTrace = isOneTrace ? spans : SPANS_PER_TRACE;
  const perDay = Math.ceil(spans / daysAgo.length / perTrace) * perTrace;
  for (const [index, day] of daysAgo.entries()) {
    for (let from = 0; from < perDay; from += BATCH) {
      const to = Math.min(perDay, from + BATCH) - 1;
      await pool.query(INSERT_SPANS, [`${seed} ${day}`, day, from, to, of, perTrace]);
    }
    await pool.query(INSERT_PARTS, [`${seed} ${day}`, day, perDay / perTrace - 1, of, perTrace, 'main']);
    if (index % 10 === 9) console.log(`${figure((index + 1) * perDay)} spans of ${of}`);
  }
  const { rows: found } = await pool.query<{ id: string }>(
    `SELECT md5('trace ' || $1::text || ' ' || t) AS id FROM generate_series(0, 9) AS t`,
    [`${seed} ${daysAgo[0]}`],
  );
  return found.map(({ id }) => id);
}

/** Inserts what a list reads of traces into a workspace of `main`, without their spans: one row for each trace. */
export async function insertTraceRows(pool: pg.Pool, workspace: string, traces: number): Promise<void> {
  for (let from = 0; from < traces; from += BATCH) {
    const last = Math.min(traces - from, BATCH) - 1;
    await pool.query(INSERT_PARTS, [`${workspace} ${from}`, 0, last, 'main', SPANS_PER_TRACE, workspace]);
    if ((from + BATCH) % 1_000_000 === 0) console.log(`${figure(from + BATCH)} traces`);
  }
}

/** Replaces autovacuum, which would run sooner or later, and takes as long as it needs. */
export async function settleSpanRows(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('SET statement_timeout = 0');
    for (const table of ['spans', 'sender_parts', 'span_sources'])
      await client.query(`VACUUM (ANALYZE) ${table}`);
  } finally {
    await client.query('RESET statement_timeout');
    client.release();
  }
}

/** Traces by number, with their owner and start. */
const TRACES = (kind: string, day: string, workspace = `'main'`) => `
  (SELECT array_agg(o.id ORDER BY o.key) AS ids, array_agg(w.id ORDER BY o.key) AS workspaces
     FROM organizations AS o JOIN workspaces AS w ON w.organization_id = o.id AND w.key = ${workspace}
    WHERE (o.key = 'main') = (${kind} = 'main')) AS places,
  LATERAL (SELECT 1 + t % array_length(places.ids, 1) AS place,
                  date_trunc('day', now(), 'UTC') - ${day} * interval '1 day'
                    + (hashint4(t) & 65535) * interval '1 second' AS began) AS trace`;

const INSERT_SPANS = `
  INSERT INTO spans (organization_id, trace_id, start_time, span_id, start_ns, end_time, end_ns, parent_span_id, workspace_id,
                     user_id, source_id, name, kind, status_code, flags, attributes, dropped_attributes_count,
                     dropped_events_count, dropped_links_count, span_type, operation, provider, model, input_tokens,
                     output_tokens, cost_usd, search_text, size_bytes)
  SELECT places.ids[trace.place], decode(md5('trace ' || $1::text || ' ' || t), 'hex'), trace.began + n % $6::int * interval '1 ms',
         decode(left(md5('span ' || $1::text || ' ' || n), 16), 'hex'), 0, trace.began + (n % $6::int + 2) * interval '1 ms', 0,
         CASE WHEN n % $6::int > 0 THEN decode(left(md5('span ' || $1::text || ' ' || n / $6::int * $6::int), 16), 'hex') END,
         places.workspaces[trace.place], '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000',
         'chat model-' || n % 40, 3, 0, 0,
         format('{"gen_ai.operation.name":"chat","gen_ai.request.model":"model-%s"}', n % 40), 0, 0, 0, 'llm',
         'chat', 'openai', 'model-' || n % 40, 100, 10, 0.001, 'chat model-' || n % 40, 100
    FROM generate_series($3::int, $4::int) AS n, LATERAL (SELECT n / $6::int AS t) AS number, ${TRACES('$5::text', '$2::int')}`;

const INSERT_PARTS = `
  INSERT INTO sender_parts (organization_id, workspace_id, trace_id, user_id, first_received_at, session_was_known, span_count, error_count, span_types,
                           models, first_start, last_start, last_end, input_tokens, output_tokens, cache_read_input_tokens,
                           cache_creation_input_tokens, cost_usd, unpriced_count, root_has_parent, root_start, root_span_id,
                           root_name)
  SELECT places.ids[trace.place], places.workspaces[trace.place], decode(md5('trace ' || $1::text || ' ' || t), 'hex'),
         '00000000-0000-0000-0000-000000000000', now(), false,
         $5::int, 0, 2, ARRAY['model-0', 'model-1'], trace.began, trace.began + ($5::int - 1) * interval '1 ms',
         trace.began + ($5::int + 1) * interval '1 ms', $5::int * 100, $5::int * 10, 0, 0, $5::int * 0.001, 0, false,
         trace.began, decode(left(md5('span ' || $1::text || ' ' || t * $5::int), 16), 'hex'), 'chat model-0'
    FROM generate_series(0, $3::int) AS t, ${TRACES('$4::text', '$2::int', '$6::text')}`;
