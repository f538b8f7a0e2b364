/** Routes to read traces: the list, and one trace page by page. */
import type { Signer } from '../../platform/auth/signing.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type RouteGroup, workspaceRoutes } from '../../platform/http/operations.ts';
import {
  Span,
  SpanListQuery,
  SpanPage,
  SpanParams,
  TraceListQuery,
  TraceListResponse,
  TraceParams,
  TraceStats,
  TraceSummary,
} from '../schema.ts';
import { listTraces } from './list.ts';
import { getSpan, listSpans } from './span-page.ts';
import { getStats } from './stats.ts';
import { getTrace } from './summary.ts';

export interface ReadingOptions {
  readonly db: Db;
  /** Signs page cursors. */
  readonly signer: Signer;
}

export function traceReadingRoutes({ db, signer }: ReadingOptions): RouteGroup {
  const access = { scope: 'traces:read', role: 'reader' } as const;
  return workspaceRoutes('Traces', (on) => {
    on.get(
      '/traces',
      {
        id: 'listTraces',
        summary: 'List traces',
        description:
          'Newest first. `total` counts all matching traces; without filters, it counts at most 100 beyond the page unless `exact_total` is set. Of each trace you see the spans that you may see: your own, and those of others unless they belong to a private session of their sender, or to none beside such a session.',
        ...access,
        query: TraceListQuery,
        response: TraceListResponse,
      },
      ({ scope, query }) => listTraces(db, scope, query),
    );
    on.get(
      '/traces/:trace_id',
      { id: 'getTrace', summary: 'Sum up a trace', ...access, params: TraceParams, response: TraceSummary },
      ({ scope, params }) => getTrace(db, scope, params.trace_id),
    );
    on.get(
      '/traces/:trace_id/spans',
      {
        id: 'listSpans',
        summary: 'Read the spans of a trace',
        description:
          'In the order in which they began. With `parent` as a tree: first `root`, then the children of a span. Spans whose parents lead back to themselves have no root, and are found without `parent`.',
        ...access,
        params: TraceParams,
        query: SpanListQuery,
        response: SpanPage,
      },
      ({ scope, params, query }) => listSpans(db, signer, scope, params.trace_id, query),
    );
    on.get(
      '/traces/:trace_id/spans/:span_id',
      { id: 'getSpan', summary: 'Read a span', ...access, params: SpanParams, response: Span },
      ({ scope, params }) => getSpan(db, scope, params),
    );
    on.get(
      '/traces/:trace_id/stats',
      {
        id: 'getTraceStats',
        summary: 'Count what a trace took and used',
        ...access,
        params: TraceParams,
        response: TraceStats,
      },
      ({ scope, params }) => getStats(db, scope, params.trace_id),
    );
  });
}
