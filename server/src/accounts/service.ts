/** Accounts for other domains: identities, workspaces and projects that a caller may use, and scopes for background work. */
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { hasRoleIn, roleIn } from '../platform/auth/gate.ts';
import type { OrgRole, OrgScope, WorkspaceRole, WorkspaceScope } from '../platform/auth/principal.ts';
import type { Db } from '../platform/db/connect.ts';
import { transaction } from '../platform/db/transaction.ts';
import { forbidden } from '../platform/errors.ts';
import { Id, isUuid } from '../platform/fields.ts';
import type { Vault } from '../platform/secrets/envelope.ts';
import { insertKey } from './keys/store.ts';
import { selectEntries } from './workspaces/entry.ts';

export const UserIdentity = z
  .object({ id: Id, username: z.string(), email: z.string(), full_name: z.string().nullable() })
  .meta({ id: 'UserIdentity' });

export type UserIdentityOf = z.output<typeof UserIdentity>;

/**
 * Selects the identity of a row of users as one value.
 * @param alias of that row
 */
export function identityOf(alias: string): RawBuilder<UserIdentityOf> {
  const user = (column: string) => sql.ref(`${alias}.${column}`);
  const fullName = sql`nullif(concat_ws(' ', ${user('first_name')}, ${user('last_name')}), '')`;
  return sql<UserIdentityOf>`jsonb_build_object('id', ${user('id')}, 'username', ${user('username')},
    'email', ${user('email_address')}, 'full_name', ${fullName})`;
}

export interface Named {
  readonly ids: readonly string[];
  readonly keys: readonly string[];
}

export interface OwnWorkspace {
  readonly id: string;
  readonly key: string;
  readonly isDefault: boolean;
}

/** Returns the given workspaces and the default one, if the caller may change something in them. */
export async function findOwnWorkspaces(
  db: Db,
  scope: OrgScope,
  { ids, keys }: Named,
): Promise<OwnWorkspace[]> {
  const rows = await selectEntries(db, scope.organizationId, scope.principal.userId)
    .select(['w.key', 'w.is_default'])
    .where(({ or, eb }) =>
      or([
        eb('w.id', '=', sql<string>`ANY (${ids}::uuid[])`),
        eb('w.key', '=', sql<string>`ANY (${keys}::text[])`),
        eb('w.is_default', '=', true),
      ]),
    )
    .execute();
  return rows
    .filter((row) => mayChange(scope, row))
    .map(({ id, key, is_default }) => ({ id, key, isDefault: is_default }));
}

export interface OwnProject {
  readonly id: string;
  readonly key: string;
  readonly workspaceId: string;
}

/** Finds projects by key in every workspace in which the caller may change something. */
export async function findOwnProjects(db: Db, scope: OrgScope, { ids, keys }: Named): Promise<OwnProject[]> {
  const { organizationId, principal } = scope;
  const rows = await db
    .selectFrom('projects as p')
    .innerJoin(selectEntries(db, organizationId, principal.userId).as('w'), 'w.id', 'p.workspace_id')
    .select(['p.id as project_id', 'p.key', 'w.id', 'w.is_restricted', 'w.role'])
    .where('p.organization_id', '=', organizationId)
    .where(({ or, eb }) =>
      or([
        eb('p.id', '=', sql<string>`ANY (${ids}::uuid[])`),
        eb('p.key', '=', sql<string>`ANY (${keys}::text[])`),
      ]),
    )
    .execute();
  return rows
    .filter((row) => mayChange(scope, row))
    .map(({ project_id, key, id }) => ({ id: project_id, key, workspaceId: id }));
}

interface Entry {
  readonly id: string;
  readonly is_restricted: boolean;
  readonly role: WorkspaceRole | null;
}

const mayChange = (scope: OrgScope, { id, is_restricted, role }: Entry) =>
  hasRoleIn(scope, { id, isRestricted: is_restricted, listedRole: role }, 'contributor');

/** The workspace in which background work is done. */
export type WorkspacePlace = Pick<WorkspaceScope, 'organizationId' | 'workspaceId'>;

/** Roles of a user in an organization and workspace. */
export interface Membership {
  readonly role: OrgRole;
  readonly workspaceRole: WorkspaceRole;
}

/** Returns the current roles of a user, for background work on their behalf; undefined when they can no longer access the workspace. */
export async function findMembership(
  db: Db,
  place: WorkspacePlace,
  userId: string,
): Promise<Membership | undefined> {
  const scope = await findScope(db, place, userId);
  return scope && { role: scope.role, workspaceRole: scope.workspaceRole };
}

/**
 * Returns the scope of a user, for background work on their behalf. Permissions may be lost while the work runs, so call it again at each
 * use.
 * @param requestId names the work in the audit log
 * @throws {ApiError} `forbidden_error` when the user can no longer change anything in the workspace
 */
export async function scopeOf(
  db: Db,
  place: WorkspacePlace,
  userId: string,
  requestId: string,
): Promise<WorkspaceScope> {
  const scope = await findScope(db, place, userId, requestId);
  if (!scope || scope.workspaceRole === 'reader')
    throw forbidden('The user that this work is done for cannot change anything in the workspace any more.');
  return scope;
}

