/** Authenticates requests: whose credential it is, and which roles the user has in an organization and a workspace. */
import { sql } from 'kysely';
import type { AccountReader, Caller, OrganizationEntry, WorkspaceEntry } from '../platform/auth/gate.ts';
import type { Principal } from '../platform/auth/principal.ts';
import { apiKeyPattern, tokenHash } from '../platform/auth/random-token.ts';
import { openSandboxCredential } from '../platform/auth/sandbox-credential.ts';
import type { Scope } from '../platform/auth/scopes.ts';
import { ShortMemory } from '../platform/auth/short-memory.ts';
import type { Signer } from '../platform/auth/signing.ts';
import type { Db } from '../platform/db/connect.ts';
import { untilConnected } from '../platform/db/lost-connection.ts';
import { ApiError } from '../platform/errors.ts';
import { isSlug } from '../platform/fields.ts';
import { openAccessToken } from './tokens.ts';
import { selectEntries } from './workspaces/entry.ts';

/** @returns what a sandbox may do on behalf of its owner; undefined for one that has ended or has no access */
export type FindSandbox = (sandboxId: string) => Promise<Principal | undefined>;

export function createAccountReader(db: Db, signer: Signer, findSandbox: FindSandbox): AccountReader {
  const memory = new ShortMemory<Caller>();
  return {
    find(credential, organization = '', workspace = '') {
      // Only slugs are valid names. Other texts are left out, so that no two callers share a cache key.
      const org = isSlug(organization) ? organization : '';
      const ws = isSlug(workspace) ? workspace : '';
      const find = () => untilConnected(() => findCaller({ db, signer, findSandbox }, credential, org, ws));
      return memory.get(`${credential} ${org} ${ws}`, find);
    },
    forget() {
      memory.clear();
    },
  };
}

interface Credentials {
  readonly db: Db;
  readonly signer: Signer;
  readonly findSandbox: FindSandbox;
}

async function findCaller(
  { db, ...credentials }: Credentials,
  credential: string,
  organizationKey: string,
  workspaceKey: string,
): Promise<Caller> {
  const principal = await findPrincipal({ db, ...credentials }, credential);
  const { userId } = principal;
  const organization = organizationKey ? await findOrganization(db, userId, organizationKey) : undefined;
  const workspace =
    organization && workspaceKey ? await findWorkspace(db, userId, organization.id, workspaceKey) : undefined;
  return { principal, organization, workspace };
}

async function findPrincipal(
  { db, signer, findSandbox }: Credentials,
  credential: string,
): Promise<Principal> {
  const sandboxId = openSandboxCredential(signer, credential);
  if (sandboxId !== undefined) return findBySandbox(db, await findSandbox(sandboxId));
  if (apiKeyPattern.test(credential)) return findByKey(db, tokenHash(credential));
  const { user, login } = openAccessToken(signer, credential);
  return findByLogin(db, user, login);
}

const suspended = () => new ApiError('user_suspended', 'This account is suspended.');

async function findByKey(db: Db, keyHash: Buffer): Promise<Principal> {
  const key = await db
    .selectFrom('api_keys as k')
    .innerJoin('users as u', 'u.id', 'k.user_id')
    .select([
      'k.id',
      'k.user_id',
      'k.organization_id',
      'k.workspace_id',
      'k.allowed_scopes',
      'k.allow_self_revoke',
    ])
    .select(['k.expires_at', 'k.last_used_at', 'u.is_platform_admin', 'u.suspended_at'])
    .where('k.key_hash', '=', keyHash)
    .executeTakeFirst();
  if (!key) throw new ApiError('authentication_error', 'This API key is unknown; it may have been deleted.');
  if (key.expires_at && Date.parse(key.expires_at) <= Date.now()) {
    throw new ApiError('expired_token_error', 'This API key has expired.');
  }
  if (key.suspended_at) throw suspended();
  await markUsed(db, key.id, key.last_used_at);
  return {
    userId: key.user_id,
    isPlatformAdmin: key.is_platform_admin,
    loginId: undefined,
    apiKey: {
      id: key.id,
      organizationId: key.organization_id,
      workspaceId: key.workspace_id,
      scopes: key.allowed_scopes && new Set(key.allowed_scopes as Scope[]),
      expiresAt: key.expires_at,
      allowsSelfRevoke: key.allow_self_revoke,
    },
  };
}

const USED_EVERY_MS = 60_000;

/** Rounded to the minute: one write per request would cost more than the request. */
async function markUsed(db: Db, id: string, lastUsedAt: string | null): Promise<void> {
  if (lastUsedAt && Date.now() - Date.parse(lastUsedAt) < USED_EVERY_MS) return;
  await db.updateTable('api_keys').set({ last_used_at: sql`now()` }).where('id', '=', id).execute();
}

async function findByLogin(db: Db, userId: string, loginId: string): Promise<Principal> {
  const login = await db
    .selectFrom('logins as l')
    .innerJoin('users as u', 'u.id', 'l.user_id')
    .select(['u.id', 'u.is_platform_admin', 'u.suspended_at'])
    .where('l.id', '=', loginId)
    .where('l.user_id', '=', userId)
    .where('l.revoked_at', 'is', null)
    .executeTakeFirst();
  if (!login) throw new ApiError('authentication_error', 'This login has ended; log in again.');
  if (login.suspended_at) throw suspended();
  return { userId: login.id, isPlatformAdmin: login.is_platform_admin, apiKey: undefined, loginId };
}

async function findBySandbox(db: Db, principal: Principal | undefined): Promise<Principal> {
  if (!principal)
    throw new ApiError('authentication_error', 'The sandbox has ended, or may not call the platform.');
  const { suspended_at } = await db
    .selectFrom('users')
    .select('suspended_at')
    .where('id', '=', principal.userId)
    .executeTakeFirstOrThrow();
  if (suspended_at) throw suspended();
  return principal;
}

/** Stores the first request of a member who was added by username: from then on, other members see their identity. */
async function markFirstUse(db: Db, organizationId: string, userId: string): Promise<void> {
  await db
    .updateTable('memberships')
    .set({ first_used_at: sql`now()` })
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .where('first_used_at', 'is', null)
    .execute();
}

async function findOrganization(db: Db, userId: string, key: string): Promise<OrganizationEntry | undefined> {
  const found = await db
    .selectFrom('organizations as o')
    .leftJoin('memberships as m', (join) =>
      join.onRef('m.organization_id', '=', 'o.id').on('m.user_id', '=', userId),
    )
    .select(['o.id', 'm.role', 'm.first_used_at'])
    .where('o.key', '=', key)
    .where('o.is_active', '=', true)
    .executeTakeFirst();
  if (found?.role && found.first_used_at === null) await markFirstUse(db, found.id, userId);
  return found && { id: found.id, role: found.role };
}

async function findWorkspace(
  db: Db,
  userId: string,
  organizationId: string,
  key: string,
): Promise<WorkspaceEntry | undefined> {
  const found = await selectEntries(db, organizationId, userId).where('w.key', '=', key).executeTakeFirst();
  return found && { id: found.id, isRestricted: found.is_restricted, listedRole: found.role };
}
