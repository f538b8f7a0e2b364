/** The checks that stand before every mounted route. Where a route is mounted decides which of them run. */
import { ApiError, forbidden, notFound } from '../http/errors.ts';
import {
  ORG_ROLES,
  type OrgRole,
  type OrgScope,
  type Principal,
  type UserScope,
  WORKSPACE_ROLES,
  type WorkspaceRole,
  type WorkspaceScope,
} from './principal.ts';
import type { Resource, Scope } from './scopes.ts';

/** What the gate must know about accounts. */
export interface AccountReader {
  findPrincipal(credential: string): Promise<Principal>;
  findOrganization(userId: string, key: string): Promise<OrganizationEntry | undefined>;
  findWorkspace(userId: string, organizationId: string, key: string): Promise<WorkspaceEntry | undefined>;
  /** Drops what was remembered, because an account has just changed. */
  forget(): void;
}

export interface OrganizationEntry {
  readonly id: string;
  readonly role: OrgRole | null;
}

export interface WorkspaceEntry {
  readonly id: string;
  readonly isRestricted: boolean;
  /** The caller's own entry in the workspace's list of members. */
  readonly listedRole: WorkspaceRole | null;
}

export interface UserAccess {
  readonly scope: Scope;
  /** Needs an access token or a key that nothing narrows. */
  readonly unrestricted?: boolean;
  /** A narrowed key may use it although it changes something of its user's. */
  readonly narrowedKeys?: boolean;
}

export interface OrgAccess {
  readonly scope: Scope;
  readonly role: OrgRole;
  /** Also for a platform admin, whatever they are in the organization; the operation looks at what they change. */
  readonly platformAdmin?: boolean;
}

export interface WorkspaceAccess {
  readonly scope: Scope;
  readonly role: WorkspaceRole;
  /** The organization's to decide, not the workspace's. */
  readonly orgRole?: OrgRole;
}

export function enterUser(principal: Principal, requestId: string, access: UserAccess): UserScope {
  requireScope(principal, access.scope);
  if (access.unrestricted) requireUnrestricted(principal);
  const isNarrowed = principal.apiKey && principal.apiKey.organizationId !== null;
  if (isNarrowed && access.scope.endsWith(':write') && !access.narrowedKeys) {
    throw forbidden('This key is limited to one organization; it cannot change your account.');
  }
  return { principal, requestId };
}

export async function enterOrganization(
  reader: AccountReader,
  { principal, requestId }: UserScope,
  organizationKey: string,
  access: OrgAccess,
): Promise<OrgScope> {
  const { id: organizationId, role } = await findOrganization(reader, principal, organizationKey, access);
  requireScope(principal, access.scope);
  const isWaived = access.platformAdmin === true && principal.isPlatformAdmin;
  requireRole(ORG_ROLES, role, access.role, isWaived);
  if (principal.apiKey?.workspaceId && !isOpenToWorkspaceKeys(access.scope)) {
    throw forbidden(
      'This key is limited to one workspace; it cannot see or change the organization around it.',
    );
  }
  return { principal, requestId, organizationId, organizationKey, role };
}

export async function enterWorkspace(
  reader: AccountReader,
  { principal, requestId }: UserScope,
  organizationKey: string,
  workspaceKey: string,
  access: WorkspaceAccess,
): Promise<WorkspaceScope> {
  const organization = await findOrganization(reader, principal, organizationKey, {});
  const { id: organizationId, role } = organization;
  if (role === null) throw outsider();
  const workspace = await reader.findWorkspace(principal.userId, organizationId, workspaceKey);
  const workspaceRole = workspace && roleIn(workspace, role);
  if (!workspace || !workspaceRole) throw notFound(`Workspace "${workspaceKey}"`);
  const only = principal.apiKey?.workspaceId;
  if (only && only !== workspace.id) throw forbidden('This key is limited to another workspace.');
  requireScope(principal, access.scope);
  requireRole(WORKSPACE_ROLES, workspaceRole, access.role);
  if (access.orgRole) requireRole(ORG_ROLES, role, access.orgRole);
  const workspaceId = workspace.id;
  return {
    principal,
    requestId,
    organizationId,
    organizationKey,
    role,
    workspaceId,
    workspaceKey,
    workspaceRole,
  };
}

/** Access to a foreign organization and to one that does not exist are refused in the same words. */
const outsider = () => forbidden('This organization does not exist, or you are not a member of it.');

async function findOrganization(
  reader: AccountReader,
  principal: Principal,
  key: string,
  access: { platformAdmin?: boolean },
): Promise<OrganizationEntry> {
  const organization = await reader.findOrganization(principal.userId, key);
  if (!organization) throw outsider();
  const only = principal.apiKey?.organizationId;
  if (only && only !== organization.id) throw outsider();
  const mayEnter = organization.role !== null || (access.platformAdmin && principal.isPlatformAdmin);
  if (!mayEnter) throw outsider();
  return organization;
}

function roleIn(workspace: WorkspaceEntry, orgRole: OrgRole): WorkspaceRole | undefined {
  if (orgRole !== 'member') return 'admin';
  if (workspace.listedRole) return workspace.listedRole;
  return workspace.isRestricted ? undefined : 'contributor';
}

function requireScope(principal: Principal, scope: Scope): void {
  const scopes = principal.apiKey?.scopes;
  if (scopes && !scopes.has(scope)) throw forbidden(`This key lacks the scope "${scope}".`);
}

/** Roles are listed from the widest to the narrowest. */
function requireRole<Role extends string>(
  ranks: readonly Role[],
  has: Role | null,
  needs: Role,
  isWaived = false,
): void {
  if (isWaived || (has !== null && ranks.indexOf(has) <= ranks.indexOf(needs))) return;
  throw forbidden(`This needs the role "${needs}"; yours is "${has}".`);
}

function isUnrestricted(principal: Principal): boolean {
  const key = principal.apiKey;
  return !key || (key.organizationId === null && key.workspaceId === null && key.scopes === null);
}

function requireUnrestricted(principal: Principal): void {
  if (!isUnrestricted(principal)) {
    throw new ApiError('forbidden_error', 'This needs an access token, or a key without any restriction.');
  }
}

const ADMINISTRATION: ReadonlySet<Resource> = new Set(['user', 'organization', 'members', 'workspaces']);

/** Changing who may do what, or where. */
export function isAdministration(scope: Scope): boolean {
  const [resource, action] = scope.split(':') as [Resource, string];
  return action === 'write' && ADMINISTRATION.has(resource);
}

/** The organization itself, its members and its audit log tell of other workspaces; the list of workspaces does not. */
function isOpenToWorkspaceKeys(scope: Scope): boolean {
  const [resource] = scope.split(':') as [Resource];
  return scope === 'workspaces:read' || !ADMINISTRATION.has(resource);
}
