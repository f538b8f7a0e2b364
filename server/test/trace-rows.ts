/** Inserts many traces at once directly into the tables. */
import { sql } from 'kysely';
import type { Db } from '../src/platform/db/connect.ts';
import { makeDay } from '../src/traces/retention/partitions.ts';

export interface TraceRows {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly userId: string;
  /** Distinguishes the traces: the id of the nth trace is the digest of the name and n. */
  readonly name: string;
  readonly traces: number;
  readonly spans: number;
  /** The first of the `days` over which traces are spread: `2026-01-02`. */
  readonly day: string;
  readonly days?: number;
  /** Half of the spans name a session: the same one for ten traces. */
  readonly withSessions?: boolean;
}

export async function makeDays(db: Db, first: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const day = new Date(Date.parse(first) + n * 86_400_000).toISOString().slice(0, 10);
    await makeDay(db, day);
  }
}

/** The first span is the parent of every other one. They begin a millisecond apart. */
export async function addTraces(db: Db, rows: TraceRows): Promise<void> {
  const {
    organizationId,
    workspaceId,
    userId,
    name,
    traces,
    spans,
    day,
    days = 1,
    withSessions = false,
  } = rows;
  const traceOf = sql`decode(md5(${name} || t), 'hex')`;
  const startOf = sql`${day}::timestamptz + (t % ${days}::int) * interval '1 day' + (t % 86000) * interval '1 second'`;
  const sessionOf = sql`CASE WHEN ${withSessions}::boolean AND n % 2 = 1 THEN md5(${name} || t / 10)::uuid END`;
  const idOf = (n: string) => sql`decode(lpad(to_hex(${sql.raw(n)}), 16, '0'), 'hex')`;
  await sql`
    INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility)
    SELECT DISTINCT ${organizationId}::uuid, md5(${name} || t / 10)::uuid, ${workspaceId}::uuid, ${userId}::uuid, 'm', 'user', 'private'
      FROM generate_series(1, ${traces}::int) AS t WHERE ${withSessions}::boolean`.execute(db);
  await sql`
    INSERT INTO span_sources (organization_id, id, service_name, resource, scope)
    SELECT ${organizationId}::uuid, md5('source')::uuid, 'shop', '{"attributes":{},"dropped_attributes_count":0,"schema_url":""}',
           '{"name":"","version":"","attributes":{},"dropped_attributes_count":0,"schema_url":""}'
    ON CONFLICT DO NOTHING`.execute(db);
  await sql`
    INSERT INTO spans (organization_id, trace_id, start_time, span_id, start_ns, end_time, end_ns, parent_span_id, workspace_id,
      session_id, user_id, source_id, name, kind, status_code, flags, attributes, dropped_attributes_count,
      dropped_events_count, dropped_links_count, span_type, search_text, size_bytes)
    SELECT ${organizationId}, ${traceOf}, ${startOf} + n * interval '1 ms', ${idOf('n')}, 0, ${startOf} + n * interval '2 ms', 0,
           CASE WHEN n > 1 THEN ${idOf('1')} END, ${workspaceId}, ${sessionOf}, ${userId}, md5('source')::uuid, 'GET /orders', 1, 0, 1,
           '{"a":"' || repeat('x', 300) || '"}', 0, 0, 0, 'span', 'get /orders', 400
      FROM generate_series(1, ${traces}::int) AS t, generate_series(1, ${spans}::int) AS n`.execute(db);
  await sql`
    INSERT INTO sender_parts (organization_id, workspace_id, trace_id, user_id, session_id, session_was_known, span_count, error_count,
      span_types, models, first_start, last_start, last_end, first_received_at, input_tokens, output_tokens, cache_read_input_tokens,
      cache_creation_input_tokens, cost_usd, unpriced_count, root_has_parent, root_start, root_span_id, root_name)
    SELECT ${organizationId}::uuid, ${workspaceId}::uuid, trace_id, ${userId}::uuid, session_id, session_id IS NOT NULL, count(*), 0, 1, '{}',
           min(start), max(start), max(start) + interval '2 ms', now(), 0, 0, 0, 0, 0, 0, min(n) > 1, min(start), ${idOf('min(n)')}, 'GET /orders'
      FROM (
        SELECT ${traceOf} AS trace_id, ${sessionOf} AS session_id, ${startOf} + n * interval '1 ms' AS start, n
          FROM generate_series(1, ${traces}::int) AS t, generate_series(1, ${spans}::int) AS n) AS span
     GROUP BY trace_id, session_id ORDER BY min(start)`.execute(db);
}
