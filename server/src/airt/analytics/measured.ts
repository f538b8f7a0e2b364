/** Reads the input of analytics: the findings of an assessment, and its trials by transform. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';
import type { Severity } from '../../platform/red-team/scoring/severity.ts';
import type { FindingType } from '../../platform/red-team/scoring/summary.ts';
import type { FindingState, RunState } from '../schema.ts';

export interface MeasuredFinding {
  readonly id: string;
  readonly attack_name: string;
  readonly goal: string;
  readonly goal_category: string | null;
  readonly finding_status: FindingState;
  readonly finding_type: FindingType;
  readonly severity: Severity;
  readonly run_finding_type: FindingType;
  readonly run_severity: Severity;
  readonly best_score: number | null;
  readonly total_trials: number;
  readonly finished_trials: number;
  readonly jailbreak_trials: number;
  readonly execution_time_s: number | null;
  readonly cost_usd: number;
  readonly model_calls: number;
  readonly compliance_tags: Readonly<Record<string, readonly string[]>> | null;
}

/** Finished trials of one finding with the same transforms. */
export interface MeasuredTransform {
  readonly finding_id: string;
  readonly transforms: readonly string[];
  readonly finished: number;
  readonly jailbreaks: number;
}

export interface Measured {
  readonly id: string;
  readonly project_id: string;
  readonly judge_model: string | null;
  readonly status: RunState;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly findings: readonly MeasuredFinding[];
  readonly transforms: readonly MeasuredTransform[];
}

export async function readMeasured(db: Db, { organizationId, id }: JobRef): Promise<Measured | undefined> {
  const { rows } = await sql<Omit<Measured, 'findings' | 'transforms'>>`
    SELECT id, project_id, judge_model, status, started_at, completed_at FROM airt_assessments
     WHERE organization_id = ${organizationId} AND id = ${id}`.execute(db);
  const [assessment] = rows;
  if (!assessment) return undefined;
  const { rows: findings } = await sql<MeasuredFinding>`
    SELECT id, attack_name, left(goal, 500) AS goal, goal_category, finding_status, finding_type, severity, run_finding_type,
           run_severity, best_score, total_trials, finished_trials, jailbreak_trials, execution_time_s, cost_usd, model_calls,
           compliance_tags
      FROM airt_findings WHERE organization_id = ${organizationId} AND assessment_id = ${id} ORDER BY position`.execute(
    db,
  );
  const { rows: transforms } = await sql<MeasuredTransform>`
    SELECT finding_id, transforms_applied AS transforms, count(*) AS finished,
           count(*) FILTER (WHERE is_jailbreak) AS jailbreaks
      FROM airt_trials
     WHERE organization_id = ${organizationId} AND assessment_id = ${id} AND score IS NOT NULL
     GROUP BY finding_id, transforms_applied ORDER BY finding_id, transforms_applied`.execute(db);
  return { ...assessment, findings, transforms };
}
