/** Statistics over the samples of an evaluation: results by task, tag and difficulty, pass@k, cost, tokens and durations. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';
import type { AnalyticsOf } from './analytics-schema.ts';
import {
  HAS_RESULT,
  listSources,
  type SourceResults,
  sumByKey,
  sumResults,
  toClusters,
  toTaskResults,
} from './source-results.ts';
import { passAtK } from './statistics.ts';
import { type Place, requireEvaluation } from './store.ts';

export async function getAnalytics(db: Db, scope: Place, evaluation: string): Promise<AnalyticsOf> {
  const id = await requireEvaluation(db, scope, evaluation);
  return analyze(db, { organizationId: scope.organizationId, id });
}

/** Keeps the analytics as of the end of an evaluation. */
export async function saveSnapshot(trx: Trx, { organizationId, id }: JobRef): Promise<void> {
  const analytics = JSON.stringify(await analyze(trx, { organizationId, id }));
  await sql`
    UPDATE evaluations SET analytics_snapshot = ${analytics}::jsonb
     WHERE organization_id = ${organizationId} AND id = ${id}`.execute(trx);
}

async function analyze(db: Db, job: JobRef): Promise<AnalyticsOf> {
  const sources = await listSources(db, job);
  const figures = await getFigures(db, job);
  const clusters = toClusters(sources);
  const rates = toRates(sources);
  const contaminated = sources.filter(({ is_contaminated }) => is_contaminated);
  const sampleCount = rates.passed_count + rates.failed_count;
  return {
    evaluation_id: job.id,
    ...rates,
    total_samples: figures.total_samples,
    pass_at_k: passAtK(clusters),
    contaminated_count: sumResults(contaminated).total,
    uncontaminated: toRates(sources.filter(({ is_contaminated }) => !is_contaminated)),
    by_task: toTaskResults(sources),
    by_tag: sumByKey(sources, ({ tags }) => tags ?? []).map(([tag, results]) =>
      Object.assign({ tag }, results),
    ),
    by_difficulty: sumByKey(sources, (source) => [source.difficulty]).map(([difficulty, results]) =>
      Object.assign({ difficulty }, results),
    ),
    stop_reasons: await countStopReasons(db, job),
    cost_usd: figures.cost_usd,
    cost_per_sample_usd: sampleCount === 0 ? null : figures.cost_usd / sampleCount,
    tokens: {
      input: figures.input,
      output: figures.output,
      cache_read: figures.cache_read,
      cache_creation: figures.cache_creation,
    },
    turns: toPercentiles(figures.turns),
    durations_ms: toPercentiles(figures.durations),
  };
}

function toRates(sources: readonly SourceResults[]): AnalyticsOf['uncontaminated'] {
  const { total, passed, failed, errors, ...rates } = sumResults(sources);
  return {
    total_samples: total,
    passed_count: passed,
    failed_count: failed,
    error_count: errors,
    ...rates,
  };
}

interface Figures extends Pick<AnalyticsOf, 'total_samples' | 'cost_usd'> {
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_creation: number;
  readonly turns: readonly number[] | null;
  readonly durations: readonly number[] | null;
}

async function getFigures(db: Db, { organizationId, id }: JobRef): Promise<Figures> {
  const { rows } = await sql<Figures>`
    SELECT e.total_samples, e.cost_usd, f.input, f.output, f.cache_read, f.cache_creation, f.turns, f.durations
      FROM evaluations AS e,
           (SELECT coalesce(sum(i.input_tokens), 0) AS input, coalesce(sum(i.output_tokens), 0) AS output,
                   coalesce(sum(i.cache_read_input_tokens), 0) AS cache_read,
                   coalesce(sum(i.cache_creation_input_tokens), 0) AS cache_creation,
                   percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY i.turn_count) FILTER (WHERE ${HAS_RESULT}) AS turns,
                   percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY i.duration_ms) FILTER (WHERE ${HAS_RESULT})
                     AS durations
              FROM evaluation_items AS i
             WHERE i.organization_id = ${organizationId} AND i.evaluation_id = ${id}) AS f
     WHERE e.organization_id = ${organizationId} AND e.id = ${id}`.execute(db);
  const [row] = rows;
  if (!row) throw new Error(`evaluation ${id} is gone`);
  return row;
}

async function countStopReasons(db: Db, { organizationId, id }: JobRef): Promise<Record<string, number>> {
  const { rows } = await sql<{ stop_reason: string; count: number }>`
    SELECT i.stop_reason, count(*) AS count FROM evaluation_items AS i
     WHERE i.organization_id = ${organizationId} AND i.evaluation_id = ${id} AND i.stop_reason IS NOT NULL
     GROUP BY i.stop_reason ORDER BY i.stop_reason`.execute(db);
  return Object.fromEntries(rows.map(({ stop_reason, count }) => [stop_reason, count]));
}

const toPercentiles = (values: readonly (number | null)[] | null) => ({
  p50: values?.[0] ?? null,
  p95: values?.[1] ?? null,
});
