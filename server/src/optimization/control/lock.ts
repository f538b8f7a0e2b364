/** Finds a job for a change, after a check that the caller may change it. */
import { sql } from 'kysely';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { forbidden } from '../../platform/errors.ts';
import { jobNotFound, requireJob } from '../reading/store.ts';
import type { OptimizationJobOf } from '../schema.ts';

export interface LockedJob {
  readonly id: string;
  readonly status: OptimizationJobOf['status'];
}

/** @throws {ApiError} `not_found_error`; `forbidden_error` for a caller who is neither its creator nor an admin of the workspace */
export async function lockJob(trx: Trx, scope: WorkspaceScope, given: string): Promise<LockedJob> {
  const id = await requireJob(trx, scope, given);
  const { rows } = await sql<LockedJob & { readonly created_by: string }>`
    SELECT id, status, created_by FROM optimization_jobs
     WHERE organization_id = ${scope.organizationId} AND id = ${id} FOR NO KEY UPDATE`.execute(trx);
  const [found] = rows;
  if (!found) throw jobNotFound(given);
  if (found.created_by !== scope.principal.userId && scope.workspaceRole !== 'admin')
    throw forbidden('Only its creator or an admin of the workspace can change this optimization job.');
  return found;
}
