/** Red-team runs for other domains: planned, started, measured and cancelled, and what they prove about findings. */
import { sql } from 'kysely';
import type { WorkspaceScope } from '../platform/auth/principal.ts';
import type { Db } from '../platform/db/connect.ts';
import { type Trx, transactionFor } from '../platform/db/transaction.ts';
import { validate } from '../platform/http/requests/validation.ts';
import type { JobRef } from '../platform/jobs/job-kind.ts';
import { requestCancel } from '../platform/jobs/job-row.ts';
import { ASSESSMENT_RUN } from './assessment-kind.ts';
import { checkRequest, insertAssessment } from './assessments/create.ts';
import { planRun } from './assessments/plan.ts';
import { CreateAssessmentRequest, type CreateRequest } from './assessments/schema.ts';
import { beginRun, type StartOptions } from './assessments/start.ts';
import type { RunState } from './schema.ts';

export { Manifest } from './assessments/manifest.ts';
export { type AssessmentOfVersion, countFindingsOf, listAssessmentsOf } from './assessments/of-versions.ts';
export type { StartOptions } from './assessments/start.ts';
export { recordEvidence } from './findings/evidence.ts';

/** Targets of these runs are models and agents; no address is called. */
const RULES = { allowsPrivate: false };

/** @throws {ApiError} `validation_error` for a request that cannot run */
export async function planAssessment(
  options: StartOptions,
  scope: WorkspaceScope,
  given: unknown,
  signal: AbortSignal,
) {
  const request = validate({ body: CreateAssessmentRequest }, { body: given }).body as CreateRequest;
  checkRequest(RULES, request);
  return { request, plan: await planRun(options, scope, request, signal) };
}

/** Starts an assessment whose id is the caller's, so that it is not started twice. */
export async function startAssessmentAs(
  options: StartOptions,
  scope: WorkspaceScope,
  { id, projectId }: { readonly id: string; readonly projectId: string },
  { request, plan }: Awaited<ReturnType<typeof planAssessment>>,
): Promise<void> {
  await transactionFor(options.db, scope, async (trx) => {
    await insertAssessment(trx, scope, { id, projectId, retestOf: null }, request);
    await beginRun(trx, options.queue, scope, { id, projectId }, plan);
  });
}

export interface MeasuredAssessment {
  readonly status: RunState;
  readonly error: string | null;
  readonly stopReason: string | null;
  /** Trials with a score. */
  readonly finished: number;
  readonly jailbreaks: number;
  /** Trials without one, and attacks that made none. */
  readonly errors: number;
}

/** @returns undefined where there is no such assessment */
export async function findMeasuredAssessment(
  db: Db,
  { organizationId, id }: JobRef,
): Promise<MeasuredAssessment | undefined> {
  const { rows } = await sql<MeasuredAssessment>`
    SELECT a.status, a.error, a.stop_reason AS "stopReason", coalesce(sum(f.finished_trials), 0) AS finished,
           coalesce(sum(f.jailbreak_trials), 0) AS jailbreaks,
           coalesce(sum(greatest(f.total_trials - f.finished_trials, CASE WHEN f.status = 'failed' THEN 1 ELSE 0 END)), 0) AS errors
      FROM airt_assessments AS a
      LEFT JOIN airt_findings AS f ON f.organization_id = a.organization_id AND f.assessment_id = a.id
     WHERE a.organization_id = ${organizationId} AND a.id = ${id}
     GROUP BY a.status, a.error, a.stop_reason`.execute(db);
  return rows[0];
}

/** Cancels those of these assessments that run. */
export async function cancelAssessments(
  trx: Trx,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM airt_runs
     WHERE organization_id = ${organizationId} AND id = ANY (${[...ids]}::uuid[]) AND status IN ('queued', 'running')
     ORDER BY id FOR NO KEY UPDATE`.execute(trx);
  for (const { id } of rows) await requestCancel(trx, ASSESSMENT_RUN, { organizationId, id });
}
