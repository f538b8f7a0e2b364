/** Owner, sandbox location and remaining time of a runtime, loaded once before exec or file access. */
import { type RawBuilder, sql } from 'kysely';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { isNamed, type OwnedRow, toOwnTarget } from '../lookup.ts';
import type { SandboxPlace, Target } from '../operator.ts';

export interface Running {
  /** Set if the caller is the owner. */
  readonly target: Target;
  /** Whether there is a /workspace. */
  readonly hasWorkspace: boolean;
  /** Undefined if no sandbox runs, or if it is about to stop. */
  readonly place: SandboxPlace | undefined;
  /** Milliseconds until the sandbox expires; undefined if none runs, in which case its operator refuses. */
  readonly remainingMs: number | undefined;
}

export interface PlaceRow {
  readonly is_moving: boolean;
  readonly sandbox_id: string | null;
  readonly provider: string | null;
  readonly host_id: string | null;
}

interface RunningRow extends OwnedRow, PlaceRow {
  readonly has_workspace: boolean;
  readonly remaining_ms: number | null;
}

/** Columns of the rows `r` and of the rows `s` joined to them. */
export const PLACE_COLUMNS = sql`
  r.status <> 'running' OR r.move IS NOT NULL AS is_moving, s.id AS sandbox_id, s.provider, s.host_id`;
export const PLACE_JOIN = sql`
  LEFT JOIN sandboxes AS s
    ON s.organization_id = r.organization_id AND s.id = r.sandbox_id AND s.state = 'running'`;

export async function getRunning(db: Db, scope: WorkspaceScope, given: string): Promise<Running> {
  const row = await findRunning(db, isNamed(scope, given));
  return toRunning(toOwnTarget(scope, given, row), row);
}

/**
 * Uses one statement, because a command must start without delay.
 * @param condition on the row `r` of the runtime
 */
export async function findRunning(db: Db, condition: RawBuilder<boolean>): Promise<RunningRow | undefined> {
  const { rows } = await sql<RunningRow>`
    SELECT r.id, r.created_by, coalesce((r.config #>> '{sandbox,workspace_mount}')::boolean, true) AS has_workspace,
      (extract(epoch FROM s.expires_at - clock_timestamp()) * 1000)::float8 AS remaining_ms, ${PLACE_COLUMNS}
    FROM runtimes AS r ${PLACE_JOIN}
    WHERE ${condition}`.execute(db);
  return rows[0];
}

export function toRunning(target: Target, row: RunningRow | undefined): Running {
  return {
    target,
    hasWorkspace: row?.has_workspace ?? true,
    place: row && toPlace(row),
    remainingMs: row?.remaining_ms ?? undefined,
  };
}

export function toPlace({ is_moving, sandbox_id, provider, host_id }: PlaceRow): SandboxPlace | undefined {
  if (is_moving || sandbox_id === null || provider === null || host_id === null) return undefined;
  return { sandboxId: sandbox_id, provider, hostId: host_id };
}
