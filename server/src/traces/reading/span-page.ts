/** Reads the spans of a trace: one of them, a page of all, or a page of one level of the span tree. */
import { type RawBuilder, sql } from 'kysely';
import type { Signer } from '../../platform/auth/signing.ts';
import type { Db } from '../../platform/db/connect.ts';
import { notFound } from '../../platform/errors.ts';
import { Cursors } from '../../platform/http/responses/pages.ts';
import type { Viewer } from '../../sessions/service.ts';
import type { SpanListQueryOf, SpanOf } from '../schema.ts';
import { getSeenTrace, isSeen, parseSpanId, type SeenTrace } from './seen-trace.ts';
import { readSpans, toSpan } from './spans.ts';

interface Position {
  readonly start: string;
  readonly span: string;
}

export async function listSpans(
  db: Db,
  signer: Signer,
  viewer: Viewer,
  traceId: string,
  { after, limit, parent, offset, order_dir }: SpanListQueryOf,
): Promise<{ items: SpanOf[]; next_cursor: string | null }> {
  const cursors = new Cursors<Position>(signer, `spans ${viewer.workspaceId}`, 'after');
  const direction = order_dir?.toLowerCase() === 'desc' ? 'desc' : 'asc';
  const filters = { trace_id: traceId.toLowerCase(), parent, ...(direction === 'desc' && { direction }) };
  const position = cursors.read(after, filters);
  const trace = await getSeenTrace(db, viewer, traceId);
  // Reads one more row than the page holds, to detect a next page.
  const matching = sql<boolean>`${isOfLevel(viewer, trace, parent)} AND ${isAfter(position, direction)}`;
  const rows = await readSpans(db, viewer, trace, { matching, limit: limit + 1, offset, direction });
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const isEnd = !last || last.found === items.length;
  const next_cursor = isEnd ? null : cursors.after({ start: last.exact_start, span: last.span_id }, filters);
  return { items: items.map(toSpan), next_cursor };
}

/** Returns the first span if two have this id. */
export async function getSpan(
  db: Db,
  viewer: Viewer,
  path: { readonly trace_id: string; readonly span_id: string },
): Promise<SpanOf> {
  const id = parseSpanId(path.span_id);
  const trace = await getSeenTrace(db, viewer, path.trace_id);
  const wanted = { matching: sql<boolean>`span.span_id = ${id}`, limit: 1 };
  const [row] = id ? await readSpans(db, viewer, trace, wanted) : [];
  if (!row) throw notFound(`Span "${path.span_id}"`);
  return toSpan(row);
}

/** The first half is a separate condition, because it lets PostgreSQL prune partitions. */
function isAfter(position: Position | undefined, direction: 'asc' | 'desc') {
  if (!position) return sql`true`;
  const is = sql.raw(direction === 'asc' ? '>' : '<');
  return sql`span.start_time ${is}= ${position.start}::timestamptz
    AND (span.start_time, span.span_id) ${is} (${position.start}::timestamptz, ${Buffer.from(position.span, 'hex')})`;
}

/**
 * Condition on a row `span`: it is a child of the parent, or a root when no parent is given. A root has no existing parent, which one scan
 * of the trace's ids decides; spans whose parents form a cycle have no root. The condition is phrased so that PostgreSQL expects few rows:
 * it would scan a set that seems larger than memory for every span.
 */
function isOfLevel(viewer: Viewer, trace: SeenTrace, parent: string | undefined): RawBuilder<boolean> {
  if (parent === undefined) return sql<boolean>`true`;
  if (parent === 'root') {
    return sql<boolean>`(span.parent_span_id IS NULL OR span.parent_span_id = span.span_id
      OR span.parent_span_id NOT IN (
        SELECT other.span_id FROM spans AS other WHERE ${isSeen(viewer, trace, 'other')} AND octet_length(other.span_id) = 8))`;
  }
  const id = parseSpanId(parent) as Buffer;
  return sql<boolean>`span.parent_span_id = ${id} AND span.span_id <> ${id}`;
}
