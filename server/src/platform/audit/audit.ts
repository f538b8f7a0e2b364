/** The audit log: records the actor and the change in the transaction that makes the change, so that neither exists without the other. */
import { type RawBuilder, sql } from 'kysely';
import type { OrgScope, UserScope } from '../auth/principal.ts';
import type { Trx } from '../db/transaction.ts';
import { uuidTime, uuidv7 } from '../uuid.ts';

export interface AuditEntry {
  /** Action in the form `<resource>.<what happened>`, such as `member.role_changed`. */
  readonly action: string;
  /** The kind and id of what changed, such as `members/0199…`. */
  readonly resource: string;
  readonly before?: AuditValues | undefined;
  readonly after?: AuditValues | undefined;
}

/** Flat, printable values: secrets have types that do not fit, and names of secrets are refused as well. */
export type AuditValues = Readonly<
  Record<string, string | number | boolean | null | readonly string[] | undefined>
>;

const SECRET_NAME = /password|secret|token|hash|^key$|api_key$|^value$|env/i;

/** Writes an entry that the admins of the organization may read. */
export async function audit(trx: Trx, scope: OrgScope, entry: AuditEntry): Promise<void> {
  await auditAs(trx, scope.organizationId, actorOf(scope), entry);
}

export interface Actor {
  readonly userId: string;
  readonly apiKeyId: string | null;
  readonly requestId: string | null;
}

export function actorOf({ principal, requestId }: UserScope): Actor {
  return { userId: principal.userId, apiKeyId: principal.apiKey?.id ?? null, requestId };
}

export async function auditAs(
  trx: Trx,
  organizationId: string,
  actor: Actor,
  entry: AuditEntry,
): Promise<void> {
  await trx
    .insertInto('audit_log')
    .values({ organization_id: organizationId, actor_id: actor.userId, ...common(actor, entry) })
    .execute();
}

/**
 * Returns the same as a WITH clause of the statement that makes the change.
 * @param hasChanged condition evaluated within that statement
 */
export function toAuditStatement(
  organizationId: string,
  actor: Actor,
  entry: AuditEntry,
  hasChanged: RawBuilder<boolean>,
): RawBuilder<object> {
  const values = { organization_id: organizationId, actor_id: actor.userId, ...common(actor, entry) };
  return sql`(INSERT INTO audit_log (${sql.join(Object.keys(values).map((name) => sql.ref(name)))})
    SELECT ${sql.join(Object.values(values))} WHERE ${hasChanged})`;
}

/** Writes an entry about a user that belongs to no organization. */
export async function auditAccount(trx: Trx, actor: Actor, entry: AuditEntry): Promise<void> {
  await trx
    .insertInto('account_audit_log')
    .values({ user_id: actor.userId, ...common(actor, entry) })
    .execute();
}

function common(actor: Actor, entry: AuditEntry) {
  const id = uuidv7();
  return {
    id,
    created_at: new Date(uuidTime(id)).toISOString(),
    api_key_id: actor.apiKeyId,
    request_id: actor.requestId,
    action: entry.action,
    resource: entry.resource,
    before: toJson(entry.before),
    after: toJson(entry.after),
  };
}

function toJson(values: AuditValues | undefined) {
  if (!values) return null;
  const secret = Object.keys(values).find((name) => SECRET_NAME.test(name));
  if (secret) throw new Error(`"${secret}" must not enter the audit log`);
  return sql`${JSON.stringify(values)}::jsonb`;
}
