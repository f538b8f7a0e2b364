/** Leases on ephemeral runtimes. The process that works with a runtime renews its lease; a runtime whose lease has lapsed is deleted. */
import { sql } from 'kysely';
import type { CleanUp } from '../../platform/clean-up.ts';
import type { Db } from '../../platform/db/connect.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import type { RuntimeOperator } from '../operator.ts';
import { unlessGone } from '../removal/workspaces.ts';
import type { Status } from '../transitions.ts';

export interface SandboxOwner {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly userId: string;
}

export interface Lease {
  readonly organizationId: string;
  readonly runtimeId: string;
  readonly leaseId: string;
}

export const leaseEnd = (seconds: number) =>
  sql<string>`clock_timestamp() + make_interval(secs => ${seconds})`;

/** Condition on the row `r` of the runtime. A lapsed lease is never renewed, because the runtime may be about to be deleted. */
const isHeld = ({ organizationId, runtimeId, leaseId }: Lease) => sql<boolean>`
  r.organization_id = ${organizationId} AND r.id = ${runtimeId} AND r.lease_id = ${leaseId}
  AND r.leased_until > clock_timestamp()`;

/** @returns the state of the runtime; undefined if the lease has lapsed or belongs to another holder */
export async function renewLease(db: Db, lease: Lease, seconds: number): Promise<Status | undefined> {
  const { rows } = await sql<{ status: Status }>`
    UPDATE runtimes AS r SET leased_until = ${leaseEnd(seconds)} WHERE ${isHeld(lease)}
    RETURNING r.status`.execute(db);
  return rows[0]?.status;
}

/**
 * Lets the lease lapse immediately, so that it cannot be taken over any more.
 * @returns whether it was still held
 */
export async function endLease(db: Db, lease: Lease): Promise<boolean> {
  const { rows } = await sql`
    UPDATE runtimes AS r SET leased_until = clock_timestamp() WHERE ${isHeld(lease)} RETURNING r.id`.execute(
    db,
  );
  return rows.length > 0;
}

/**
 * Takes a running sandbox over from its last holder.
 * @returns undefined if the owner has no such sandbox that can be taken over
 */
export async function takeLease(
  db: Db,
  owner: SandboxOwner,
  sandboxId: string,
  seconds: number,
): Promise<Lease | undefined> {
  const leaseId = uuidv7();
  const { rows } = await sql<{ id: string }>`
    UPDATE runtimes AS r SET lease_id = ${leaseId}, leased_until = ${leaseEnd(seconds)} FROM sandboxes AS s
     WHERE ${canBeTaken(owner, sandboxId)} AND r.sandbox_id = s.id AND r.status = 'running'
    RETURNING r.id`.execute(db);
  const [found] = rows;
  return found && { organizationId: owner.organizationId, runtimeId: found.id, leaseId };
}

export interface LeasedWorkspace {
  readonly runtimeId: string;
  readonly provider: string;
  /** Whether a sandbox runs on it, or is being started or ended. */
  readonly isInUse: boolean;
}

/**
 * Takes over the lease on the runtime that has the /workspace of a sandbox, from its last holder. That may be the runtime of a later
 * sandbox: `sandboxes.runtime_id` follows the workspace.
 * @returns undefined if the workspace was removed or belongs to another owner
 */
export async function takeWorkspaceLease(
  db: Db,
  owner: SandboxOwner,
  sandboxId: string,
  seconds: number,
): Promise<LeasedWorkspace | undefined> {
  const { rows } = await sql<LeasedWorkspace>`
    UPDATE runtimes AS r SET lease_id = ${uuidv7()}, leased_until = ${leaseEnd(seconds)} FROM sandboxes AS s
     WHERE ${canBeTaken(owner, sandboxId)}
    RETURNING r.id AS "runtimeId", s.provider, r.status <> 'idle' OR r.move IS NOT NULL AS "isInUse"`.execute(
    db,
  );
  return rows[0];
}

/** Condition on the row `s` of a sandbox and the row `r` of the runtime that has its /workspace. */
const canBeTaken = ({ organizationId, workspaceId, userId }: SandboxOwner, sandboxId: string) => sql<boolean>`
  s.organization_id = ${organizationId} AND s.id = ${sandboxId} AND r.organization_id = ${organizationId}
  AND r.id = s.runtime_id AND r.workspace_id = ${workspaceId} AND r.created_by = ${userId}
  AND r.origin <> 'user' AND r.leased_until > clock_timestamp()`;

/** Deletes runtimes left by processes that were killed or could not reach the host of their sandbox. */
export const lapsedSandboxes = (operator: Pick<RuntimeOperator, 'delete'>): CleanUp => ({
  name: 'lapsed sandboxes',
  run: async (db) => {
    const { rows } = await sql<{ organizationId: string; runtimeId: string; actorId: string }>`
      SELECT organization_id AS "organizationId", id AS "runtimeId", created_by AS "actorId"
        FROM runtimes /* of every organization */
       WHERE origin <> 'user' AND leased_until <= clock_timestamp() ORDER BY leased_until LIMIT 1000`.execute(
      db,
    );
    const failures: unknown[] = [];
    // A runtime that cannot be deleted, for example because its host is down, does not block the others.
    for (const target of rows) {
      await operator
        .delete({ ...target, requestId: 'clean-up' })
        .catch(unlessGone)
        .catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
    return rows.length;
  },
});
