import { actorOf, auditAccount } from '../../platform/audit/audit.ts';
import { hashPassword, verifyPassword } from '../../platform/auth/passwords.ts';
import type { UserScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transaction } from '../../platform/db/transaction.ts';
import { unique } from '../../platform/db/unique.ts';
import { ApiError, invalidValue, notFound } from '../../platform/http/errors.ts';
import { fullName } from '../fields.ts';
import { createOrganization } from '../organizations/create.ts';
import type { Onboarding, UserUpdate } from './schema.ts';
import { requireUsername } from './username.ts';

const USERNAME_TAKEN = { users_username_key: 'This username is taken; choose another.' };

export async function getUser(db: Db, { principal }: UserScope) {
  const user = await db.selectFrom('users').selectAll().where('id', '=', principal.userId).executeTakeFirst();
  if (!user) throw notFound('User');
  const teams = await listTeams(db, user.id, principal.apiKey?.organizationId ?? null);
  return {
    id: user.id,
    username: user.username,
    email_address: user.email_address,
    email_opt_in: user.email_opt_in,
    onboarding_complete: user.onboarding_completed_at !== null,
    is_platform_admin: user.is_platform_admin,
    features: [],
    first_name: user.first_name,
    last_name: user.last_name,
    full_name: fullName(user),
    groups: [],
    teams,
    limits: getLimits(user.id),
  };
}

/** Nothing a user consumes is bounded for them alone: limits belong to organizations and keys. */
export function getLimits(userId: string) {
  return { user_id: userId, has_warnings: false, has_exceeded: false, checked_at: new Date().toISOString() };
}

async function listTeams(db: Db, userId: string, onlyOrganizationId: string | null) {
  let query = db
    .selectFrom('memberships as m')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .select(['m.id as member_id', 'm.role', 'o.id as org_id', 'o.name as org_name'])
    .where('m.user_id', '=', userId)
    .where('o.is_active', '=', true)
    .orderBy('m.id');
  if (onlyOrganizationId) query = query.where('o.id', '=', onlyOrganizationId);
  const rows = await query.execute();
  return rows.map((row) => ({
    team_id: row.org_id,
    team_name: row.org_name,
    role: row.role === 'owner' ? ('owner' as const) : ('member' as const),
    org_id: row.org_id,
    org_name: row.org_name,
    member_id: row.member_id,
    is_admin: row.role !== 'member',
    is_owner: row.role === 'owner',
  }));
}

export async function updateUser(db: Db, scope: UserScope, update: UserUpdate): Promise<void> {
  const { username, password, current_password, ...fields } = update;
  if (username !== undefined) requireUsername(username);
  const passwordHash =
    password === undefined ? undefined : await checkedHash(db, scope, password, current_password);
  await transaction(db, async (trx) => {
    const { userId } = scope.principal;
    const change = trx
      .updateTable('users')
      .set({ ...fields, ...(username !== undefined && { username }), updated_at: new Date().toISOString() })
      .where('id', '=', userId);
    await unique(change.execute(), USERNAME_TAKEN);
    if (passwordHash) await changePassword(trx, scope, passwordHash);
    const changed = Object.keys(update).filter((name) => !name.endsWith('password'));
    if (passwordHash) changed.push('sign-in');
    await auditAccount(trx, actorOf(scope), {
      action: 'user.updated',
      resource: `users/${userId}`,
      after: { changed },
    });
  });
}

async function checkedHash(
  db: Db,
  scope: UserScope,
  password: string,
  current: string | undefined,
): Promise<string> {
  if (current === undefined)
    throw invalidValue(['body', 'current_password'], 'is needed to set a new password', 'missing');
  const identity = await db
    .selectFrom('identities')
    .select('password_hash')
    .where('user_id', '=', scope.principal.userId)
    .where('provider', '=', 'password')
    .executeTakeFirst();
  const isRight = await verifyPassword(current, identity?.password_hash ?? undefined);
  if (!isRight) throw invalidValue(['body', 'current_password'], 'is not the current password');
  return hashPassword(password);
}

/** Whoever knew the old password is signed out everywhere but here. */
async function changePassword(trx: Trx, { principal }: UserScope, password_hash: string): Promise<void> {
  await trx
    .updateTable('identities')
    .set({ password_hash, updated_at: new Date().toISOString() })
    .where('user_id', '=', principal.userId)
    .where('provider', '=', 'password')
    .execute();
  let others = trx
    .updateTable('logins')
    .set({ revoked_at: new Date().toISOString() })
    .where('user_id', '=', principal.userId)
    .where('revoked_at', 'is', null);
  if (principal.loginId) others = others.where('id', '!=', principal.loginId);
  await others.execute();
}

export async function completeOnboarding(db: Db, scope: UserScope, request: Onboarding): Promise<void> {
  requireUsername(request.username);
  await transaction(db, async (trx) => {
    const { userId } = scope.principal;
    // The guarded update decides between two calls at once: the second finds the first's mark.
    const change = trx
      .updateTable('users')
      .set({
        username: request.username,
        ...(request.email_opt_in !== undefined && { email_opt_in: request.email_opt_in }),
        onboarding_completed_at: new Date().toISOString(),
        updated_at: new Date().toISOString(),
      })
      .where('id', '=', userId)
      .where('onboarding_completed_at', 'is', null);
    const { numUpdatedRows } = await unique(change.executeTakeFirstOrThrow(), USERNAME_TAKEN);
    if (numUpdatedRows === 0n)
      throw new ApiError('conflict_error', 'Onboarding is complete; use PATCH /user to change your account.');
    const actor = actorOf(scope);
    if (request.org_name) await createOrganization(trx, actor, { name: request.org_name });
    const after = { username: request.username };
    await auditAccount(trx, actor, { action: 'user.onboarded', resource: `users/${userId}`, after });
  });
}
