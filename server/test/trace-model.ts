/** Computes the expected trace responses by a full scan of all spans. */
import type { SpanOf, TraceStatsOf, TraceSummaryOf } from '../src/traces/schema.ts';
import { SPAN_TYPES } from '../src/traces/span-types.ts';
import type { KnownSpan, TraceWorld } from './trace-world.ts';

/** A query as it is sent. */
export interface TraceQuery {
  readonly project_id?: string | undefined;
  readonly span_type?: string | undefined;
  readonly status?: string | undefined;
  readonly session_id?: string | undefined;
  readonly search?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly page?: number | undefined;
  readonly limit?: number | undefined;
}

const byText = (a: string, b: string) => (a < b ? -1 : Number(a > b));

/** The session that the span belongs to: one of its sender. */
function sessionOf({ sessions }: TraceWorld, { sessionId, userId }: KnownSpan) {
  const session = sessions.get(sessionId ?? '');
  return session?.now?.userId === userId ? { id: session.id, ...session.now } : undefined;
}

function isHidden(world: TraceWorld, span: KnownSpan, viewerId: string): boolean {
  // All spans were received before sessions were deleted, even if the id was saved again.
  if (world.sessions.get(span.sessionId ?? '')?.deletedOf.includes(span.userId)) return true;
  const session = sessionOf(world, span);
  return session !== undefined && session.visibility === 'private' && session.userId !== viewerId;
}

/** Sorted in the order of the API. */
export function seenSpans(world: TraceWorld, viewerId: string, traceId: string): KnownSpan[] {
  const ofTrace = world.spans.filter((span) => span.traceId === traceId);
  const hidden = ofTrace.filter((span) => isHidden(world, span, viewerId));
  const isCut = ({ userId }: KnownSpan) => hidden.some((other) => other.userId === userId);
  return ofTrace
    .filter(
      (span) =>
        !hidden.includes(span) &&
        (sessionOf(world, span) !== undefined || span.userId === viewerId || !isCut(span)),
    )
    .toSorted(inOrder);
}

const microseconds = ({ start }: KnownSpan) => start / 1_000n;
const inOrder = (a: KnownSpan, b: KnownSpan) =>
  Number(microseconds(a) - microseconds(b)) || byText(a.spanId, b.spanId);

const toTime = (nanoseconds: bigint) => new Date(Number(nanoseconds / 1_000_000n)).toISOString();
const least = (values: readonly bigint[]) => values.reduce((a, b) => (b < a ? b : a));
const greatest = (values: readonly bigint[]) => values.reduce((a, b) => (b > a ? b : a));
const sum = (values: readonly (number | null)[]) =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0);

function sumsOf(spans: readonly KnownSpan[]) {
  const isUnpriced = (span: KnownSpan) =>
    span.cost === null && sum([span.inputTokens, span.outputTokens]) > 0;
  return {
    input_tokens: sum(spans.map(({ inputTokens }) => inputTokens)),
    output_tokens: sum(spans.map(({ outputTokens }) => outputTokens)),
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    cost_usd: spans.some(isUnpriced) ? null : Number(sum(spans.map(({ cost }) => cost)).toFixed(9)),
  };
}

/** Spans of these types repeat the usage of the spans within them. */
const counted = (spans: readonly KnownSpan[]) =>
  spans.filter(({ type }) => !['agent', 'chain', 'tool'].includes(type));

/** Precise to the microsecond, as traces are aggregated. */
function traceDuration(spans: readonly KnownSpan[]): number {
  const start = least(spans.map((span) => span.start)) / 1_000n;
  return Math.max(0, Number(greatest(spans.map(({ end }) => end)) / 1_000n - start) / 1_000);
}

export function expectedSummary(world: TraceWorld, spans: readonly KnownSpan[]): TraceSummaryOf {
  const withoutParent = spans.find(({ parentSpanId }) => parentSpanId === null);
  const root = (withoutParent ?? spans[0]) as KnownSpan;
  const errors = spans.filter(({ isError }) => isError).length;
  const types = new Set(spans.map(({ type }) => type));
  const projects = spans.map(({ projectKey }) => world.projects.get(projectKey ?? ''));
  const sessions = spans.map((span) => sessionOf(world, span));
  return {
    trace_id: root.traceId,
    name: root.name,
    service_name: root.service,
    root_span_id: root.spanId,
    project_ids: [
      ...new Set(projects.flatMap((project) => (project?.isDeleted === false ? project.id : []))),
    ].toSorted(),
    session_ids: [...new Set(sessions.flatMap((session) => session?.id ?? []))].toSorted(),
    status: errors > 0 ? 'error' : 'ok',
    start_time: toTime(least(spans.map(({ start }) => start))),
    end_time: toTime(greatest(spans.map(({ end }) => end))),
    duration_ms: traceDuration(spans),
    span_count: spans.length,
    error_count: errors,
    span_types: SPAN_TYPES.filter((type) => types.has(type)),
    models: [...new Set(spans.flatMap(({ model }) => model ?? []))].toSorted(),
    ...sumsOf(counted(spans)),
  };
}

const withoutCase = (given: string) => given.toLowerCase().replaceAll('ς', 'σ');

function isFound(spans: readonly KnownSpan[], search: string): boolean {
  if (search.trim() === '') return true;
  if (/^[0-9a-f]{4,32}$/i.test(search.trim()) && spans[0]?.traceId.startsWith(search.trim().toLowerCase()))
    return true;
  return spans.some(({ name, service, model, sessionId }) =>
    [name, service, model, sessionId].some((text) => text && withoutCase(text).includes(withoutCase(search))),
  );
}

