import type { RawBuilder } from 'kysely';
import { type AuditValues, auditAs, toAuditStatement } from '../../platform/audit/audit.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import type { Target } from './operator.ts';

/** Who asked for it; what happens by itself, such as an expiry, stands in the sandbox's log alone. */
export type Asked = Omit<Target, 'actorId' | 'apiKeyId'> & {
  readonly actorId: string | undefined;
  readonly apiKeyId?: string | null | undefined;
};

export async function auditMove(
  trx: Trx,
  { organizationId, runtimeId, actorId, apiKeyId, requestId }: Asked,
  action: string,
  after?: AuditValues,
  before?: AuditValues,
): Promise<void> {
  if (actorId === undefined) return;
  const actor = { userId: actorId, apiKeyId: apiKeyId ?? null, requestId };
  await auditAs(trx, organizationId, actor, { action, resource: `runtimes/${runtimeId}`, before, after });
}

/** The same as a part of the statement that makes the move. @param hasMoved asked within that statement */
export function toMoveAudit(
  { organizationId, runtimeId, actorId, apiKeyId = null, requestId }: Target,
  action: string,
  after: AuditValues,
  hasMoved: RawBuilder<boolean>,
): RawBuilder<object> {
  const actor = { userId: actorId, apiKeyId, requestId };
  return toAuditStatement(
    organizationId,
    actor,
    { action, resource: `runtimes/${runtimeId}`, after },
    hasMoved,
  );
}
