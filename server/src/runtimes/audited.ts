/** Audit rows of state transitions. Ephemeral runtimes have none: their purpose is audited where it was requested. */
import { type RawBuilder, sql } from 'kysely';
import { type AuditValues, toAuditStatement } from '../platform/audit/audit.ts';
import type { Trx } from '../platform/db/transaction.ts';
import type { Target } from './operator.ts';

/** A transition without a caller, such as an expiry, is recorded in the sandbox's log only. */
export type TransitionTarget = Omit<Target, 'actorId' | 'apiKeyId'> & {
  readonly actorId: string | undefined;
  readonly apiKeyId?: string | null | undefined;
};

/** The row of the runtime must still exist, because it decides whether the transition is audited. */
export async function auditMove(
  trx: Trx,
  { actorId, ...target }: TransitionTarget,
  action: string,
  after?: AuditValues,
  before?: AuditValues,
): Promise<void> {
  if (actorId === undefined) return;
  const audited = toMoveAudit({ ...target, actorId }, { action, after, before }, sql<boolean>`true`);
  await sql`WITH audited AS ${audited} SELECT`.execute(trx);
}

interface MoveEntry {
  readonly action: string;
  readonly after?: AuditValues | undefined;
  readonly before?: AuditValues | undefined;
}

/**
 * Builds the same insert as a part of the statement that makes the transition.
 * @param hasMoved condition evaluated within that statement
 */
export function toMoveAudit(
  { organizationId, runtimeId, actorId, apiKeyId = null, requestId }: Target,
  entry: MoveEntry,
  hasMoved: RawBuilder<boolean>,
): RawBuilder<object> {
  const actor = { userId: actorId, apiKeyId, requestId };
  return toAuditStatement(
    organizationId,
    actor,
    { ...entry, resource: `runtimes/${runtimeId}` },
    sql<boolean>`${hasMoved} AND EXISTS (
      SELECT FROM runtimes WHERE organization_id = ${organizationId} AND id = ${runtimeId} AND origin = 'user')`,
  );
}
