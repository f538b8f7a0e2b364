/** One row per span: each trace is looked up by its key, in the partitions of its days. */
import { type RawBuilder, sql } from 'kysely';
import { isUuid } from '../../platform/fields.ts';
import type { Bounds } from '../../platform/sql-tables/bounds.ts';
import {
  column,
  type SqlColumn,
  type SqlTable,
  type SqlViewer,
} from '../../platform/sql-tables/sql-table.ts';
import { partKeyOf } from '../reading/visibility.ts';
import { SPAN_KINDS, STATUS_CODES } from '../schema.ts';
import { SPAN_TYPES } from '../span-types.ts';
import { ofSession, seenParts } from './seen-parts.ts';

const TIME = 'TIMESTAMP WITH TIME ZONE';

const hex = (name: string, comment: string, bytes = sql.ref(`span.${name}`)): SqlColumn => ({
  ...column(name, 'VARCHAR', sql`encode(${sql.ref(`span.${name}`)}, 'hex')`, comment),
  bytes,
});

const text = (name: string, comment: string) => column(name, 'VARCHAR', sql.ref(`span.${name}`), comment);
const count = (name: string, comment: string) => column(name, 'BIGINT', sql.ref(`span.${name}`), comment);

/** Maps OTLP numbers to words; an unknown number maps to the first. */
const word = (name: string, words: readonly string[]) =>
  sql`CASE ${sql.ref(`span.${name}`)} ${sql.raw(
    words.map((one, number) => `WHEN ${number} THEN '${one}'`).join(' '),
  )} ELSE ${sql.raw(`'${words[0]}'`)} END`;

const nanoseconds = (name: 'start' | 'end') =>
  sql`(extract(epoch FROM ${sql.ref(`span.${name}_time`)}) * 1000000000 + ${sql.ref(`span.${name}_ns`)})`;

const JSON_FORM = 'a number with a fraction or an exponent is a double; bytes are {"bytesValue": "<base64>"}';

const COLUMNS: readonly SqlColumn[] = [
  // Reads the column of the trace, so that a filter on it finds the trace before its spans.
  hex('trace_id', 'The trace that it is of: 32 hexadecimal digits.', sql.ref('t.trace_id')),
  hex('span_id', '16 hexadecimal digits, unique in its trace.'),
  hex('parent_span_id', 'The span within which it ran; null for a root.'),
  text('name', 'What was done, as its program calls it.'),
  column('kind', 'VARCHAR', word('kind', SPAN_KINDS), `Of OpenTelemetry: ${SPAN_KINDS.join(', ')}.`),
  text('span_type', `What it is in words of generative AI: ${SPAN_TYPES.join(', ')}.`),
  column('start_time', TIME, sql`span.start_time`, 'When it began, to the microsecond.'),
  column('end_time', TIME, sql`span.end_time`, 'When it ended, to the microsecond.'),
  column(
    'start_ns',
    'INTEGER',
    sql`span.start_ns`,
    'Nanoseconds by which it began later than start_time: 0 to 999.',
  ),
  column(
    'end_ns',
    'INTEGER',
    sql`span.end_ns`,
    'Nanoseconds by which it ended later than end_time: 0 to 999.',
  ),
  column(
    'duration_ms',
    'DOUBLE',
    sql`(greatest(0, ${nanoseconds('end')} - ${nanoseconds('start')}) / 1000000)::double precision`,
    'Milliseconds, to the nanosecond; 0 where it ended before it began.',
  ),
  column('status_code', 'VARCHAR', word('status_code', STATUS_CODES), 'unset, ok or error.'),
  text('status_message', 'What its program says of an error.'),
  text('trace_state', 'tracestate of W3C Trace Context.'),
  count('flags', 'The lowest eight bits are the flags of W3C Trace Context.'),
  text('operation', 'chat, execute_tool, invoke_agent and so on.'),
  text('provider', 'Of the model: openai, anthropic and so on.'),
  text('model', 'The one that answered, else the one that was asked for.'),
  text('agent_name', 'The agent that it is of.'),
  text('tool_name', 'The tool that was called.'),
  text('conversation_id', 'Of the conversation that it belongs to, as the span gives it.'),
  column(
    'session_id',
    'UUID',
    sql`CASE WHEN concat(span.user_id, '/', span.session_id) = ANY (t.sessions) THEN span.session_id END`,
    'The session of its sender with that id; null where there is none.',
  ),
  column(
    'project_id',
    'UUID',
    sql`CASE WHEN span.project_id = ANY (t.project_ids) THEN span.project_id END`,
    'The project that its resource names; null for none, or for one that was deleted.',
  ),
  column('user_id', 'UUID', sql`span.user_id`, 'Whose credential sent it.'),
  count('input_tokens', 'Tokens that the model was given, cached ones included.'),
  count('output_tokens', 'Tokens that the model wrote.'),
  count('cache_read_input_tokens', 'Of input_tokens: read from a cache.'),
  count('cache_creation_input_tokens', 'Of input_tokens: written to a cache.'),
  column(
    'cost_usd',
    'DECIMAL(38,18)',
    sql`span.cost_usd`,
    'US dollars: as the span says, else by the price list; null where neither knows.',
  ),
  column(
    'attributes',
    'JSON',
    sql`span.attributes`,
    `All that the span says, by key: attributes->>'$."gen_ai.system"'. As it was sent: ${JSON_FORM}.`,
  ),
  column(
    'events',
    'JSON',
    sql`coalesce(span.events, '[]')`,
    'List of what happened meanwhile: {"time_unix_nano", "name", "attributes", "dropped_attributes_count"}.',
  ),
  column(
    'links',
    'JSON',
    sql`coalesce(span.links, '[]')`,
    'List of spans that it has to do with: {"trace_id", "span_id", "trace_state", "flags", "attributes", "dropped_attributes_count"}.',
  ),
  column('service_name', 'VARCHAR', sql`src.service_name`, 'service.name of the program that sent it.'),
  column(
    'resource',
    'JSON',
    sql`src.resource`,
    'The program that sent it: {"attributes", "dropped_attributes_count", "schema_url"}.',
  ),
  column(
    'scope',
    'JSON',
    sql`src.scope`,
    'The instrumentation that made it: {"name", "version", "attributes", "dropped_attributes_count", "schema_url"}.',
  ),
  count('dropped_attributes_count', 'Attributes that were not sent, because there were too many.'),
  count('dropped_events_count', 'Events that were not sent, because there were too many.'),
  count('dropped_links_count', 'Links that were not sent, or sent with ids that are none.'),
  column('received_at', TIME, sql`span.received_at`, 'When it was stored.'),
];

