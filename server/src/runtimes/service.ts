/** What other domains may ask of runtimes: whether one exists, and sandboxes for their background work. */
import { type RawBuilder, sql } from 'kysely';
import type { WorkspaceScope } from '../platform/auth/principal.ts';
import type { Db } from '../platform/db/connect.ts';
import type * as held from './ephemeral/held-sandbox.ts';
import type * as leases from './ephemeral/leases.ts';
import * as gone from './ephemeral/sandbox-gone.ts';
import * as ephemeral from './ephemeral/sandboxes.ts';

export type Sandboxes = ephemeral.Sandboxes;
export type SandboxRequest = ephemeral.SandboxRequest;
export type SandboxOwner = leases.SandboxOwner;
export type EphemeralSandbox = held.EphemeralSandbox;

/** Opened once per process, over its operator: a worker that has no sandboxes of its own reaches those of other processes. */
export const openEphemeralSandboxes = (options: ephemeral.SandboxesOptions): Sandboxes =>
  new ephemeral.Sandboxes(options);

/** Thrown when a sandbox has ended and the work can only be done over in a new one. */
export const SandboxGone = gone.SandboxGone;

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
