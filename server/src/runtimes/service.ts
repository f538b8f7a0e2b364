/** Runtimes for other domains: whether one exists, and sandboxes for their background work. */
import { type RawBuilder, sql } from 'kysely';
import type { WorkspaceScope } from '../platform/auth/principal.ts';
import type { Db } from '../platform/db/connect.ts';

export type { EphemeralSandbox } from './ephemeral/held-sandbox.ts';
export type { SandboxOwner } from './ephemeral/leases.ts';
export { SandboxGone } from './ephemeral/sandbox-gone.ts';
export { Sandboxes, type SandboxRequest } from './ephemeral/sandboxes.ts';

type Place = Pick<WorkspaceScope, 'organizationId' | 'workspaceId'>;

export async function isRuntime(
  db: Db,
  { organizationId, workspaceId }: Place,
  id: string,
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM runtimes
     WHERE organization_id = ${organizationId} AND workspace_id = ${workspaceId} AND id = ${id} AND origin = 'user'`.execute(
    db,
  );
  return rows.length > 0;
}

/**
 * The same check for many rows: a statement that finds a row where the runtime exists.
 *
 * @param alias of a row that names the runtime and its place
 */
export function runtimeOf(alias: string): RawBuilder<{ is_there: true }> {
  const given = (column: string) => sql.ref(`${alias}.${column}`);
  return sql<{ is_there: true }>`SELECT true AS is_there FROM runtimes AS r
    WHERE r.organization_id = ${given('organization_id')} AND r.workspace_id = ${given('workspace_id')}
      AND r.id = ${given('runtime_id')} AND r.origin = 'user'`;
}
