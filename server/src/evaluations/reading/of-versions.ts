/** The newest evaluations of versions of a capability. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { type ItemCounts, toFullCounts } from '../item-states.ts';
import type { AnalyticsOf } from './analytics-schema.ts';
import type { Place } from './store.ts';

export interface EvaluationOfVersion {
  readonly id: string;
  readonly name: string;
  readonly task_set: string | null;
  readonly model: string;
  readonly pass_rate: number | null;
  /** null before the end. */
  readonly pass_rate_interval: AnalyticsOf['pass_rate_interval'];
  readonly mean_score: number | null;
  /** Samples with a result. */
  readonly n: number;
  readonly errors: number;
  readonly cost_usd: number;
  /** null before the end, and for evaluations that ended before contamination was recorded. */
  readonly contaminated_count: number | null;
  readonly completed_at: string | null;
}

interface Row
  extends Omit<EvaluationOfVersion, 'pass_rate' | 'mean_score' | 'n' | 'errors' | 'pass_rate_interval'> {
  readonly version: string;
  readonly item_counts: ItemCounts;
  readonly score_sum: number;
  readonly scored_count: number;
  readonly interval: EvaluationOfVersion['pass_rate_interval'];
}

/**
 * Lists evaluations, except those that belong to an optimization job or a finding.
 * @param name of the capability, with its organization if that is another one
 * @returns evaluations by version, newest first
 */
export async function listEvaluationsOf(
  db: Db,
  { organizationId, workspaceId }: Place,
  {
    name,
    versions,
    limit,
  }: { readonly name: string; readonly versions: readonly string[]; readonly limit: number },
): Promise<Map<string, EvaluationOfVersion[]>> {
  const { rows } = await sql<Row>`
    SELECT v.version, e.id, e.name, e.task_set, e.model, e.item_counts, e.score_sum, e.scored_count, e.cost_usd, e.interval,
           e.contaminated_count, e.completed_at
      FROM unnest(${[...versions]}::text[]) AS v (version)
     CROSS JOIN LATERAL (
        SELECT e.id, e.name, e.request ->> 'task_set' AS task_set, e.model, e.item_counts, e.score_sum, e.scored_count, e.cost_usd,
               e.analytics_snapshot -> 'pass_rate_interval' AS interval,
               (e.analytics_snapshot ->> 'contaminated_count')::integer AS contaminated_count, e.created_at, e.completed_at
          FROM evaluations AS e
         WHERE e.organization_id = ${organizationId} AND e.workspace_id = ${workspaceId}
           AND e.request -> 'capability' ->> 'name' = ${name} AND e.request -> 'capability' ->> 'version' = v.version
           AND e.optimization_job_id IS NULL AND e.airt_finding_id IS NULL
         ORDER BY e.created_at DESC, e.id DESC LIMIT ${limit}) AS e
     ORDER BY e.created_at DESC, e.id DESC`.execute(db);
  return Map.groupBy(rows.map(toEvaluation), ({ version }) => version);
}

function toEvaluation({ item_counts, score_sum, scored_count, interval, ...row }: Row) {
  const { passed, failed, timed_out, infra_error } = toFullCounts(item_counts);
  const n = passed + failed + timed_out;
  return {
    ...row,
    pass_rate: n === 0 ? null : passed / n,
    pass_rate_interval: interval,
    mean_score: scored_count === 0 ? null : score_sum / scored_count,
    n,
    errors: infra_error,
  };
}
