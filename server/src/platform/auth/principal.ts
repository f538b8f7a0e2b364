/** The caller, and what a mounted route knows about the organization and workspace it is called in. */
import type { Requested } from '../db/transaction.ts';
import type { Scope } from './scopes.ts';

export const ORG_ROLES = ['owner', 'admin', 'member'] as const;
export const WORKSPACE_ROLES = ['admin', 'contributor', 'reader'] as const;

export type OrgRole = (typeof ORG_ROLES)[number];
export type WorkspaceRole = (typeof WORKSPACE_ROLES)[number];

export interface Principal {
  readonly userId: string;
  readonly isPlatformAdmin: boolean;
  /** The key that was presented; undefined for an access token. */
  readonly apiKey: ApiKeyGrant | undefined;
  /** The login that an access token belongs to; undefined for a key. */
  readonly loginId: string | undefined;
  /** The sandbox whose program makes the request. Its `apiKey` is not a stored key: it holds the permissions of the sandbox. */
  readonly sandbox?: SandboxGrant | undefined;
}

/** What a sandbox may use of the platform, in addition to its scopes. */
export interface SandboxGrant {
  readonly id: string;
  readonly runtimeId: string;
  readonly runtimeName: string;
  /** The session that records its model calls. */
  readonly sessionId: string;
  /** The one model that it may call; null: every model of the organization. */
  readonly model: string | null;
  readonly spendLimitUsd: number | null;
}

/** The upper bound of a key's permissions; its user's own permissions limit it further. null means: not narrowed. */
export interface ApiKeyGrant {
  readonly id: string;
  readonly organizationId: string | null;
  readonly workspaceId: string | null;
  readonly scopes: ReadonlySet<Scope> | null;
  readonly expiresAt: string | null;
  readonly allowsSelfRevoke: boolean;
}

export interface UserScope extends Requested {
  readonly principal: Principal;
  readonly requestId: string;
}

export interface OrgScope extends UserScope {
  readonly organizationId: string;
  readonly organizationKey: string;
  /** null for a user who is not a member: on public resources, and for a platform admin on the few operations open to non-members. */
  readonly role: OrgRole | null;
}

export interface WorkspaceScope extends OrgScope {
  readonly role: OrgRole;
  readonly workspaceId: string;
  readonly workspaceKey: string;
  readonly workspaceRole: WorkspaceRole;
}

export function isOrgAdmin(scope: OrgScope): boolean {
  return scope.role === 'owner' || scope.role === 'admin';
}