function isMatching(world: TraceWorld, spans: readonly KnownSpan[], query: TraceQuery): boolean {
  const { project_id, session_id, span_type, status, from, to } = query;
  const project = [...world.projects].find(
    ([key, { id, isDeleted }]) => !isDeleted && [key, id].includes(project_id?.toLowerCase() ?? ''),
  );
  const isOfPart = (span: KnownSpan) =>
    (project_id === undefined || (project !== undefined && span.projectKey === project[0])) &&
    (session_id === undefined ||
      (span.sessionId === session_id.toLowerCase() &&
        (sessionOf(world, span) !== undefined || !world.sessions.get(span.sessionId)?.now)));
  // The type may be that of any span of the same sender, session and project.
  const isWanted = (span: KnownSpan) =>
    isOfPart(span) &&
    (span_type === undefined ||
      spans.some(
        (other) =>
          other.type === span_type &&
          other.userId === span.userId &&
          other.sessionId === span.sessionId &&
          other.projectKey === span.projectKey,
      ));
  const { start_time, status: found } = expectedSummary(world, spans);
  return (
    spans.some(isWanted) &&
    (status === undefined || status === found) &&
    (from === undefined || start_time >= new Date(from).toISOString()) &&
    (to === undefined || start_time <= new Date(to).toISOString()) &&
    isFound(spans, query.search ?? '')
  );
}

export function expectedList(world: TraceWorld, viewerId: string, query: TraceQuery) {
  const { page = 1, limit = 50 } = query;
  const ids = [...new Set(world.spans.map(({ traceId }) => traceId))];
  const found = ids
    .map((id) => seenSpans(world, viewerId, id))
    .filter((spans) => spans.length > 0 && isMatching(world, spans, query))
    .toSorted(
      ([a], [b]) =>
        Number(microseconds(b as KnownSpan) - microseconds(a as KnownSpan)) ||
        byText(a?.traceId ?? '', b?.traceId ?? ''),
    );
  const total_pages = Math.ceil(found.length / limit);
  return {
    traces: found.slice((page - 1) * limit, page * limit).map((spans) => expectedSummary(world, spans)),
    total: found.length,
    page,
    limit,
    total_pages,
    total_is_exact: true,
    has_next: page < total_pages,
    has_previous: page > 1 && found.length > 0,
  };
}

const duration = ({ start, end }: KnownSpan) => Math.max(0, Number(end - start) / 1_000_000);

/** Interpolates between the two nearest values. */
function percentile(sorted: readonly number[], fraction: number): number {
  const place = (sorted.length - 1) * fraction;
  const [low = 0, high = 0] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place - Math.floor(place));
}

function durationsOf(spans: readonly KnownSpan[]) {
  const sorted = spans.map(duration).toSorted((a, b) => a - b);
  return {
    total_duration_ms: sum(sorted),
    min_duration_ms: sorted[0] ?? 0,
    p50_duration_ms: percentile(sorted, 0.5),
    p95_duration_ms: percentile(sorted, 0.95),
    max_duration_ms: sorted.at(-1) ?? 0,
  };
}

export function expectedStats(spans: readonly KnownSpan[]): TraceStatsOf {
  const counts = (some: readonly KnownSpan[], used = counted(some)) => ({
    span_count: some.length,
    error_count: some.filter(({ isError }) => isError).length,
    ...sumsOf(used),
  });
  const byType = Map.groupBy(spans, ({ type }) => type);
  const byModel = Map.groupBy(
    spans.filter(({ model }) => model !== null),
    ({ model }) => model as string,
  );
  return {
    trace_id: spans[0]?.traceId ?? '',
    duration_ms: traceDuration(spans),
    ...counts(spans),
    by_type: SPAN_TYPES.filter((type) => byType.has(type)).map((type) => {
      const some = byType.get(type) ?? [];
      return Object.assign({ span_type: type }, durationsOf(some), counts(some, some));
    }),
    by_model: [...byModel]
      .toSorted(([a, some], [b, others]) => others.length - some.length || byText(a, b))
      .map(([model, some]) => Object.assign({ model }, counts(some))),
  };
}

/** The fields about which a world knows the expected values. */
export function expectedSpan(
  world: TraceWorld,
  seen: readonly KnownSpan[],
  span: KnownSpan,
): Partial<SpanOf> {
  const project = world.projects.get(span.projectKey ?? '');
  return {
    trace_id: span.traceId,
    span_id: span.spanId,
    parent_span_id: span.parentSpanId,
    has_children: childrenOf(seen, span.spanId).length > 0,
    name: span.name,
    span_type: span.type,
    start_time: toTime(span.start),
    end_time: toTime(span.end),
    start_time_unix_nano: String(span.start),
    end_time_unix_nano: String(span.end),
    duration_ms: duration(span),
    status: { code: span.isError ? 'error' : 'unset', message: null },
    model: span.model,
    conversation_id: span.sessionId,
    session_id: sessionOf(world, span)?.id ?? null,
    user_id: span.userId,
    project_id: project && !project.isDeleted ? project.id : null,
    input_tokens: span.inputTokens,
    output_tokens: span.outputTokens,
    cost_usd: span.cost,
    service_name: span.service,
  };
}

/** A span that names itself as its parent is not its own child. */
export const childrenOf = (seen: readonly KnownSpan[], parent: string) =>
  seen.filter(({ spanId, parentSpanId }) => parentSpanId === parent && spanId !== parent);

export const rootsOf = (seen: readonly KnownSpan[]) =>
  seen.filter(
    ({ spanId, parentSpanId }) =>
      parentSpanId === null ||
      parentSpanId === spanId ||
      !seen.some((other) => other.spanId === parentSpanId),
  );
