import { audit } from '../../platform/audit/audit.ts';
import type { OrgRole, OrgScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { ApiError, forbidden, invalidValue, notFound } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { toIdentity } from '../identity.ts';
import { lockOrganization } from '../organizations/lock.ts';

function selectMembers(db: Db, organizationId: string) {
  return db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['m.id', 'm.user_id', 'm.role', 'm.created_at', 'm.first_used_at'])
    .select(['u.username', 'u.email_address', 'u.first_name', 'u.last_name'])
    .where('m.organization_id', '=', organizationId);
}

type MemberRow = Awaited<ReturnType<ReturnType<typeof selectMembers>['executeTakeFirstOrThrow']>>;

function toMember({ id, user_id, role, created_at, ...user }: MemberRow) {
  return { id, user_id, role, created_at, user: toIdentity(user_id, user) };
}

export async function listMembers(db: Db, scope: OrgScope) {
  const rows = await selectMembers(db, scope.organizationId).orderBy('m.id').execute();
  return rows.map(toMember);
}

export async function addMember(db: Db, scope: OrgScope, request: { user: string; role: OrgRole }) {
  return transactionFor(db, scope, async (trx) => {
    await lockOrganization(trx, scope.organizationId);
    requireMayGrant(await currentRole(trx, scope), request.role);
    const userId = await findUserId(trx, scope, request.user);
    if (!userId) {
      throw invalidValue(
        ['body', 'user'],
        'is not a user known to you here; to bring in someone new, send an invitation',
      );
    }
    await joinOrganization(trx, scope.organizationId, userId, request.role, 'added');
    const after = { user_id: userId, role: request.role };
    await audit(trx, scope, { action: 'member.added', resource: `members/${userId}`, after });
    return toMember(await getMember(trx, scope, userId));
  });
}

/**
 * Finds users by username, or by an address whose invitation to this organization the user has accepted: with open sign-up anyone can claim
 * an address, and the invitation of another organization proves only that its admin had the link.
 */
async function findUserId(trx: Trx, scope: OrgScope, user: string): Promise<string | undefined> {
  if (!user.includes('@')) {
    return (await trx.selectFrom('users').select('id').where('username', '=', user).executeTakeFirst())?.id;
  }
  const accepted = await trx
    .selectFrom('invitations')
    .select('accepted_by')
    .where('organization_id', '=', scope.organizationId)
    .where('email_address', '=', user.trim().toLowerCase())
    .where('accepted_by', 'is not', null)
    .executeTakeFirst();
  return accepted?.accepted_by ?? undefined;
}

/**
 * The only way into an organization: counts members under its lock, so that concurrent joins cannot exceed the limit.
 * @param how `added` by another user without having agreed: their identity is hidden until they use the organization
 */
export async function joinOrganization(
  trx: Trx,
  organizationId: string,
  userId: string,
  role: OrgRole,
  how: 'added' | 'joined' = 'joined',
): Promise<void> {
  const { max_members } = await lockOrganization(trx, organizationId);
  const { count, existing } = await trx
    .selectFrom('memberships')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.countAll<number>().filterWhere('user_id', '=', userId).as('existing'),
    ])
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  if (existing > 0) {
    throw new ApiError('member_exists_error', 'This user is a member of the organization already.');
  }
  if (max_members !== null && count >= max_members) {
    throw new ApiError(
      'member_limit_exceeded_error',
      `The organization has reached its limit of ${max_members} members.`,
    );
  }
  await trx
    .insertInto('memberships')
    .values({
      organization_id: organizationId,
      id: uuidv7(),
      user_id: userId,
      role,
      first_used_at: how === 'joined' ? new Date().toISOString() : null,
    })
    .execute();
}

export async function changeRole(db: Db, scope: OrgScope, userId: string, role: OrgRole) {
  return transactionFor(db, scope, async (trx) => {
    await lockOrganization(trx, scope.organizationId);
    const actorRole = await currentRole(trx, scope);
    requireMayGrant(actorRole, role);
    const member = await getMember(trx, scope, userId);
    requireMayGrant(actorRole, member.role);
    if (member.role === 'owner' && role !== 'owner') await requireAnotherOwner(trx, scope, userId);
    await trx
      .updateTable('memberships')
      .set({ role })
      .where('organization_id', '=', scope.organizationId)
      .where('user_id', '=', userId)
      .execute();
    const change = { before: { role: member.role }, after: { role } };
    await audit(trx, scope, { action: 'member.role_changed', resource: `members/${userId}`, ...change });
    return toMember({ ...member, role });
  });
}

/** Admins remove members; everyone may leave. */
export async function removeMember(db: Db, scope: OrgScope, userId: string): Promise<void> {
  await transactionFor(db, scope, async (trx) => {
    await lockOrganization(trx, scope.organizationId);
    const actorRole = await currentRole(trx, scope);
    const isSelf = userId === scope.principal.userId;
    if (!isSelf) requireMayGrant(actorRole, 'member');
    const member = await getMember(trx, scope, userId);
    if (!isSelf) requireMayGrant(actorRole, member.role);
    if (member.role === 'owner') await requireAnotherOwner(trx, scope, userId);
    await trx
      .deleteFrom('memberships')
      .where('organization_id', '=', scope.organizationId)
      .where('user_id', '=', userId)
      .execute();
    await audit(trx, scope, {
      action: 'member.removed',
      resource: `members/${userId}`,
      before: { role: member.role },
    });
  });
}

async function getMember(trx: Trx, scope: OrgScope, userId: string): Promise<MemberRow> {
  const member = await selectMembers(trx, scope.organizationId)
    .where('m.user_id', '=', userId)
    .executeTakeFirst();
  if (!member) throw notFound('Member');
  return member;
}

/**
 * Returns the caller's role under the organization's lock. The cached role may be almost a second old, and a role granted because of it
 * would stay.
 */
export async function currentRole(trx: Trx, scope: OrgScope): Promise<OrgRole> {
  const role = await findRole(trx, scope.organizationId, scope.principal.userId);
  if (!role) throw forbidden('You are no longer a member of this organization.');
  return role;
}

export async function findRole(
  trx: Trx,
  organizationId: string,
  userId: string,
): Promise<OrgRole | undefined> {
  const own = await trx
    .selectFrom('memberships')
    .select('role')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return own?.role;
}

/** Admins grant, change and remove roles; only owners do so for owners. */
export function mayGrant(actorRole: OrgRole | undefined, role: OrgRole): boolean {
  return actorRole === 'owner' || (actorRole === 'admin' && role !== 'owner');
}

export function requireMayGrant(actorRole: OrgRole, role: OrgRole): void {
  if (mayGrant(actorRole, role)) return;
  throw forbidden(
    role === 'owner' ? 'Only an owner grants, changes or removes "owner".' : 'Only an admin may do this.',
  );
}

async function requireAnotherOwner(trx: Trx, scope: OrgScope, userId: string): Promise<void> {
  const other = await trx
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', scope.organizationId)
    .where('role', '=', 'owner')
    .where('user_id', '!=', userId)
    .executeTakeFirst();
  if (!other)
    throw new ApiError(
      'conflict_error',
      'The last owner cannot leave or step down; make another member an owner first.',
    );
}
