/** Reads stored spans and converts them to API objects. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import type { Viewer } from '../../sessions/service.ts';
import { readMessages } from '../dialects/messages.ts';
import { parseExact } from '../otlp/value-json.ts';
import { SPAN_KINDS, type SpanOf, STATUS_CODES } from '../schema.ts';
import { isSeen, type SeenTrace } from './seen-trace.ts';

/** Maximum size of a page in bytes, including resources and scopes. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** Fields that are returned as stored. */
type AsStored = Pick<
  SpanOf,
  | 'trace_id'
  | 'span_id'
  | 'parent_span_id'
  | 'has_children'
  | 'name'
  | 'span_type'
  | 'start_time'
  | 'end_time'
  | 'start_time_unix_nano'
  | 'end_time_unix_nano'
  | 'trace_state'
  | 'flags'
  | 'operation'
  | 'provider'
  | 'model'
  | 'agent_name'
  | 'tool_name'
  | 'conversation_id'
  | 'session_id'
  | 'project_id'
  | 'user_id'
  | 'input_tokens'
  | 'output_tokens'
  | 'cache_read_input_tokens'
  | 'cache_creation_input_tokens'
  | 'cost_usd'
  | 'service_name'
  | 'dropped_attributes_count'
  | 'dropped_events_count'
  | 'dropped_links_count'
  | 'received_at'
>;

export interface SpanRow extends AsStored {
  readonly kind: number;
  readonly status_code: number;
  readonly status_message: string | null;
  /** Start time with microseconds. */
  readonly exact_start: string;
  /** JSON as text: pg would parse its numbers as doubles, and they may have more digits. */
  readonly attributes_text: string;
  readonly events_text: string | null;
  readonly links_text: string | null;
  readonly resource_text: string | null;
  readonly scope_text: string | null;
  /** Number of requested spans that exist, even when this page does not hold all of them. */
  readonly found: number;
}

const COLUMNS =
  `span_id start_time start_ns end_time end_ns parent_span_id project_id session_id user_id source_id name kind
  status_code status_message trace_state flags attributes events links dropped_attributes_count dropped_events_count
  dropped_links_count span_type operation provider model agent_name tool_name conversation_id input_tokens output_tokens
  cache_read_input_tokens cache_creation_input_tokens cost_usd size_bytes received_at`
    .split(/\s+/)
    .map((name) => sql.ref(`span.${name}`));

const unixNano = (name: 'start' | 'end') =>
  sql`(extract(epoch FROM span.${sql.raw(name)}_time) * 1000000000 + span.${sql.raw(name)}_ns)::numeric(20, 0)::text`;

/**
 * Always true, and forces a custom plan for each trace: a generic plan has to consider all days, and cannot choose between indexes when
 * most days are empty. The planner estimates that a generic plan has to count to a billion.
 */
const planAnew = sql`(${true}::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) > 0)`;

interface SpanSelection {
  readonly matching: RawBuilder<boolean>;
  readonly limit: number;
  /** Number of matching spans to skip. */
  readonly offset?: number;
  readonly direction?: 'asc' | 'desc';
}

/**
 * Reads the first matching spans of the trace in page order: as many as fit in bytes, and at least one. TOASTed values of spans beyond the
 * page are not read. Data shared by many spans is looked up once, phrased so that PostgreSQL has no other choice: with outdated statistics
 * it might scan the whole organization.
 */
export async function readSpans(
  db: Db,
  viewer: Viewer,
  trace: SeenTrace,
  { matching, limit, offset = 0, direction = 'asc' }: SpanSelection,
): Promise<SpanRow[]> {
  const { sessions, projects } = namedIn(trace);
  const order = sql.raw(`span.start_time ${direction}, span.span_id ${direction}`);
  const { rows } = await sql<SpanRow>`
    WITH first AS (
      SELECT ${sql.join(COLUMNS)} FROM spans AS span
       WHERE ${isSeen(viewer, trace, 'span')} AND ${matching} AND ${planAnew}
       ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}
    ),
    counted AS (
      SELECT ${sql.join(COLUMNS)}, count(*) OVER () AS found,
             sum(span.size_bytes) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
               AS bytes_before
        FROM first AS span
    ),
    page AS MATERIALIZED (
      SELECT ${sql.join(COLUMNS)}, span.found FROM counted AS span WHERE coalesce(span.bytes_before, 0) < ${MAX_PAGE_BYTES}
    ),
    sources AS MATERIALIZED (
      SELECT src.id, src.service_name, src.resource::text AS resource_text, src.scope::text AS scope_text
        FROM span_sources AS src
       WHERE src.organization_id = ${viewer.organizationId} AND src.id = ANY (ARRAY(SELECT DISTINCT page.source_id FROM page))
    )
    SELECT ${trace.parts[0]?.trace_id ?? ''} AS trace_id, encode(span.span_id, 'hex') AS span_id,
           encode(span.parent_span_id, 'hex') AS parent_span_id, ${hasChildren(viewer, trace, limit)} AS has_children,
           span.name, span.kind, span.span_type, span.start_time, span.end_time, span.start_time::text AS exact_start,
           ${unixNano('start')} AS start_time_unix_nano, ${unixNano('end')} AS end_time_unix_nano, span.status_code,
           span.status_message, span.trace_state, span.flags, span.operation, span.provider, span.model, span.agent_name,
           span.tool_name, span.conversation_id,
           CASE WHEN concat(span.user_id, '/', span.session_id) = ANY (${sessions}::text[]) THEN span.session_id END AS session_id,
           CASE WHEN span.project_id = ANY (${projects}::uuid[]) THEN span.project_id END AS project_id,
           span.user_id, span.input_tokens, span.output_tokens, span.cache_read_input_tokens, span.cache_creation_input_tokens,
           span.cost_usd, span.attributes AS attributes_text, span.events AS events_text, span.links AS links_text,
           src.resource_text, src.scope_text, src.service_name, span.dropped_attributes_count, span.dropped_events_count,
           span.dropped_links_count, span.received_at, span.found
      FROM page AS span LEFT JOIN sources AS src ON src.id = span.source_id
     ORDER BY ${order}`.execute(db);
  return rows;
}

