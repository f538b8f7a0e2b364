/** Deletes the runtimes of a workspace before the workspace itself: each is ended and deleted with its disk, on its host. */
import { sql } from 'kysely';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import { toTarget } from '../lookup.ts';
import type { RuntimeOperator } from '../operator.ts';

/** Deletes one after the other, from the oldest. A repeated deletion continues; runtimes created in the meantime may be left. */
export async function deleteAllRuntimes(
  db: Db,
  operator: RuntimeOperator,
  scope: WorkspaceScope,
): Promise<void> {
  const { organizationId, workspaceId } = scope;
  for (let after = NIL; ; ) {
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM runtimes
       WHERE organization_id = ${organizationId} AND workspace_id = ${workspaceId} AND id > ${after}::uuid
       ORDER BY id LIMIT 1`.execute(db);
    const [next] = rows;
    if (!next) return;
    await operator.delete(toTarget(scope, next.id)).catch(unlessGone);
    after = next.id;
  }
}

const NIL = '00000000-0000-0000-0000-000000000000';

/** Ignores that the owner has deleted the runtime concurrently. */
export function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError && error.type === 'not_found_error')) throw error;
}

/** Runs under the lock of the workspace's row, so that no runtimes can be added. Those that have started must be ended first. */
export async function forgetNewRuntimes(
  trx: Trx,
  { organizationId, workspaceId }: WorkspaceScope,
): Promise<void> {
  await sql`
    DELETE FROM runtimes
     WHERE organization_id = ${organizationId} AND workspace_id = ${workspaceId}
       AND status = 'idle' AND move IS NULL AND disk_id IS NULL`.execute(trx);
  const { rows } = await sql`
    SELECT FROM runtimes WHERE organization_id = ${organizationId} AND workspace_id = ${workspaceId} LIMIT 1`.execute(
    trx,
  );
  if (rows.length === 0) return;
  throw new ApiError(
    'conflict_error',
    'A runtime of this workspace was started while it was being deleted; delete it again.',
  );
}
