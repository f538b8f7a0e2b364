/** The checks that precede every mounted route. The mount point of a route decides which of them run. */
import { ApiError, forbidden } from '../errors.ts';
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
import { isExplicit, type Resource, type Scope } from './scopes.ts';

/** What the gate reads about accounts. */
export interface AccountReader {
  /** Finds the owner of a credential and their roles. Returns synchronously if cached; fails with 401. */
  find(credential: string, organization?: string, workspace?: string): Caller | Promise<Caller>;
  /** Drops the cached result because an account has just changed. */
  forget(): void;
}

export interface Caller {
  readonly principal: Principal;
  /** undefined if there is no organization with that key. */
  readonly organization: OrganizationEntry | undefined;
  readonly workspace: WorkspaceEntry | undefined;
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
  /** Requires an access token or a key without restrictions. */
  readonly unrestricted?: boolean;
  /** Whether a narrowed key may use the operation although it changes something of its user's. */
  readonly narrowedKeys?: boolean;
  /** Whether the operation is for platform admins only: it shows something of every organization. */
  readonly platformAdmin?: boolean;
}

export interface OrgAccess {
  readonly scope: Scope;
  readonly role: OrgRole;
  /**
   * Whether platform admins may use the operation, regardless of their role in the organization; the operation itself checks what they
   * change. 'only': no other user may, regardless of their role.
   */
  readonly platformAdmin?: boolean | 'only';
  /**
   * Whether the operation affects the organization as a whole although its scope does not: a key that is limited to one workspace is
   * refused.
   */
  readonly organizationWide?: boolean;
}

/** Access for members, and for every other signed-in user as far as something is public. */
export interface ArtifactAccess {
  readonly scope: Scope;
}

export interface WorkspaceAccess {
  readonly scope: Scope;
  readonly role: WorkspaceRole;
  /** The role in the organization that is required, where the organization decides and not the workspace. */
  readonly orgRole?: OrgRole;
}

export function enterUser({ principal }: Caller, requestId: string, access: UserAccess): UserScope {
  requireScope(principal, access.scope);
  if (access.unrestricted) requireUnrestricted(principal);
  if (access.platformAdmin) requirePlatformAdmin(principal);
  const isNarrowed = principal.apiKey && principal.apiKey.organizationId !== null;
  if (isNarrowed && access.scope.endsWith(':write') && !access.narrowedKeys) {
    throw forbidden('This key is limited to one organization; it cannot change your account.');
  }
  return { principal, requestId };
}

export function enterOrganization(
  caller: Caller,
  requestId: string,
  organizationKey: string,
  access: OrgAccess,
): OrgScope {
  const { principal } = caller;
  const isWaived = Boolean(access.platformAdmin) && principal.isPlatformAdmin;
  const { id: organizationId, role } = requireOrganization(caller, isWaived);
  requireScope(principal, access.scope);
  if (!isWaived) requireRole(ORG_ROLES, role, access.role);
  if (!isWaived && access.platformAdmin === 'only') throw notPlatformAdmin();
  const isOpen = () => !access.organizationWide && isOpenToWorkspaceKeys(access.scope);
  if (principal.apiKey?.workspaceId && !isOpen()) {
    throw forbidden(
      'This key is limited to one workspace; it cannot see or change the organization around it.',
    );
  }
  return { principal, requestId, organizationId, organizationKey, role };
}

/** Id of an organization that does not exist: a lookup in it fails in the same time and with the same words as in a foreign one. */
const NOWHERE = '00000000-0000-0000-0000-000000000000';

/** A key that is limited to another organization reads here what a user outside the organization reads. */
export function enterArtifact(
  { principal, organization }: Caller,
  requestId: string,
  organizationKey: string,
  access: ArtifactAccess,
): OrgScope {
  requireScope(principal, access.scope);
  const only = principal.apiKey?.organizationId;
  const isForeign = only && only !== organization?.id;
  const role = isForeign ? null : (organization?.role ?? null);
  return { principal, requestId, organizationId: organization?.id ?? NOWHERE, organizationKey, role };
}