/** Returns the existing sessions, with their owners, and projects that spans of the trace refer to. */
function namedIn({ parts }: SeenTrace) {
  const sessions = new Set(
    parts
      .filter(({ has_session }) => has_session)
      .map(({ user_id, session_id }) => `${user_id}/${session_id}`),
  );
  const projects = new Set(
    parts.filter(({ has_project }) => has_project).map(({ project_id }) => project_id),
  );
  return { sessions: [...sessions], projects: [...projects] };
}

/** A span that names itself as parent is not its own child. */
function hasChildren(viewer: Viewer, trace: SeenTrace, limit: number): RawBuilder<boolean> {
  const spans = trace.parts.reduce((sum, { span_count }) => sum + span_count, 0);
  return spans <= limit ? isAmongParents(viewer, trace) : isParent(viewer, trace);
}

/** Decides with a single scan of the trace, for the usual trace that fits on one page, whichever index is used. */
const isAmongParents = (viewer: Viewer, trace: SeenTrace) => sql<boolean>`span.span_id IN (
  SELECT c.parent_span_id FROM spans AS c WHERE ${isSeen(viewer, trace, 'c')} AND c.parent_span_id <> c.span_id)`;

/**
 * Looks up the children of each span by index. The condition is given twice: with many parents, `=` makes PostgreSQL expect few matches;
 * when one span has most of the children, only a range does. With one of the two, PostgreSQL may choose another index and scan the whole
 * trace for each span. The same happens when it expects hardly any span in the trace's minutes, since it assumes that traces are spread
 * over the day; so the condition names the days only.
 */
const isParent = (viewer: Viewer, trace: SeenTrace) => sql<boolean>`EXISTS (
  SELECT FROM spans AS c WHERE ${isSeen(viewer, inWholeDays(trace), 'c')} AND c.span_id <> span.span_id
     AND c.parent_span_id = span.span_id AND c.parent_span_id BETWEEN span.span_id AND span.span_id OFFSET 0)`;

function inWholeDays(trace: SeenTrace): SeenTrace {
  const at = (moment: string, time: string) => moment.replace(/ \d\d:\S+/, ` ${time}+00`);
  return {
    ...trace,
    firstStart: at(trace.firstStart, '00:00:00'),
    lastStart: at(trace.lastStart, '23:59:59.999999'),
  };
}

export function toSpan(row: SpanRow): SpanOf {
  const { kind, status_code, status_message, exact_start: _, found: __, ...rest } = row;
  const { attributes_text, events_text, links_text, resource_text, scope_text, ...stored } = rest;
  const attributes = parseExact(attributes_text) as Record<string, unknown>;
  const events = parseList<SpanOf['events'][number] & EventRow>(events_text);
  const messages = readMessages(attributes, events);
  return {
    ...stored,
    kind: SPAN_KINDS[kind] ?? SPAN_KINDS[0],
    status: { code: STATUS_CODES[status_code] ?? STATUS_CODES[0], message: status_message },
    duration_ms: durationOf(row),
    input_messages: messages.input as SpanOf['input_messages'],
    output_messages: messages.output as SpanOf['output_messages'],
    attributes,
    events,
    links: parseList(links_text),
    resource: resource_text === null ? NO_RESOURCE : (parseExact(resource_text) as SpanOf['resource']),
    scope: scope_text === null ? NO_SCOPE : (parseExact(scope_text) as SpanOf['scope']),
  };
}

/** Placeholder for a deleted source. */
const NO_RESOURCE: SpanOf['resource'] = { attributes: {}, dropped_attributes_count: 0, schema_url: '' };
const NO_SCOPE: SpanOf['scope'] = { ...NO_RESOURCE, name: '', version: '' };

interface EventRow {
  readonly name: string;
  readonly attributes: Record<string, unknown>;
}

const parseList = <Item>(text: string | null) => (text === null ? [] : (parseExact(text) as Item[]));

/** Returns at least 0: a span may claim to end before it began. */
function durationOf({ start_time_unix_nano, end_time_unix_nano }: SpanRow): number {
  return Math.max(0, Number(BigInt(end_time_unix_nano) - BigInt(start_time_unix_nano)) / 1_000_000);
}
