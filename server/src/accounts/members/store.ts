import { audit } from '../../platform/audit/audit.ts';
import type { OrgRole, OrgScope } from '../../platform/auth/principal.ts';
import { isOrgAdmin } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transaction } from '../../platform/db/transaction.ts';
import { ApiError, forbidden, invalidValue, notFound } from '../../platform/http/errors.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { fullName } from '../fields.ts';

function selectMembers(db: Db, organizationId: string) {
  return db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['m.id', 'm.user_id', 'm.role', 'm.created_at'])
    .select(['u.username', 'u.email_address', 'u.first_name', 'u.last_name'])
    .where('m.organization_id', '=', organizationId);
}

type MemberRow = Awaited<ReturnType<ReturnType<typeof selectMembers>['executeTakeFirstOrThrow']>>;

function toMember({ id, user_id, role, created_at, ...user }: MemberRow) {
  const identity = {
    id: user_id,
    username: user.username,
    email: user.email_address,
    full_name: fullName(user),
  };
  return { id, user_id, role, created_at, user: identity };
}

export async function listMembers(db: Db, scope: OrgScope) {
  const rows = await selectMembers(db, scope.organizationId).orderBy('m.id').execute();
  return rows.map(toMember);
}

export async function addMember(db: Db, scope: OrgScope, request: { user: string; role: OrgRole }) {
  return transaction(db, async (trx) => {
    if (request.role === 'owner') requireOwner(scope);
    const userId = await findUserId(trx, request.user);
    if (!userId) {
      throw invalidValue(
        ['body', 'user'],
        'is no user of this server; to bring in someone new, send an invitation',
      );
    }
    await joinOrganization(trx, scope.organizationId, userId, request.role);
    const after = { user_id: userId, role: request.role };
    await audit(trx, scope, { action: 'member.added', resource: `members/${userId}`, after });
    return toMember(
      await selectMembers(trx, scope.organizationId)
        .where('m.user_id', '=', userId)
        .executeTakeFirstOrThrow(),
    );
  });
}

/** By username, or by an address that its user has proven: with open sign-up anyone can claim any address. */
async function findUserId(trx: Trx, user: string): Promise<string | undefined> {
  const query = trx.selectFrom('users').select('id');
  const found = user.includes('@')
    ? query.where('email_address', '=', user.trim().toLowerCase()).where('email_verified_at', 'is not', null)
    : query.where('username', '=', user);
  return (await found.executeTakeFirst())?.id;
}

/** The one door into an organization: counts under its lock, so that two who join at once cannot pass the bound. */
export async function joinOrganization(
  trx: Trx,
  organizationId: string,
  userId: string,
  role: OrgRole,
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
    .values({ organization_id: organizationId, id: uuidv7(), user_id: userId, role })
    .execute();
}

export async function changeRole(db: Db, scope: OrgScope, userId: string, role: OrgRole) {
  return transaction(db, async (trx) => {
    await lockOrganization(trx, scope.organizationId);
    const member = await getMember(trx, scope, userId);
    if (member.role === 'owner' || role === 'owner') requireOwner(scope);
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
  if (userId !== scope.principal.userId && !isOrgAdmin(scope))
    throw forbidden('Only an admin removes other members.');
  await transaction(db, async (trx) => {
    await lockOrganization(trx, scope.organizationId);
    const member = await getMember(trx, scope, userId);
    if (member.role === 'owner') {
      requireOwner(scope);
      await requireAnotherOwner(trx, scope, userId);
    }
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

function requireOwner(scope: OrgScope): void {
  if (scope.role !== 'owner') throw forbidden('Only an owner grants, changes or removes the role "owner".');
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

/** Changes of members happen one after the other: "the last owner" and "the limit" are questions about all of them. */
async function lockOrganization(trx: Trx, organizationId: string) {
  return trx
    .selectFrom('organizations')
    .select('max_members')
    .where('id', '=', organizationId)
    .forUpdate()
    .executeTakeFirstOrThrow();
}
