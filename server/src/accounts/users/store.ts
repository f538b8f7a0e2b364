import { actorOf, auditAccount } from '../../platform/audit/audit.ts';
import { hashPassword, verifyPassword } from '../../platform/auth/passwords.ts';
import type { UserScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { alreadyExists, explainViolation } from '../../platform/db/violations.ts';
import { ApiError, invalidValue, notFound } from '../../platform/errors.ts';
import { readStored } from '../../platform/storage-limits/quotas.ts';
import { withdrawApprovals } from '../device/store.ts';
import { fullName } from '../fields.ts';
import { requireLiveCredential } from '../live-credential.ts';
import { createOrganization } from '../organizations/create.ts';
import { clearAttempts, recordAttempt } from '../throttle.ts';
import type { Onboarding, UserUpdate } from './schema.ts';
import { requireUsername } from './username.ts';

const USERNAME_TAKEN = { users_username_key: alreadyExists('This username is taken; choose another.') };

export async function getUser(db: Db, { principal }: UserScope) {
  const user = await db
    .selectFrom('users')
    .select([
      'id',
      'username',
      'email_address',
      'email_opt_in',
      'onboarding_completed_at',
      'is_platform_admin',
    ])
    .select(['first_name', 'last_name'])
    .where('id', '=', principal.userId)
    .executeTakeFirst();
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
    limits: await toLimits(db, user.id, teams),
  };
}

export async function getLimits(db: Db, { principal: { userId, apiKey } }: UserScope) {
  return toLimits(db, userId, await listTeams(db, userId, apiKey?.organizationId ?? null));
}

/** Share of a quota above which a user is warned. */
const WARNING_SHARE = 0.8;

/** Returns the limits of the user's organizations, because quotas exist for organizations only. */
async function toLimits(db: Db, userId: string, teams: readonly { readonly org_id: string }[]) {
  const stored = await readStored(
    db,
    teams.map((team) => team.org_id),
  );
  const organizations = stored.map(({ organization_id, kind, used_bytes, limit_bytes }) => ({
    org_id: organization_id,
    kind,
    used: used_bytes,
    limit: limit_bytes,
  }));
  const shareOf = ({ used, limit }: { used: number; limit: number | null }) =>
    limit === null ? 0 : used / Math.max(limit, 1);
  const [fullest] = organizations.toSorted((a, b) => shareOf(b) - shareOf(a));
  const share = fullest ? shareOf(fullest) : 0;
  return {
    user_id: userId,
    storage: fullest ? { used: fullest.used, limit: fullest.limit } : null,
    organizations,
    has_warnings: share >= WARNING_SHARE,
    has_exceeded: share >= 1,
    checked_at: new Date().toISOString(),
  };
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

export async function updateUser(
  db: Db,
  scope: UserScope,
  address: string,
  update: UserUpdate,
): Promise<void> {
  const { password, current_password, ...fields } = update;
  if (fields.username !== undefined) requireUsername(fields.username);
  const passwords =
    password === undefined
      ? undefined
      : await checkPassword(db, scope, address, { password, current_password });
  await transactionFor(db, scope, async (trx) => {
    const { userId } = scope.principal;
    const before = await trx
      .selectFrom('users')
      .select(['username', 'first_name', 'last_name', 'email_opt_in'])
      .where('id', '=', userId)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow();
    const change = trx
      .updateTable('users')
      .set({ ...fields, updated_at: new Date().toISOString() })
      .where('id', '=', userId);
    await explainViolation(change.execute(), USERNAME_TAKEN);
    if (passwords) await changePassword(trx, scope, passwords);
    const after = { ...before, ...fields };
    await auditAccount(trx, actorOf(scope), {
      action: 'user.updated',
      resource: `users/${userId}`,
      before,
      after,
    });
  });
}

const CURRENT = ['body', 'current_password'];
const notCurrent = () => invalidValue(CURRENT, 'is not the current password');

interface Passwords {
  /** The verified hash; the change applies only while it is current. */
  readonly verified: string;
  readonly next: string;
}

/** Requires the current password. Attempts count like logins, so a stolen key does not allow faster guessing. */
async function checkPassword(
  db: Db,
  { principal }: UserScope,
  address: string,
  given: { password: string; current_password: string | undefined },
): Promise<Passwords> {
  if (given.current_password === undefined)
    throw invalidValue(CURRENT, 'is needed to set a new password', 'missing');
  const identity = await db
    .selectFrom('identities')
    .select(['subject', 'password_hash'])
    .where('user_id', '=', principal.userId)
    .where('provider', '=', 'password')
    .executeTakeFirst();
  if (!identity?.password_hash)
    throw new ApiError('conflict_error', 'This account signs in without a password.');
  const attempt = { subject: identity.subject, address };
  await recordAttempt(db, attempt);
  if (!(await verifyPassword(given.current_password, identity.password_hash))) throw notCurrent();
  await clearAttempts(db, attempt);
  return { verified: identity.password_hash, next: await hashPassword(given.password) };
}

/** Ends all other logins, which may belong to someone who knew the old password. */
async function changePassword(trx: Trx, scope: UserScope, { verified, next }: Passwords): Promise<void> {
  const { principal } = scope;
  await requireLiveCredential(trx, principal);
  const { numUpdatedRows } = await trx
    .updateTable('identities')
    .set({ password_hash: next, updated_at: new Date().toISOString() })
    .where('user_id', '=', principal.userId)
    .where('provider', '=', 'password')
    .where('password_hash', '=', verified)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw notCurrent();
  await withdrawApprovals(trx, principal.userId);
  let others = trx
    .updateTable('logins')
    .set({ revoked_at: new Date().toISOString() })
    .where('user_id', '=', principal.userId)
    .where('revoked_at', 'is', null);
  if (principal.loginId) others = others.where('id', '!=', principal.loginId);
  await others.execute();
  await auditAccount(trx, actorOf(scope), {
    action: 'user.password_changed',
    resource: `users/${principal.userId}`,
  });
}

export async function completeOnboarding(db: Db, scope: UserScope, request: Onboarding): Promise<void> {
  requireUsername(request.username);
  await transactionFor(db, scope, async (trx) => {
    const { userId } = scope.principal;
    const before = await trx
      .selectFrom('users')
      .select(['username', 'onboarding_completed_at'])
      .where('id', '=', userId)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow();
    if (before.onboarding_completed_at) {
      throw new ApiError('conflict_error', 'Onboarding is complete; use PATCH /user to change your account.');
    }
    const now = new Date().toISOString();
    const change = trx
      .updateTable('users')
      .set({
        username: request.username,
        ...(request.email_opt_in !== undefined && { email_opt_in: request.email_opt_in }),
        onboarding_completed_at: now,
        updated_at: now,
      })
      .where('id', '=', userId);
    await explainViolation(change.execute(), USERNAME_TAKEN);
    const actor = actorOf(scope);
    if (request.org_name) await createOrganization(trx, actor, { name: request.org_name });
    await auditAccount(trx, actor, {
      action: 'user.onboarded',
      resource: `users/${userId}`,
      before: { username: before.username },
      after: { username: request.username, org_name: request.org_name ?? null },
    });
  });
}