const STORED = sql.raw(
  `trace_id span_id parent_span_id name kind span_type start_time end_time start_ns end_ns status_code status_message
  trace_state flags operation provider model agent_name tool_name conversation_id session_id project_id user_id input_tokens
  output_tokens cache_read_input_tokens cache_creation_input_tokens cost_usd attributes events links source_id
  dropped_attributes_count dropped_events_count dropped_links_count received_at`
    .split(/\s+/)
    .map((name) => `span.${name}`)
    .join(', '),
);

/** Columns of a trace as a whole; when some parts are hidden, `seen` lists the visible ones. */
const TRACE = sql`
  p.trace_id, bool_or(p.is_cut) AS is_cut, min(p.first_start) AS first_start, max(p.last_start) AS last_start,
  array_agg(${partKeyOf('p')}) FILTER (WHERE p.is_cut) AS seen,
  array_agg(concat(p.user_id, '/', p.named_session_id)) FILTER (WHERE p.named_session_id IS NOT NULL) AS sessions,
  array_agg(p.named_project_id) AS project_ids`;

function candidatesOf(viewer: SqlViewer, bounds: Bounds) {
  const sessionId = bounds.only('session_id');
  return sessionId !== null && isUuid(sessionId) ? ofSession(viewer, sessionId) : undefined;
}

/** Applies the time range twice: it skips traces without a span in that time, and partitions outside of it. */
function inTime(bounds: Bounds, alias: string, [first, last]: readonly [string, string]) {
  const { from, to } = bounds.time('start_time');
  const name = (of: string) => sql.ref(`${alias}.${of}`);
  const bound: RawBuilder<unknown>[] = [];
  if (from !== null) bound.push(sql`AND ${name(last)} >= ${from}::timestamptz`);
  if (to !== null) bound.push(sql`AND ${name(first)} <= ${to}::timestamptz`);
  return sql.join(bound, sql` `);
}

/**
 * The condition is phrased so that PostgreSQL expects few spans of a trace: when one trace dominates a day, it would otherwise scan the
 * whole day.
 */
export const spans: SqlTable = {
  name: 'spans',
  comment: 'What programs with OpenTelemetry did, step by step: the spans that you can see.',
  columns: COLUMNS,
  rows: (viewer, bounds) => sql`
    FROM (
      SELECT ${TRACE} FROM ${seenParts(viewer, candidatesOf(viewer, bounds))} GROUP BY p.trace_id
    ) AS t
    CROSS JOIN LATERAL (
      SELECT ${STORED} FROM spans AS span
       WHERE span.organization_id = ${viewer.organizationId} AND span.trace_id BETWEEN t.trace_id AND t.trace_id
         AND span.start_time BETWEEN t.first_start AND t.last_start ${inTime(bounds, 'span', ['start_time', 'start_time'])}
         AND span.workspace_id = ${viewer.workspaceId}
         AND (NOT t.is_cut OR ${partKeyOf('span')} = ANY (t.seen))
      OFFSET 0) AS span
    LEFT JOIN span_sources AS src ON src.organization_id = ${viewer.organizationId} AND src.id = span.source_id
   WHERE true ${inTime(bounds, 't', ['first_start', 'last_start'])}
     ${viewer.projectId === null ? sql`` : sql`AND span.project_id = ${viewer.projectId} AND span.project_id = ANY (t.project_ids)`}`,
};
