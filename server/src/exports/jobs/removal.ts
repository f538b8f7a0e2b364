/** Deletes the exports of a workspace before the workspace itself: rows, files, and the output of running workers. */
import { sql } from 'kysely';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { EXPORTS_PREFIX } from '../../platform/object-storage/prefixes.ts';

const BATCH = 1_000;

/** Deletes files now rather than by the cleanup, which is for files that are written later. */
export async function deleteAllExports(
  db: Db,
  storage: Pick<ObjectStorage, 'delete'>,
  scope: WorkspaceScope,
): Promise<void> {
  for (;;) {
    const { keys, count } = await transactionFor(db, scope, (trx) => deleteSome(trx, scope, BATCH));
    await storage.delete(keys);
    if (count < BATCH) return;
  }
}

/** Runs under the lock of the workspace's row, so that no exports can be added. */
export async function forgetNewExports(trx: Trx, scope: WorkspaceScope): Promise<void> {
  await deleteSome(trx, scope, null);
}

/**
 * A worker whose row is gone stops and writes nothing.
 * @param limit null for all exports
 */
async function deleteSome(trx: Trx, { organizationId, workspaceId }: WorkspaceScope, limit: number | null) {
  const { rows } = await sql<{ object_key: string | null }>`
    WITH gone AS (
      DELETE FROM exports AS e USING (
        SELECT id FROM exports WHERE organization_id = ${organizationId} AND workspace_id = ${workspaceId}
         LIMIT ${limit}::bigint) AS portion
       WHERE e.organization_id = ${organizationId} AND e.id = portion.id
      RETURNING e.id, e.attempt, e.object_key),
    abandoned AS (
      INSERT INTO abandoned_prefixes (organization_id, prefix)
      SELECT ${organizationId}::uuid, ${`${EXPORTS_PREFIX}${organizationId}/`}::text || id || '/' FROM gone
       WHERE attempt > 0 ON CONFLICT DO NOTHING)
    SELECT object_key FROM gone`.execute(trx);
  return { keys: rows.flatMap(({ object_key }) => object_key ?? []), count: rows.length };
}