export function enterWorkspace(
  caller: Caller,
  requestId: string,
  organizationKey: string,
  workspaceKey: string,
  access: WorkspaceAccess,
): WorkspaceScope {
  const { principal, workspace } = caller;
  const { id: organizationId, role } = requireOrganization(caller, false);
  if (role === null) throw outsider();
  const workspaceRole = workspace && roleIn(workspace, role);
  if (!workspace || !workspaceRole)
    throw new ApiError(
      'not_found_error',
      `Workspace "${workspaceKey}" was not found. GET /api/v1/org/${organizationKey}/ws lists those that you can see.`,
    );
  const only = principal.apiKey?.workspaceId;
  if (only && only !== workspace.id) throw forbidden('This key is limited to another workspace.');
  requireScope(principal, access.scope);
  requireRole(WORKSPACE_ROLES, workspaceRole, access.role);
  if (access.orgRole) requireRole(ORG_ROLES, role, access.orgRole);
  const organization = { organizationId, organizationKey, role };
  return { principal, requestId, ...organization, workspaceId: workspace.id, workspaceKey, workspaceRole };
}

/** Refuses access to a foreign organization and to a nonexistent one in the same words. */
const outsider = () => forbidden('This organization does not exist, or you are not a member of it.');

function requireOrganization(
  { principal, organization }: Caller,
  isOpenToOutsiders: boolean,
): OrganizationEntry {
  const only = principal.apiKey?.organizationId;
  if (!organization || (only && only !== organization.id)) throw outsider();
  if (organization.role === null && !isOpenToOutsiders) throw outsider();
  return organization;
}

/** Whether the caller has at least this role in a workspace of their organization that the path does not name. */
export function hasRoleIn(
  { principal, role }: OrgScope,
  workspace: WorkspaceEntry,
  needs: WorkspaceRole,
): boolean {
  const only = principal.apiKey?.workspaceId;
  if (role === null || (only && only !== workspace.id)) return false;
  const workspaceRole = roleIn(workspace, role);
  return workspaceRole !== undefined && reaches(WORKSPACE_ROLES, workspaceRole, needs);
}

/** Returns the role of an organization member in a workspace; undefined if the member does not see it. */
export function roleIn(workspace: WorkspaceEntry, orgRole: OrgRole): WorkspaceRole | undefined {
  if (orgRole !== 'member') return 'admin';
  if (workspace.listedRole) return workspace.listedRole;
  return workspace.isRestricted ? undefined : 'contributor';
}

/** Operations declare one scope. Those that do more, such as publishing, require the other scopes with this. */
export function requireScope(principal: Principal, scope: Scope): void {
  const scopes = principal.apiKey?.scopes;
  if (scopes ? scopes.has(scope) : !isExplicit(scope)) return;
  if (scopes) throw forbidden(`This key lacks the scope "${scope}".`);
  throw forbidden(`This needs an API key whose allowed_scopes name "${scope}".`);
}

/** Roles are listed from the widest to the narrowest. */
function reaches<Role extends string>(ranks: readonly Role[], has: Role, needs: Role): boolean {
  return ranks.indexOf(has) <= ranks.indexOf(needs);
}

function requireRole<Role extends string>(ranks: readonly Role[], has: Role | null, needs: Role): void {
  if (has !== null && reaches(ranks, has, needs)) return;
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

const notPlatformAdmin = () => forbidden('This is for platform admins; ask one of them.');

/** A key that is limited to an organization does not reach beyond it, even if its owner is a platform admin. */
function requirePlatformAdmin({ isPlatformAdmin, apiKey }: Principal): void {
  if (!isPlatformAdmin) throw notPlatformAdmin();
  if (apiKey && apiKey.organizationId !== null) {
    throw forbidden('This key is limited to one organization; it cannot see the platform around it.');
  }
}

const ADMINISTRATION: ReadonlySet<Resource> = new Set(['user', 'organization', 'members', 'workspaces']);

/** Whether the scope changes permissions or restrictions. */
export function isAdministration(scope: Scope): boolean {
  const [resource, action] = scope.split(':') as [Resource, string];
  return action === 'write' && ADMINISTRATION.has(resource);
}

/** The organization itself, its members and its audit log reveal other workspaces; the list of workspaces does not. */
function isOpenToWorkspaceKeys(scope: Scope): boolean {
  const [resource] = scope.split(':') as [Resource];
  return scope === 'workspaces:read' || !ADMINISTRATION.has(resource);
}
