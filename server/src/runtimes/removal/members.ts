/** Ends or pauses the sandboxes of former members of an organization. */
import { sql } from 'kysely';
import type { CleanUp } from '../../platform/clean-up.ts';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError } from '../../platform/errors.ts';
import type { RuntimeOperator, Target } from '../operator.ts';

export interface RemovedMember {
  readonly organizationId: string;
  readonly userId: string;
  readonly actorId: string;
  readonly apiKeyId?: string | null | undefined;
  readonly requestId: string;
}

/** A living sandbox whose owner has left. */
interface Orphan {
  readonly organization_id: string;
  readonly runtime_id: string;
  readonly sandbox_id: string;
  readonly created_by: string;
  readonly state: 'starting' | 'running' | 'paused';
  /** The organization is at or above its member limit, so the removal made space for others. Never true for an ephemeral sandbox. */
  readonly is_limited: boolean;
}

/** Excludes sandboxes that were paused for this reason: they wait for their owner to come back. */
const ORPHANS = sql`
  SELECT s.organization_id, s.runtime_id, s.id AS sandbox_id, s.created_by, s.state,
         s.origin = 'user' AND coalesce(
           o.max_members <= (SELECT count(*) FROM memberships AS a WHERE a.organization_id = s.organization_id), false)
           AS is_limited
    FROM sandboxes AS s
    JOIN organizations AS o ON o.id = s.organization_id
   WHERE s.state <> 'killed' AND s.pause_reason IS DISTINCT FROM 'member_limit_exceeded'
     AND NOT EXISTS (SELECT FROM memberships AS m WHERE m.organization_id = s.organization_id AND m.user_id = s.created_by)`;

export async function endRuntimesOf(
  db: Db,
  operator: RuntimeOperator,
  removed: RemovedMember,
): Promise<void> {
  const { organizationId, userId, ...actor } = removed;
  const { rows } = await sql<Orphan>`
    ${ORPHANS} AND s.organization_id = ${organizationId} AND s.created_by = ${userId}`.execute(db);
  await endAll(operator, rows, (orphan) => ({ ...actor, organizationId, runtimeId: orphan.runtime_id }));
}

/** Repeats removals that were interrupted between their two steps. */
export const forgottenOrphans = (operator: RuntimeOperator): CleanUp => ({
  name: 'sandboxes of removed members',
  run: async (db) => {
    const { rows } = await sql<Orphan>`${ORPHANS} /* of every organization */ LIMIT 1000`.execute(db);
    await endAll(operator, rows, (orphan) => ({
      organizationId: orphan.organization_id,
      runtimeId: orphan.runtime_id,
      actorId: orphan.created_by,
      apiKeyId: null,
      requestId: 'clean-up',
    }));
    return rows.length;
  },
});

/** A sandbox that cannot be ended, for example because its host is down, does not keep the others running. */
async function endAll(
  operator: RuntimeOperator,
  orphans: readonly Orphan[],
  toTarget: (orphan: Orphan) => Target,
): Promise<void> {
  const failures: unknown[] = [];
  for (const orphan of orphans) {
    await endOrphan(operator, orphan, toTarget(orphan)).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

async function endOrphan(operator: RuntimeOperator, orphan: Orphan, target: Target): Promise<void> {
  if (orphan.is_limited && orphan.state === 'paused') return;
  const end = () =>
    operator.end(target, 'Its owner is no longer a member of the organization.', orphan.sandbox_id);
  if (!orphan.is_limited) return end();
  await operator.pause(target, 'member_limit_exceeded').catch((error: unknown) => {
    // The sandbox cannot be paused, or has ended in the meantime.
    if (error instanceof ApiError && error.type === 'conflict_error') return end();
    throw error;
  });
}
