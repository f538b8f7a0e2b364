/**
 * Computes a page of all traces of a workspace from its newest parts only, so that its cost does not grow with the number of traces. An exact
 * total would read a part of every trace (docs/decisions/list-totals.md).
 */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { COUNTED_AHEAD } from '../../platform/http/responses/pages.ts';
import type { Viewer } from '../../sessions/service.ts';
import { type PageRow, type Place, partsOfCandidates, type TracePage, toTracePage } from './gathered-page.ts';
import {
  isAmongHidden,
  isNothingHidden,
  isOfSeenSession,
  isSeenAmongParts,
  namedSessionsOf,
  partsOf,
} from './visibility.ts';

/** Most traces have one or two parts, and most of them are visible. */
const PARTS_OF_TRACE = 2;
/** The second attempt reads more parts, for traces with many parts and for callers who see few of them. */
const SECOND_ATTEMPT = 16;
const MAX_PARTS = 10_000;

/** @returns undefined when the parts that are read here do not suffice for the page and for what is counted beyond it */
export async function walkPage(db: Db, viewer: Viewer, place: Place): Promise<TracePage | undefined> {
  const parts = PARTS_OF_TRACE * maxTotal(place);
  const more = Math.max(parts, Math.min(SECOND_ATTEMPT * parts, MAX_PARTS));
  for (const count of new Set([parts, more])) {
    const page = await readNewest(db, viewer, place, count);
    if (page.isExact || page.total > maxTotal(place)) return toBoundedTotal(page, place);
  }
  return undefined;
}

/**
 * Bounds a total by the position of the page alone. What was read to find it must not show: that depends on the parts that others keep
 * private.
 */
export function toBoundedTotal(page: TracePage, place: Place): TracePage {
  const max = maxTotal(place);
  return page.total > max ? { ...page, total: max, isExact: false } : page;
}

const maxTotal = ({ offset, limit }: Place) => offset + limit + COUNTED_AHEAD;

/**
 * Reads the newest parts and finds their traces, each once. A trace that begins, for the caller, before all of these parts is left out:
 * others that begin as early may not be among them.
 */
async function readNewest(db: Db, viewer: Viewer, place: Place, parts: number): Promise<TracePage> {
  const { rows } = await sql<PageRow>`
    WITH walked AS MATERIALIZED (
      SELECT p.trace_id, p.first_start FROM sender_parts AS p
       WHERE p.organization_id IS NOT DISTINCT FROM ${viewer.organizationId} AND p.workspace_id = ${viewer.workspaceId}
       ORDER BY p.first_start DESC, p.trace_id LIMIT ${parts}
    ),
    oldest AS MATERIALIZED (SELECT w.first_start, w.trace_id FROM walked AS w ORDER BY w.first_start, w.trace_id DESC LIMIT 1),
    candidates AS MATERIALIZED (SELECT DISTINCT w.trace_id FROM walked AS w),
    traces AS (
      SELECT part.trace_id, min(part.first_start) FILTER (WHERE part.is_seen) AS started
        FROM (SELECT p.trace_id, p.first_start, ${isSeenAmongParts(viewer)} AS is_seen FROM (${partsOfCandidates(viewer)}) AS p) AS part
       GROUP BY part.trace_id
    ),
    seen AS MATERIALIZED (
      SELECT t.trace_id, t.started FROM traces AS t
       WHERE t.started > (SELECT first_start FROM oldest)
          OR t.started = (SELECT first_start FROM oldest) AND t.trace_id <= (SELECT trace_id FROM oldest)
    ),
    page AS (
      SELECT seen.trace_id, seen.started FROM seen
       ORDER BY seen.started DESC, seen.trace_id LIMIT ${place.limit} OFFSET ${place.offset}
    )
    SELECT whole.total, whole.is_exact, page.trace_id
      FROM (SELECT (SELECT count(*) FROM seen) AS total, (SELECT count(*) FROM walked) < ${parts} AS is_exact) AS whole
      LEFT JOIN page ON true
     ORDER BY page.started DESC, page.trace_id`.execute(db);
  return toTracePage(rows);
}

/**
 * Counts all traces when nothing is hidden; else those with a sender who has a part that the caller sees. This is the rule of
 * `isSeenAmongParts`, aggregated per sender, so that the count needs no window over all parts. It reads a row of an index for each part.
 */
export async function countTraces(db: Db, viewer: Viewer): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    WITH ${namedSessionsOf(viewer)}
    SELECT CASE WHEN ${isNothingHidden}
      THEN (SELECT count(DISTINCT p.trace_id) FROM ${partsOf(viewer)})
      ELSE (SELECT count(DISTINCT seen.trace_id) FROM (
        SELECT p.trace_id FROM ${partsOf(viewer)} GROUP BY p.trace_id, p.user_id
        HAVING bool_or(${isOfSeenSession} AND NOT ${isAmongHidden})
            OR CASE WHEN p.user_id = ${viewer.principal.userId} THEN NOT bool_and(${isAmongHidden})
                    ELSE NOT bool_or(${isAmongHidden}) END) AS seen)
    END AS total`.execute(db);
  return rows[0]?.total ?? 0;
}
