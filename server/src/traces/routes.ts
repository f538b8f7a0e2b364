/** All operations on traces. */
import type { RouteGroup } from '../platform/http/operations.ts';
import { ingestRoutes } from './ingest/routes.ts';
import type { SpanIngest } from './ingest/span-ingest.ts';
import { type ReadingOptions, traceReadingRoutes } from './reading/routes.ts';

export interface TracesOptions extends ReadingOptions {
  readonly ingest: SpanIngest;
}

export function traceRoutes({ ingest, ...reading }: TracesOptions): RouteGroup[] {
  return [ingestRoutes(ingest), traceReadingRoutes(reading)];
}
