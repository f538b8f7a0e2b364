/** Computes a page of filtered traces: gathers all parts of the candidates, then filters them. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import type { Viewer } from '../../sessions/service.ts';
import type { TraceFilter } from './filter.ts';
import {
  isAmongHidden,
  isHidden,
  isOfSeenSession,
  isSeenAmongParts,
  joinSession,
  namedSessionsOf,
  partKeyOf,
} from './visibility.ts';

export interface Place {
  readonly limit: number;
  readonly offset: number;
}

export interface TracePage {
  readonly total: number;
  /** False: there are at least `total` traces. */
  readonly isExact: boolean;
  readonly ids: readonly Buffer[];
}

/** An empty page is a single row with only the total. */
export interface PageRow {
  readonly total: number;
  readonly is_exact: boolean;
  readonly trace_id: Buffer | null;
}

export const toTracePage = (rows: readonly PageRow[]): TracePage => ({
  total: rows[0]?.total ?? 0,
  isExact: rows[0]?.is_exact ?? true,
  ids: rows.flatMap(({ trace_id }) => trace_id ?? []),
});

export async function gatherPage(
  db: Db,
  viewer: Viewer,
  filter: TraceFilter,
  { limit, offset }: Place,
): Promise<TracePage> {
  const { rows } = await sql<PageRow>`
    WITH ${isOfAll(filter) ? namedSessionsOf(viewer) : candidatesOf(viewer, filter)},
    traces AS MATERIALIZED (${gather(viewer, filter)}),
    matching AS MATERIALIZED (
      SELECT trace.trace_id, trace.started FROM (${sift(filter)}) AS trace WHERE ${isFound(viewer, filter)}
    ),
    page AS (
      SELECT m.trace_id, m.started FROM matching AS m ORDER BY m.started DESC, m.trace_id LIMIT ${limit} OFFSET ${offset}
    )
    SELECT whole.total, true AS is_exact, page.trace_id
      FROM (SELECT count(*) AS total FROM matching) AS whole LEFT JOIN page ON true
     ORDER BY page.started DESC, page.trace_id`.execute(db);
  return toTracePage(rows);
}

/** Filters without a session or a time cannot use an index, so all traces of the workspace are read. */
const isOfAll = ({ sessionId, from, to }: TraceFilter) => sessionId === null && from === null && to === null;

/**
 * Finds the traces that have a part of the session, or one that began in the time range. ORDER BY makes PostgreSQL use the index with that
 * order: its statistics may be outdated or cover all workspaces, which makes a full scan seem faster than an index lookup.
 */
function candidatesOf({ organizationId, workspaceId }: Viewer, { sessionId, from, to }: TraceFilter) {
  const isCandidate = sessionId
    ? sql`p.organization_id = ${organizationId} AND p.workspace_id IS NOT DISTINCT FROM ${workspaceId} AND p.session_id = ${sessionId}`
    : sql`p.organization_id IS NOT DISTINCT FROM ${organizationId} AND p.workspace_id = ${workspaceId}
        AND p.first_start BETWEEN coalesce(${from}::timestamptz, '-infinity') AND coalesce(${to}::timestamptz, 'infinity')`;
  const order = sessionId ? sql`p.session_id` : sql`p.first_start DESC, p.trace_id`;
  return sql`candidates AS MATERIALIZED (
    SELECT DISTINCT c.trace_id
      FROM (SELECT p.trace_id FROM sender_parts AS p WHERE ${isCandidate} ORDER BY ${order} OFFSET 0) AS c)`;
}

const isSelective = ({ projectId, sessionId, typeBit }: TraceFilter) =>
  projectId !== null || sessionId !== null || typeBit !== null;

const OF_SEEN = sql`FILTER (WHERE part.is_seen)`;

