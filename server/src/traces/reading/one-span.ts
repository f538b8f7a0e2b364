/** Returns one span of a trace. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { notFound } from '../../platform/errors.ts';
import type { Viewer } from '../../sessions/service.ts';
import type { SpanOf } from '../schema.ts';
import { getSeenTrace, parseSpanId } from './seen-trace.ts';
import { readSpans, toSpan } from './spans.ts';

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
