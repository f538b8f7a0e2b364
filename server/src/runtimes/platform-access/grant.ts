/** Determines what a running sandbox may use of the platform. */
import { sql } from 'kysely';
import type { Principal } from '../../platform/auth/principal.ts';
import type { Scope } from '../../platform/auth/scopes.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { PlatformAccess } from '../config-schema.ts';

const INFERENCE: readonly Scope[] = ['inference:read', 'inference:write'];

const SCOPES: Readonly<Record<PlatformAccess, readonly Scope[]>> = {
  none: [],
  inference: INFERENCE,
  full: [...INFERENCE, 'traces:write', 'sessions:read', 'sessions:write'],
};

export interface PlatformGrant {
  readonly organizationKey: string;
  readonly workspaceKey: string;
  readonly access: PlatformAccess;
  readonly principal: Principal;
}

interface GrantRow {
  readonly id: string;
  readonly organization_id: string;
  readonly workspace_id: string;
  readonly runtime_id: string;
  readonly created_by: string;
  readonly platform_access: PlatformAccess;
  readonly spend_limit_usd: number | null;
  readonly recorded_session_id: string | null;
  readonly callable_model: string | null;
  readonly name: string;
  readonly organization_key: string;
  readonly workspace_key: string;
}

/** @returns undefined for a sandbox that does not run or has no access */
export async function findPlatformGrant(db: Db, sandboxId: string): Promise<PlatformGrant | undefined> {
  const { rows } = await sql<GrantRow>`
    SELECT s.id, s.organization_id, s.workspace_id, s.runtime_id, s.created_by, s.platform_access, s.spend_limit_usd,
           r.recorded_session_id, r.callable_model, r.name, o.key AS organization_key, w.key AS workspace_key
      FROM sandboxes AS s /* of every organization */
      JOIN runtimes AS r ON r.organization_id = s.organization_id AND r.id = s.runtime_id
      JOIN organizations AS o ON o.id = s.organization_id
      JOIN workspaces AS w ON w.organization_id = s.organization_id AND w.id = s.workspace_id
     WHERE s.id = ${sandboxId} AND s.state = 'running' AND s.platform_access <> 'none'`.execute(db);
  return rows[0] && toGrant(rows[0]);
}

/** @returns the principal of the sandbox; undefined if it does not run or has no access */
export const findSandboxPrincipal = async (db: Db, sandboxId: string): Promise<Principal | undefined> =>
  (await findPlatformGrant(db, sandboxId))?.principal;

const toGrant = (row: GrantRow): PlatformGrant => ({
  organizationKey: row.organization_key,
  workspaceKey: row.workspace_key,
  access: row.platform_access,
  principal: {
    userId: row.created_by,
    isPlatformAdmin: false,
    loginId: undefined,
    apiKey: {
      id: row.id,
      organizationId: row.organization_id,
      workspaceId: row.workspace_id,
      scopes: new Set(SCOPES[row.platform_access]),
      expiresAt: null,
      allowsSelfRevoke: false,
    },
    sandbox: {
      id: row.id,
      runtimeId: row.runtime_id,
      runtimeName: row.name,
      // Background work names the session. The session of a user's sandbox has the id of the sandbox.
      sessionId: row.recorded_session_id ?? row.id,
      model: row.callable_model,
      spendLimitUsd: row.spend_limit_usd,
    },
  },
});