/** Aggregates the parts of each trace. Selects only the columns that the filter needs, so that the smallest index suffices. */
function gather(viewer: Viewer, filter: TraceFilter) {
  const columns = [sql`part.trace_id`, sql`min(part.first_start) ${OF_SEEN} AS started`];
  if (isSelective(filter)) columns.push(sql`bool_or(${isWanted(viewer, filter)}) ${OF_SEEN} AS is_wanted`);
  if (filter.status !== null) columns.push(sql`bool_or(part.error_count > 0) ${OF_SEEN} AS is_error`);
  if (filter.search !== null) {
    columns.push(sql`NOT bool_and(part.is_seen) AS is_cut`);
    columns.push(sql`min(part.first_start) AS first_start`, sql`max(part.last_start) AS last_start`);
    columns.push(sql`array_agg(${partKeyOf('part')}) ${OF_SEEN} AS seen`);
  }
  const parts = isOfAll(filter) ? allParts(viewer) : partsOfCandidates(viewer);
  return sql`SELECT ${sql.join(columns)} FROM (
      SELECT ${COLUMNS}, p.is_of_session, ${isSeenAmongParts(viewer)} AS is_seen FROM (${parts}) AS p) AS part
     GROUP BY part.trace_id`;
}

/** A session filter matches spans of the session's owner. An id that does not belong to a visible session is matched as text. */
const isWanted = (viewer: Viewer, { projectId, sessionId, typeBit }: TraceFilter) => sql`
  (${projectId}::uuid IS NULL OR part.project_id = ${projectId}::uuid)
  AND (${sessionId}::uuid IS NULL OR part.session_id = ${sessionId}::uuid AND (part.is_of_session OR NOT EXISTS (
    SELECT FROM sessions AS other WHERE other.organization_id = ${viewer.organizationId} AND other.id = ${sessionId}::uuid
       AND other.workspace_id IS NOT DISTINCT FROM ${viewer.workspaceId})))
  AND (${typeBit}::int IS NULL OR part.span_types & ${typeBit}::int <> 0)`;

const COLUMNS = sql`
  p.trace_id, p.user_id, p.first_start, p.last_start, p.error_count, p.span_types, p.session_id, p.project_id`;

const allParts = ({ organizationId, workspaceId }: Viewer) => sql`
  SELECT ${COLUMNS}, ${isAmongHidden} AS is_hidden, ${isOfSeenSession} AS is_of_session FROM sender_parts AS p
   WHERE p.organization_id = ${organizationId} AND p.workspace_id = ${workspaceId} ORDER BY p.trace_id, p.user_id OFFSET 0`;

export const partsOfCandidates = (viewer: Viewer) => sql`
  SELECT ${COLUMNS}, p.is_hidden, p.is_of_session
    FROM candidates CROSS JOIN LATERAL (
      SELECT ${COLUMNS}, ${isHidden(viewer)} AS is_hidden, s.id IS NOT NULL AS is_of_session
        FROM sender_parts AS p ${joinSession(viewer)}
       WHERE p.organization_id = ${viewer.organizationId} AND p.workspace_id = ${viewer.workspaceId}
         AND p.trace_id = candidates.trace_id OFFSET 0) AS p`;

function sift(filter: TraceFilter) {
  const { status, from, to, search } = filter;
  const conditions = [
    sql`t.started BETWEEN coalesce(${from}::timestamptz, '-infinity') AND coalesce(${to}::timestamptz, 'infinity')`,
    ...(isSelective(filter) ? [sql`t.is_wanted`] : []),
    ...(status === null ? [] : [sql`t.is_error = (${status}::text = 'error')`]),
  ];
  return sql`
    SELECT t.trace_id, t.started ${search === null ? sql`` : sql`, t.is_cut, t.first_start, t.last_start, t.seen`}
      FROM traces AS t WHERE ${sql.join(conditions, sql` AND `)}`;
}

/**
 * Searches only the spans that the caller sees, on the days of the trace. The condition is phrased so that PostgreSQL expects few matches:
 * when one trace dominates a day, it would otherwise scan the whole day.
 */
function isFound({ organizationId, workspaceId }: Viewer, { search, ids }: TraceFilter) {
  if (search === null) return sql`true`;
  const isNamed = ids ? sql`trace.trace_id BETWEEN ${ids.least} AND ${ids.greatest} OR` : sql``;
  return sql`(${isNamed} EXISTS (
    SELECT FROM spans AS span
     WHERE span.organization_id = ${organizationId} AND span.trace_id BETWEEN trace.trace_id AND trace.trace_id
       AND span.start_time BETWEEN trace.first_start AND trace.last_start
       AND span.workspace_id = ${workspaceId} AND strpos(span.search_text, ${search}) > 0
       AND (NOT trace.is_cut OR ${partKeyOf('span')} = ANY (trace.seen))
    OFFSET 0))`;
}
