/** Duration and usage of the spans of a trace, by span type and by model. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import type { Viewer } from '../../sessions/service.ts';
import type { TraceStatsOf } from '../schema.ts';
import { OWN_FIGURES, SPAN_TYPES, type SpanType } from '../span-types.ts';
import { toCost, toCount } from './figures.ts';
import { millisecondsBetween } from './moments.ts';
import { getSeenTrace, isSeen, type SeenTrace } from './seen-trace.ts';

interface Group {
  readonly span_type: SpanType | null;
  readonly model: string | null;
  readonly has_own_figures: boolean;
  readonly span_count: number;
  readonly error_count: number;
  readonly total_duration_ms: number;
  readonly min_duration_ms: number;
  readonly p50_duration_ms: number;
  readonly p95_duration_ms: number;
  readonly max_duration_ms: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cost_usd: number;
  readonly unpriced_count: number;
  readonly first_start: string;
  readonly last_end: string;
}

export async function getStats(db: Db, viewer: Viewer, traceId: string): Promise<TraceStatsOf> {
  const trace = await getSeenTrace(db, viewer, traceId);
  const groups = await readGroups(db, viewer, trace);
  const byType = groups.filter(({ span_type }) => span_type !== null);
  const ends = byType.map(({ last_end }) => last_end);
  return {
    trace_id: traceId.toLowerCase(),
    span_count: sum(byType, 'span_count'),
    error_count: sum(byType, 'error_count'),
    duration_ms: millisecondsBetween(
      byType.map(({ first_start }) => first_start).toSorted()[0] ?? trace.firstStart,
      ends.toSorted().at(-1) ?? trace.firstStart,
    ),
    ...sumsOf(byType.filter(({ has_own_figures }) => has_own_figures)),
    by_type: byType.map(toTypeStats).toSorted((a, b) => placeOf(a) - placeOf(b)),
    by_model: [...Map.groupBy(groups, ({ model }) => model)].flatMap(([model, of]) =>
      toModelStats(model, of),
    ),
  };
}

const placeOf = ({ span_type }: { span_type: SpanType }) => SPAN_TYPES.indexOf(span_type);

async function readGroups(db: Db, viewer: Viewer, trace: SeenTrace): Promise<Group[]> {
  const { rows } = await sql<Group>`
    WITH measured AS (
      SELECT span.span_type, span.model, span.status_code, span.start_time, span.end_time, span.cost_usd,
             greatest(0, extract(epoch FROM span.end_time - span.start_time) * 1000
               + (span.end_ns - span.start_ns) / 1000000.0)::float8 AS ms,
             span.span_type = ANY (${OWN_FIGURES}) AS has_own_figures,
             span.input_tokens, span.output_tokens, span.cache_read_input_tokens, span.cache_creation_input_tokens
        FROM spans AS span WHERE ${isSeen(viewer, trace, 'span')}
    )
    SELECT span_type, model, has_own_figures, count(*) AS span_count, count(*) FILTER (WHERE status_code = 2) AS error_count,
           sum(ms) AS total_duration_ms, min(ms) AS min_duration_ms, max(ms) AS max_duration_ms,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS p50_duration_ms,
           percentile_cont(0.95) WITHIN GROUP (ORDER BY ms) AS p95_duration_ms,
           coalesce(sum(input_tokens), 0) AS input_tokens, coalesce(sum(output_tokens), 0) AS output_tokens,
           coalesce(sum(cache_read_input_tokens), 0) AS cache_read_input_tokens,
           coalesce(sum(cache_creation_input_tokens), 0) AS cache_creation_input_tokens,
           coalesce(sum(cost_usd), 0) AS cost_usd,
           count(*) FILTER (WHERE cost_usd IS NULL AND (input_tokens > 0 OR output_tokens > 0)) AS unpriced_count,
           min(start_time)::text AS first_start, max(end_time)::text AS last_end
      FROM measured GROUP BY GROUPING SETS ((span_type, has_own_figures), (model, has_own_figures))
     ORDER BY sum(count(*)) OVER (PARTITION BY model) DESC, model COLLATE "C"`.execute(db);
  return rows;
}

type Figure = { [Name in keyof Group]: Group[Name] extends number ? Name : never }[keyof Group];

const sum = (groups: readonly Group[], name: Figure) =>
  toCount(groups.reduce((total, group) => total + group[name], 0));

/** The total cost is unknown as soon as one span has tokens and no cost. */
function sumsOf(groups: readonly Group[]) {
  return {
    input_tokens: sum(groups, 'input_tokens'),
    output_tokens: sum(groups, 'output_tokens'),
    cache_read_input_tokens: sum(groups, 'cache_read_input_tokens'),
    cache_creation_input_tokens: sum(groups, 'cache_creation_input_tokens'),
    cost_usd: sum(groups, 'unpriced_count') > 0 ? null : toCost(groups.map(({ cost_usd }) => cost_usd)),
  };
}

const toTypeStats = (group: Group): TraceStatsOf['by_type'][number] => ({
  span_type: group.span_type as SpanType,
  span_count: group.span_count,
  error_count: group.error_count,
  total_duration_ms: group.total_duration_ms,
  min_duration_ms: group.min_duration_ms,
  p50_duration_ms: group.p50_duration_ms,
  p95_duration_ms: group.p95_duration_ms,
  max_duration_ms: group.max_duration_ms,
  ...sumsOf([group]),
});

/** The groups add up to the usage of the trace, even when several spans repeat it. */
function toModelStats(model: string | null, groups: readonly Group[]): TraceStatsOf['by_model'] {
  if (model === null) return [];
  return [
    {
      model,
      span_count: sum(groups, 'span_count'),
      error_count: sum(groups, 'error_count'),
      ...sumsOf(groups.filter(({ has_own_figures }) => has_own_figures)),
    },
  ];
}
