/** Reads assessments. Every member of the workspace sees all of them. */
import { sql } from 'kysely';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import { isUuid } from '../../platform/fields.ts';
import { successRate } from '../../platform/red-team/scoring/rates.ts';
import type { RunState } from '../schema.ts';
import type { AssessmentOf, ListQuery } from './schema.ts';

export type Place = Pick<WorkspaceScope, 'organizationId' | 'workspaceId'>;

export const assessmentNotFound = (given: string) => notFound(`Assessment "${given}"`);

/** @throws {ApiError} `not_found_error` for a text that is not an id */
export function assessmentIdOf(given: string): string {
  if (!isUuid(given)) throw assessmentNotFound(given);
  return given.toLowerCase();
}

interface Counts {
  readonly findings: number;
  readonly completed_findings: number;
  readonly planned_trials: number;
  readonly trials: number;
  readonly finished_trials: number;
  readonly jailbreaks: number;
  readonly critical: number;
  readonly high: number;
  readonly medium: number;
  readonly low: number;
  readonly info: number;
  readonly model_calls: number;
  readonly cost_usd: number;
}

type AssessmentRow = Omit<AssessmentOf, 'success' | 'progress' | 'sandbox_id' | 'sandbox_detail'> & Counts;

const COLUMNS = sql`a.id, a.organization_id, a.workspace_id, a.project_id, a.created_by AS user_id, a.name, a.description, a.status,
  a.attack_manifest, a.attacker_config, a.target_config, a.attacker_model, a.judge_model, a.target_model, a.overall_asr, a.risk_score,
  a.run_by, a.retest_of, a.stop_reason, a.error, a.runtime_id, a.session_id, a.workflow_run_id, a.workflow_script, a.created_at,
  a.updated_at, a.started_at, a.completed_at, f.findings, f.completed_findings, f.planned_trials, f.trials, f.finished_trials,
  f.jailbreaks, f.critical, f.high, f.medium, f.low, f.info, f.model_calls, f.cost_usd`;

const succeeded = (severity: string) =>
  sql`count(*) FILTER (WHERE f.jailbreak_trials > 0 AND f.severity = ${sql.lit(severity)})`;

const COUNTS = sql`
  CROSS JOIN LATERAL (
    SELECT count(*) AS findings, count(*) FILTER (WHERE f.status IN ('completed', 'failed')) AS completed_findings,
           coalesce(sum(coalesce((f.request ->> 'trials')::integer, f.total_trials)), 0) AS planned_trials,
           coalesce(sum(f.total_trials), 0) AS trials, coalesce(sum(f.finished_trials), 0) AS finished_trials,
           coalesce(sum(f.jailbreak_trials), 0) AS jailbreaks, ${succeeded('critical')} AS critical, ${succeeded('high')} AS high,
           ${succeeded('medium')} AS medium, ${succeeded('low')} AS low, ${succeeded('info')} AS info,
           coalesce(sum(f.model_calls), 0) AS model_calls, coalesce(sum(f.cost_usd), 0) AS cost_usd
      FROM airt_findings AS f WHERE f.organization_id = a.organization_id AND f.assessment_id = a.id) AS f`;

const isIn = ({ organizationId, workspaceId }: Place) =>
  sql<boolean>`a.organization_id = ${organizationId} AND a.workspace_id = ${workspaceId}`;

export async function getAssessment(db: Db, scope: Place, given: string): Promise<AssessmentOf> {
  const { rows } = await sql<AssessmentRow>`
    SELECT ${COLUMNS}, a.analytics_snapshot FROM airt_assessments AS a ${COUNTS}
     WHERE ${isIn(scope)} AND a.id = ${assessmentIdOf(given)}`.execute(db);
  const [row] = rows;
  if (!row) throw assessmentNotFound(given);
  return toAssessment(row);
}

/** @throws {ApiError} `not_found_error` where the workspace has no such assessment */
export async function requireAssessment(db: Db, scope: Place, given: string): Promise<string> {
  const id = assessmentIdOf(given);
  const { rows } = await sql`SELECT FROM airt_assessments AS a WHERE ${isIn(scope)} AND a.id = ${id}`.execute(
    db,
  );
  if (rows.length === 0) throw assessmentNotFound(given);
  return id;
}

export interface LockedAssessment {
  readonly id: string;
  readonly name: string;
  readonly status: RunState;
  readonly run_by: 'server' | 'client' | null;
  readonly project_id: string;
}

/** @throws {ApiError} `not_found_error`; `forbidden_error` for a caller who is neither its creator nor an admin of the workspace */
export async function lockAssessment(
  trx: Trx,
  scope: WorkspaceScope,
  given: string,
): Promise<LockedAssessment> {
  const { rows } = await sql<LockedAssessment & { readonly created_by: string }>`
    SELECT a.id, a.name, a.status, a.run_by, a.project_id, a.created_by FROM airt_assessments AS a
     WHERE ${isIn(scope)} AND a.id = ${assessmentIdOf(given)} FOR NO KEY UPDATE`.execute(trx);
  const [found] = rows;
  if (!found) throw assessmentNotFound(given);
  if (found.created_by !== scope.principal.userId && scope.workspaceRole !== 'admin')
    throw forbidden('Only its creator or an admin of the workspace can change this assessment.');
  return found;
}

export async function listAssessments(db: Db, scope: Place, query: ListQuery) {
  const { page, page_size, status = null, project_id = null, search = null } = query;
  const isProject = isUuid(project_id ?? '')
    ? sql`a.project_id = ${project_id}::uuid`
    : sql`a.project_id = (SELECT q.id FROM projects AS q
        WHERE q.organization_id = a.organization_id AND q.workspace_id = a.workspace_id AND q.key = ${project_id})`;
  const pattern = search === null ? null : `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const where = sql`${isIn(scope)}
    AND (${status}::text IS NULL OR a.status = ${status})
    AND (${project_id}::text IS NULL OR ${isProject})
    AND (${pattern}::text IS NULL OR a.name ILIKE ${pattern} OR a.description ILIKE ${pattern})`;
  const { rows: counted } = await sql<{ total: number }>`
    SELECT count(*) AS total FROM airt_assessments AS a WHERE ${where}`.execute(db);
  const { rows } = await sql<AssessmentRow>`
    SELECT ${COLUMNS}, NULL AS analytics_snapshot
      FROM (SELECT a.organization_id, a.id FROM airt_assessments AS a WHERE ${where}
             ORDER BY a.created_at DESC, a.id DESC LIMIT ${page_size} OFFSET ${(page - 1) * page_size}) AS shown
      JOIN airt_assessments AS a ON a.organization_id = shown.organization_id AND a.id = shown.id ${COUNTS}
     ORDER BY a.created_at DESC, a.id DESC`.execute(db);
  return { items: rows.map(toAssessment), total: counted[0]?.total ?? 0, page, page_size };
}

function toAssessment(row: AssessmentRow): AssessmentOf {
  const { critical, high, medium, low, info, ...rest } = row;
  const { findings, completed_findings, planned_trials, trials, ...others } = rest;
  const { finished_trials, jailbreaks, model_calls, cost_usd, ...assessment } = others;
  return {
    ...assessment,
    success: successRate({ finished: finished_trials, jailbreaks }),
    progress: {
      findings,
      completed_findings,
      planned_trials,
      trials,
      finished_trials,
      jailbreaks,
      severities: { critical, high, medium, low, info },
      model_calls,
      cost_usd,
    },
    sandbox_id: null,
    sandbox_detail: null,
  };
}
