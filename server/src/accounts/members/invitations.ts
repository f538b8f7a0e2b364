/** Invitations: a link that can be used once within a week. Its token contains the organization, so only that one is searched. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { type Actor, audit, auditAs } from '../../platform/audit/audit.ts';
import type { OrgRole, OrgScope } from '../../platform/auth/principal.ts';
import { tokenHash } from '../../platform/auth/random-token.ts';
import type { Db } from '../../platform/db/connect.ts';
import { deleteInBatches } from '../../platform/db/delete-in-batches.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { forbidden, invalidValue, notFound } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { lockOrganization } from '../organizations/lock.ts';
import { currentRole, findRole, joinOrganization, mayGrant, requireMayGrant } from './store.ts';

const DAYS = 7;
const COLUMNS = ['id', 'email_address', 'role', 'created_by', 'created_at', 'expires_at'] as const;

export async function listInvitations(db: Db, scope: OrgScope) {
  return db
    .selectFrom('invitations')
    .select(COLUMNS)
    .where('organization_id', '=', scope.organizationId)
    .where('accepted_at', 'is', null)
    .where('expires_at', '>', new Date().toISOString())
    .orderBy('id')
    .execute();
}

export async function invite(
  db: Db,
  scope: OrgScope,
  publicUrl: string,
  request: { email_address: string; role: OrgRole },
) {
  const invitation_token = newToken(scope.organizationId);
  const created = await transactionFor(db, scope, async (trx) => {
    await lockOrganization(trx, scope.organizationId);
    requireMayGrant(await currentRole(trx, scope), request.role);
    const id = uuidv7();
    const row = await trx
      .insertInto('invitations')
      .values({
        organization_id: scope.organizationId,
        id,
        token_hash: tokenHash(invitation_token),
        ...request,
        created_by: scope.principal.userId,
        expires_at: new Date(Date.now() + DAYS * 24 * 60 * 60 * 1000).toISOString(),
      })
      .returning(COLUMNS)
      .executeTakeFirstOrThrow();
    const after = { email_address: request.email_address, role: request.role };
    await audit(trx, scope, { action: 'invitation.created', resource: `invitations/${id}`, after });
    return row;
  });
  return { ...created, invitation_token, url: `${publicUrl}/invitation?token=${invitation_token}` };
}

export async function withdrawInvitation(db: Db, scope: OrgScope, id: string): Promise<void> {
  await transactionFor(db, scope, async (trx) => {
    const withdrawn = await trx
      .deleteFrom('invitations')
      .where('organization_id', '=', scope.organizationId)
      .where('id', '=', id)
      .where('accepted_at', 'is', null)
      .returning(['email_address', 'role'])
      .executeTakeFirst();
    if (!withdrawn) throw notFound('Invitation');
    await audit(trx, scope, {
      action: 'invitation.withdrawn',
      resource: `invitations/${id}`,
      before: withdrawn,
    });
  });
}

/** Returns the open invitation of this token and address; all reasons for a failure give the same error, except a wrong address. */
export async function findInvitation(db: Db, token: string, email: string) {
  const organizationId = organizationOf(token);
  const invitation =
    organizationId &&
    (await db
      .selectFrom('invitations')
      .select(['organization_id', 'id', 'email_address', 'role', 'created_by'])
      .where('organization_id', '=', organizationId)
      .where('token_hash', '=', tokenHash(token))
      .where('accepted_at', 'is', null)
      .where('expires_at', '>', new Date().toISOString())
      .executeTakeFirst());
  if (!invitation) throw notOpen();
  if (invitation.email_address !== email)
    throw forbidden('This invitation was made for another e-mail address.');
  return invitation;
}

const notOpen = () =>
  invalidValue(
    ['body', 'invitation_token'],
    'is not an open invitation; it may have been used or withdrawn, or be older than a week',
  );

export async function acceptInvitation(trx: Trx, actor: Actor, token: string, email: string): Promise<void> {
  const { organization_id, id, role, created_by } = await findInvitation(trx, token, email);
  await lockOrganization(trx, organization_id);
  // An invitation is valid only while its author may still grant the role.
  if (!mayGrant(await findRole(trx, organization_id, created_by), role)) throw notOpen();
  const { numUpdatedRows } = await trx
    .updateTable('invitations')
    .set({ accepted_at: new Date().toISOString(), accepted_by: actor.userId })
    .where('organization_id', '=', organization_id)
    .where('id', '=', id)
    .where('accepted_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw notOpen();
  await joinOrganization(trx, organization_id, actor.userId, role);
  const after = { user_id: actor.userId, role };
  await auditAs(trx, organization_id, actor, {
    action: 'invitation.accepted',
    resource: `invitations/${id}`,
    after,
  });
  await auditAs(trx, organization_id, actor, {
    action: 'member.added',
    resource: `members/${actor.userId}`,
    after,
  });
}

const DAYS_REMEMBERED = 30;

/** Deletes unaccepted invitations; an accepted one is kept, as the proof of an address. */
export function forgetOldInvitations(db: Db): Promise<number> {
  return deleteInBatches((size) =>
    sql`
      DELETE FROM invitations /* of every organization */ WHERE (organization_id, id) IN (
        SELECT organization_id, id FROM invitations
         WHERE accepted_at IS NULL AND expires_at < now() - make_interval(days => ${DAYS_REMEMBERED})
         ORDER BY expires_at LIMIT ${size} FOR UPDATE SKIP LOCKED)
    `.execute(db),
  );
}

function newToken(organizationId: string): string {
  const organization = Buffer.from(organizationId.replaceAll('-', ''), 'hex');
  return `ddi_${Buffer.concat([organization, randomBytes(24)]).toString('base64url')}`;
}

function organizationOf(token: string): string | undefined {
  const hex = /^ddi_[\w-]{54}$/.test(token) ? Buffer.from(token.slice(4), 'base64url').toString('hex') : '';
  return /^(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(hex)?.slice(1).join('-');
}
