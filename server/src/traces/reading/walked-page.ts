/** Computes a page of all traces of a workspace: counts from an index alone, and reads the newest parts only. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import type { Viewer } from '../../sessions/service.ts';
import { type PageRow, type Place, type TracePage, toTracePage } from './list-page.ts';
import {
  isAmongHidden,
  isNothingHidden,
  isOfSeenSession,
  isSeenAmongParts,
  namedSessionsOf,
  partsOf,
} from './visibility.ts';

/** Estimated parts per trace; most of them are visible. */
const PARTS_OF_TRACE = 4;
const LEAST_PARTS = 200;

/** @returns undefined when the page lies beyond the parts that are read here, as for a caller who sees few of them */
export async function walkPage(db: Db, viewer: Viewer, place: Place): Promise<TracePage | undefined> {
  const { rows } = await sql<PageRow>`
    WITH ${namedSessionsOf(viewer)}, ${walk(viewer, PARTS_OF_TRACE * (place.offset + place.limit) + LEAST_PARTS)},
    page AS (
      SELECT seen.trace_id, seen.started FROM seen
       ORDER BY seen.started DESC, seen.trace_id LIMIT ${place.limit} OFFSET ${place.offset}
    )
    SELECT whole.total, page.trace_id FROM (SELECT ${countTraces(viewer)} AS total) AS whole LEFT JOIN page ON true
     ORDER BY page.started DESC, page.trace_id`.execute(db);
  const page = toTracePage(rows);
  return page.ids.length >= Math.min(place.limit, page.total - place.offset) ? page : undefined;
}

/**
 * Counts all traces when nothing is hidden; else those with a sender who has a part that the caller sees. This is the rule of
 * `isSeenAmongParts`, aggregated per sender, so that the count needs no window over all parts.
 */
const countTraces = (viewer: Viewer) => sql`
  CASE WHEN ${isNothingHidden}
    THEN (SELECT count(DISTINCT p.trace_id) FROM ${partsOf(viewer)})
    ELSE (SELECT count(DISTINCT seen.trace_id) FROM (
      SELECT p.trace_id FROM ${partsOf(viewer)} GROUP BY p.trace_id, p.user_id
      HAVING bool_or(${isOfSeenSession} AND NOT ${isAmongHidden})
          OR CASE WHEN p.user_id = ${viewer.principal.userId} THEN NOT bool_and(${isAmongHidden})
                  ELSE NOT bool_or(${isAmongHidden}) END) AS seen)
  END`;

/**
 * Reads the newest parts and finds their traces, each once. A trace that begins, for the caller, before all of these parts is left out:
 * others that begin as early may not be among them.
 */
const walk = (viewer: Viewer, parts: number) => sql`
  walked AS MATERIALIZED (
    SELECT p.trace_id, p.first_start FROM sender_parts AS p
     WHERE p.organization_id IS NOT DISTINCT FROM ${viewer.organizationId} AND p.workspace_id = ${viewer.workspaceId}
     ORDER BY p.first_start DESC, p.trace_id LIMIT ${parts}
  ),
  begun AS (
    SELECT w.trace_id, trace.started FROM (SELECT DISTINCT trace_id FROM walked) AS w CROSS JOIN LATERAL (
      SELECT min(part.first_start) FILTER (WHERE part.is_seen) AS started
        FROM (
          SELECT p.first_start, ${isSeenAmongParts(viewer)} AS is_seen
            FROM (
              SELECT p.trace_id, p.user_id, p.first_start, ${isAmongHidden} AS is_hidden, ${isOfSeenSession} AS is_of_session
                FROM sender_parts AS p
               WHERE p.organization_id = ${viewer.organizationId} AND p.workspace_id = ${viewer.workspaceId}
                 AND p.trace_id = w.trace_id OFFSET 0) AS p) AS part
      OFFSET 0) AS trace
  ),
  seen AS (
    SELECT b.trace_id, b.started FROM begun AS b
     WHERE EXISTS (SELECT FROM walked AS w WHERE w.trace_id = b.trace_id AND w.first_start = b.started)
  )`;
