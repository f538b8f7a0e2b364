/** Reads the progress of a job: its scores over time, and the versions that were made of it. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';
import type { OptimizationJobOf } from '../schema.ts';

/** Points by the number of metric calls that had been made when a candidate was found. */
export async function listMetrics(
  db: Db,
  { organizationId, id }: JobRef,
): Promise<OptimizationJobOf['metrics']> {
  const { rows } = await sql<{ score: number; holdout: number | null; step: number; at: string }>`
    SELECT mean_score AS score, holdout_score AS holdout, metric_calls AS step, created_at AS at
      FROM optimization_candidates
     WHERE organization_id = ${organizationId} AND job_id = ${id} ORDER BY index`.execute(db);
  let best = -Infinity;
  const score = rows.map((row) => ({ value: row.score, step: row.step, timestamp: row.at }));
  const best_score = rows.map((row) => {
    best = Math.max(best, row.score);
    return { value: best, step: row.step, timestamp: row.at };
  });
  const holdout_score = rows.flatMap((row) =>
    row.holdout === null ? [] : [{ value: row.holdout, step: row.step, timestamp: row.at }],
  );
  return { score, best_score, holdout_score };
}

export interface Promotion {
  readonly capability: string;
  readonly version: string;
  readonly candidate: number;
  readonly created_at: string;
}

export async function listPromotions(db: Db, { organizationId, id }: JobRef): Promise<Promotion[]> {
  const { rows } = await sql<Promotion>`
    SELECT capability, version, candidate_index AS candidate, created_at FROM optimization_promotions
     WHERE organization_id = ${organizationId} AND job_id = ${id} ORDER BY created_at, version`.execute(db);
  return rows;
}