/** Looks the caller's rights up again at the end of long work. The work is still that of the request. */
export async function renewScope(db: Db, scope: WorkspaceScope): Promise<WorkspaceScope> {
  const { principal, requestId, recordEffect } = scope;
  return { ...(await scopeOf(db, scope, principal.userId, requestId)), recordEffect };
}

async function findScope(
  db: Db,
  { organizationId, workspaceId }: WorkspacePlace,
  userId: string,
  requestId = '',
): Promise<WorkspaceScope | undefined> {
  const found = await selectEntries(db, organizationId, userId)
    .innerJoin('memberships as m', (join) =>
      join.onRef('m.organization_id', '=', 'w.organization_id').on('m.user_id', '=', userId),
    )
    .innerJoin('organizations as o', 'o.id', 'w.organization_id')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['m.role as org_role', 'o.key as organization_key', 'w.key as workspace_key'])
    .where('w.id', '=', workspaceId)
    .where('o.is_active', '=', true)
    .where('u.suspended_at', 'is', null)
    .executeTakeFirst();
  if (!found) return undefined;
  const { id, is_restricted, role: listedRole, org_role: role } = found;
  const workspaceRole = roleIn({ id, isRestricted: is_restricted, listedRole }, role);
  if (!workspaceRole) return undefined;
  return {
    principal: { userId, isPlatformAdmin: false, apiKey: undefined, loginId: undefined },
    requestId,
    organizationId,
    organizationKey: found.organization_key,
    role,
    workspaceId,
    workspaceKey: found.workspace_key,
    workspaceRole,
  };
}

export interface OpenSecret {
  readonly name: string;
  readonly value: string;
}

/** Decrypts the existing secrets of a user, by id. */
export async function openSecrets(
  db: Db,
  vault: Vault,
  userId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, OpenSecret>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('user_secrets')
    .select(['id', 'name', 'key_id', 'wrapped_key', 'ciphertext'])
    .where('user_id', '=', userId)
    .where('id', '=', sql<string>`ANY (${ids}::uuid[])`)
    .execute();
  return new Map(rows.map(({ id, name, ...sealed }) => [id, { name, value: vault.open(sealed, id) }]));
}

/** Decrypts a user's secrets, by name. Unknown names are left out. */
export async function openSecretsByName(
  db: Db,
  vault: Vault,
  userId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map();
  const rows = await db
    .selectFrom('user_secrets')
    .select(['id', 'name', 'key_id', 'wrapped_key', 'ciphertext'])
    .where('user_id', '=', userId)
    .where('name', '=', sql<string>`ANY (${[...names]}::text[])`)
    .execute();
  return new Map(rows.map(({ id, name, ...sealed }) => [name, vault.open(sealed, id)]));
}

export async function getUsername(db: Db, userId: string): Promise<string> {
  const { username } = await db
    .selectFrom('users')
    .select('username')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  return username;
}

/** @param project key or UUID */
export async function findProjectId(
  db: Db,
  { organizationId, workspaceId }: Pick<WorkspaceScope, 'organizationId' | 'workspaceId'>,
  project: string,
): Promise<string | undefined> {
  const found = await db
    .selectFrom('projects')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('workspace_id', '=', workspaceId)
    .where(isUuid(project) ? 'id' : 'key', '=', project)
    .executeTakeFirst();
  return found?.id;
}

/** Returns those of the ids that are secrets of the user. */
export async function findSecretIds(db: Db, userId: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('user_secrets')
    .select('id')
    .where('user_id', '=', userId)
    .where('id', '=', sql<string>`ANY (${ids}::uuid[])`)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Selects the ids of the workspaces that the caller can see. */
export function visibleWorkspaces({ organizationId, role, principal }: OrgScope): RawBuilder<string> {
  const only = principal.apiKey?.workspaceId;
  const isListed = sql`EXISTS (
    SELECT FROM workspace_members AS m
     WHERE m.organization_id = w.organization_id AND m.workspace_id = w.id AND m.user_id = ${principal.userId})`;
  return sql<string>`
    SELECT w.id FROM workspaces AS w
     WHERE w.organization_id = ${organizationId}
       ${role === 'member' ? sql`AND (NOT w.is_restricted OR ${isListed})` : sql``}
       ${only ? sql`AND w.id = ${only}` : sql``}`;
}

/** Lifetime of worker keys, which ends those that are never revoked because their process was killed. */
const WORKER_KEY_HOURS = 24 * 7;

/** Creates a key for a trainer that this server starts on behalf of a user: limited to one workspace and to `training:work`. */
export async function issueWorkerKey(
  db: Db,
  { organizationId, workspaceId }: WorkspacePlace,
  userId: string,
  name: string,
): Promise<{ readonly id: string; readonly key: string }> {
  const principal = { userId, isPlatformAdmin: false, apiKey: undefined, loginId: undefined };
  const expires_at = new Date(Date.now() + WORKER_KEY_HOURS * 3_600_000).toISOString();
  const request = { org_id: organizationId, workspace_id: workspaceId, expires_at, allow_self_revoke: false };
  const scope = { principal, requestId: '' };
  return transaction(db, (trx) =>
    insertKey(trx, scope, { ...request, name, allowed_scopes: ['training:work'] }, { isByOperator: true }),
  );
}

export async function revokeKey(db: Db, id: string): Promise<void> {
  await db.deleteFrom('api_keys').where('id', '=', id).execute();
}
