/** Runtimes for other domains: whether one exists, and sandboxes for their background work. */
import { type RawBuilder, sql } from 'kysely';
import type { WorkspaceScope } from '../platform/auth/principal.ts';
import type { Db } from '../platform/db/connect.ts';
import type { RuntimeConfigOf } from './config-schema.ts';

export { Environment, RuntimeConfig, type RuntimeConfigOf } from './config-schema.ts';
export type { EphemeralSandbox } from './ephemeral/held-sandbox.ts';
export type { McpTool, McpToolResult } from './ephemeral/held-servers.ts';
export type { SandboxOwner } from './ephemeral/leases.ts';
export { SandboxGone } from './ephemeral/sandbox-gone.ts';
export { Sandboxes, type SandboxRequest } from './ephemeral/sandboxes.ts';
export { findSandboxPrincipal } from './platform-access/grant.ts';

/** Whether any host can start sandboxes, or could within the last hour: a host that restarts or is overloaded comes back. */
export async function hasSandboxProvider(db: Db): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM sandbox_hosts CROSS JOIN LATERAL jsonb_array_elements(providers) AS provider
     WHERE lease_expires_at > now() - interval '1 hour' AND provider ->> 'available' = 'true' LIMIT 1`.execute(
    db,
  );
  return rows.length > 0;
}

/** @returns the configuration of a runtime of the caller's own; undefined for an unknown one and for those of others */
export async function findOwnConfig(
  db: Db,
  scope: WorkspaceScope,
  runtimeId: string,
): Promise<RuntimeConfigOf | undefined> {
  const { rows } = await sql<{ config: RuntimeConfigOf }>`
    SELECT config FROM runtimes
     WHERE organization_id = ${scope.organizationId} AND workspace_id = ${scope.workspaceId} AND id = ${runtimeId}
       AND created_by = ${scope.principal.userId} AND origin = 'user'`.execute(db);
  return rows[0]?.config;
}

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
 * The same check for many rows: a subquery that finds a row if the runtime exists.
 * @param alias of a row with the runtime and its place
 */
export function runtimeOf(alias: string): RawBuilder<{ is_there: true }> {
  const given = (column: string) => sql.ref(`${alias}.${column}`);
  return sql<{ is_there: true }>`SELECT true AS is_there FROM runtimes AS r
    WHERE r.organization_id = ${given('organization_id')} AND r.workspace_id = ${given('workspace_id')}
      AND r.id = ${given('runtime_id')} AND r.origin = 'user'`;
}

export interface EgressRequest {
  readonly host: string;
  readonly port: number;
  readonly isAllowed: boolean;
}

/** @returns network requests of a sandbox, oldest first */
export async function listEgress(
  db: Db,
  { organizationId, sandboxId }: { readonly organizationId: string; readonly sandboxId: string },
  limit: number,
): Promise<readonly EgressRequest[]> {
  const { rows } = await sql<EgressRequest>`
    SELECT details ->> 'host' AS host, (details ->> 'port')::integer AS port, (details ->> 'allowed')::boolean AS "isAllowed"
      FROM sandbox_log
     WHERE organization_id = ${organizationId} AND sandbox_id = ${sandboxId} AND kind = 'egress'
     ORDER BY number LIMIT ${limit}`.execute(db);
  return rows;
}
