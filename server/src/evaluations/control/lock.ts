/** Locks an evaluation for a change, after a check that the caller may change it. */
import { sql } from 'kysely';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { ApiError, forbidden } from '../../platform/errors.ts';
import { evaluationNotFound, idOf } from '../reading/store.ts';
import type { EvaluationState } from '../schema.ts';

export interface LockedEvaluation {
  readonly id: string;
  readonly name: string;
  /** The status of the job: a paused evaluation is `running` here until its samples under way have ended. */
  readonly status: EvaluationState;
  /** The status in responses: `paused` as soon as the pause was requested. */
  readonly shown_status: EvaluationState;
  /** Whether its running samples are being stopped. */
  readonly is_cancelling: boolean;
  readonly concurrency: number;
  readonly budget_usd: number | null;
  /** The check of a gate that it was made for. */
  readonly gate_check_id: string | null;
}

/** @throws {ApiError} `not_found_error`; `forbidden_error` for a caller who is neither its creator nor an admin of the workspace */
export async function lockEvaluation(
  trx: Trx,
  scope: WorkspaceScope,
  given: string,
): Promise<LockedEvaluation> {
  const { organizationId, workspaceId, principal } = scope;
  const { rows } = await sql<
    LockedEvaluation & {
      readonly created_by: string;
      readonly optimization_job_id: string | null;
      readonly airt_finding_id: string | null;
    }
  >`
    SELECT id, name, status, shown_status, status = 'running' AND cancel_requested_at IS NOT NULL AS is_cancelling,
           concurrency, budget_usd, gate_check_id, created_by, optimization_job_id, airt_finding_id FROM evaluations
     WHERE organization_id = ${organizationId} AND workspace_id = ${workspaceId} AND id = ${idOf(given)}
       FOR NO KEY UPDATE`.execute(trx);
  const [found] = rows;
  if (!found) throw evaluationNotFound(given);
  if (found.created_by !== principal.userId && scope.workspaceRole !== 'admin')
    throw forbidden('Only its creator or an admin of the workspace can change this evaluation.');
  if (found.optimization_job_id !== null)
    throw new ApiError(
      'conflict_error',
      `The evaluation scores a candidate of optimization job ${found.optimization_job_id}; cancel or retry that job instead.`,
    );
  if (found.airt_finding_id !== null)
    throw new ApiError(
      'conflict_error',
      `The evaluation is a trial of red-team finding ${found.airt_finding_id}; cancel its assessment instead.`,
    );
  return found;
}
