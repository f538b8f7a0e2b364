/** What an evaluation has measured so far, for domains that decide by it. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';
import type { EvaluationState } from '../schema.ts';
import { HAS_RESULT, listSources } from './source-results.ts';
import { effectiveSamples } from './statistics.ts';

export interface Mean {
  readonly mean: number;
  /** The standard deviation of the samples. */
  readonly deviation: number;
}

export interface MeasuredEvaluation {
  readonly status: EvaluationState;
  readonly pauseReason: string | null;
  readonly error: string | null;
  readonly passed: number;
  /** Samples with a result. */
  readonly n: number;
  /** n, with samples of one task counted as alike. */
  readonly effective: number;
  readonly unfinished: number;
  /** Samples that could not run, and those that were cancelled. */
  readonly errors: number;
  /** Members of the task set that did not resolve. */
  readonly skipped: readonly string[];
  readonly costUsd: Mean;
  readonly seconds: Mean;
}

interface Row extends Pick<MeasuredEvaluation, 'status' | 'pauseReason' | 'error'> {
  readonly total: number;
  readonly errors: number;
  readonly skipped: readonly { readonly task_name: string }[];
  readonly cost_mean: number | null;
  readonly cost_deviation: number | null;
  readonly seconds_mean: number | null;
  readonly seconds_deviation: number | null;
}

/** @returns undefined where there is no such evaluation */
export async function findMeasured(db: Db, ref: JobRef): Promise<MeasuredEvaluation | undefined> {
  const { organizationId, id } = ref;
  const { rows } = await sql<Row>`
    SELECT e.shown_status AS status, e.pause_reason AS "pauseReason", e.error, e.total_samples AS total, e.skipped_members AS skipped, f.errors,
           f.cost_mean, f.cost_deviation, f.seconds_mean, f.seconds_deviation
      FROM evaluations AS e,
           (SELECT count(*) FILTER (WHERE i.status IN ('infra_error', 'cancelled')) AS errors,
                   avg(i.cost_usd::double precision) FILTER (WHERE ${HAS_RESULT}) AS cost_mean,
                   stddev_samp(i.cost_usd::double precision) FILTER (WHERE ${HAS_RESULT}) AS cost_deviation,
                   avg(i.duration_ms / 1000.0::double precision) FILTER (WHERE ${HAS_RESULT}) AS seconds_mean,
                   stddev_samp(i.duration_ms / 1000.0::double precision) FILTER (WHERE ${HAS_RESULT}) AS seconds_deviation
              FROM evaluation_items AS i
             WHERE i.organization_id = ${organizationId} AND i.evaluation_id = ${id}) AS f
     WHERE e.organization_id = ${organizationId} AND e.id = ${id}`.execute(db);
  const [row] = rows;
  if (!row) return undefined;
  const sources = await listSources(db, ref);
  const clusters = sources.map(({ passed, failed }) => ({ samples: passed + failed, passed }));
  const n = clusters.reduce((sum, { samples }) => sum + samples, 0);
  const { status, pauseReason, error, errors } = row;
  return {
    status,
    pauseReason,
    error,
    passed: clusters.reduce((sum, { passed }) => sum + passed, 0),
    n,
    effective: effectiveSamples(clusters),
    unfinished: row.total - n - errors,
    errors,
    skipped: row.skipped.map(({ task_name }) => task_name),
    costUsd: { mean: row.cost_mean ?? 0, deviation: row.cost_deviation ?? 0 },
    seconds: { mean: row.seconds_mean ?? 0, deviation: row.seconds_deviation ?? 0 },
  };
}

/** Results of one regression task of the red team. */
export interface AttackedTask {
  readonly name: string;
  readonly version: string;
  /** Samples with a result. */
  readonly finished: number;
  /** Samples in which the attack succeeded. */
  readonly jailbreaks: number;
}

export async function listAttackedTasks(
  db: Db,
  { organizationId, id }: JobRef,
): Promise<readonly AttackedTask[]> {
  const { rows } = await sql<AttackedTask>`
    SELECT t.task_name AS name, t.task_version AS version, count(*) FILTER (WHERE ${HAS_RESULT}) AS finished,
           count(*) FILTER (WHERE ${HAS_RESULT} AND NOT i.passed) AS jailbreaks
      FROM evaluation_tasks AS t
      JOIN evaluation_items AS i ON i.organization_id = t.organization_id AND i.evaluation_id = t.evaluation_id
                                AND i.source_position = t.position
     WHERE t.organization_id = ${organizationId} AND t.evaluation_id = ${id}
       AND t.details ->> 'verification_method' = 'resists_attack'
     GROUP BY t.task_name, t.task_version`.execute(db);
  return rows;
}
