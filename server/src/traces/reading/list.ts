/** Lists a page of the traces that match a query. */
import type { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import { inTime } from '../../platform/http/responses/in-time.ts';
import { offsetOf, toPage } from '../../platform/http/responses/pages.ts';
import type { Viewer } from '../../sessions/service.ts';
import type { TraceListQueryOf, TraceListResponse } from '../schema.ts';
import { resolveFilter, type TraceFilter } from './filter.ts';
import { gatherPage } from './gathered-page.ts';
import { findParts } from './parts.ts';
import { toSummary } from './summary.ts';
import { seenOf } from './visibility.ts';
import { countTraces, toBoundedTotal, walkPage } from './walked-page.ts';

/** Offset beyond which sorting all traces is faster than walking. */
const MAX_WALK = 2_000;

const NARROWER = 'narrow the traces by from and to, or by session_id';

export async function listTraces(
  db: Db,
  viewer: Viewer,
  { page_size, ...given }: TraceListQueryOf,
): Promise<z.output<typeof TraceListResponse>> {
  const query = { ...given, limit: page_size ?? given.limit };
  const filter = await resolveFilter(db, viewer, query);
  if (!filter) return { traces: [], ...toPage(0, query), total_is_exact: true };
  const place = { limit: query.limit, offset: offsetOf(query) };
  const advice = { search: filter.search ?? undefined, among: 'spans', narrower: NARROWER };
  const isWalked = isAll(filter) && place.offset + place.limit <= MAX_WALK;
  const { total, isExact, ids } = await inTime(advice, async () => {
    const walked = isWalked ? await walkPage(db, viewer, place) : undefined;
    if (walked && !walked.isExact && query.exact_total)
      // Traces may have been deleted since the page was read.
      return { ...walked, total: Math.max(walked.total, await countTraces(db, viewer)), isExact: true };
    if (walked) return walked;
    const gathered = await gatherPage(db, viewer, filter, place);
    return isAll(filter) && !query.exact_total ? toBoundedTotal(gathered, place) : gathered;
  });
  return { traces: await summarize(db, viewer, ids), ...toPage(total, query), total_is_exact: isExact };
}

const isAll = (filter: TraceFilter) => Object.values(filter).every((part) => part === null);

/** Traces that were deleted since the page was made are left out. */
async function summarize(db: Db, viewer: Viewer, ids: readonly Buffer[]) {
  const parts = Map.groupBy(await findParts(db, viewer, ids), ({ trace_id }) => trace_id);
  return ids
    .map((id) => seenOf(viewer, parts.get(id.toString('hex')) ?? []))
    .filter((seen) => seen.length > 0)
    .map(toSummary);
}
