/** The visibility rule of sessions, for every statement that reads them. */
import { type RawBuilder, sql } from 'kysely';
import type { Principal, WorkspaceScope } from '../platform/auth/principal.ts';

export interface Viewer extends Pick<WorkspaceScope, 'organizationId' | 'workspaceId' | 'recordEffect'> {
  readonly principal: Pick<Principal, 'userId'>;
}

/**
 * Matches sessions of the workspace that belong to the caller or are shared. Admins see no more. The condition allows an index by workspace
 * but none by organization: until a table is first analyzed, the planner considers all indexes equal.
 * @param alias of a row of sessions
 */
export function isVisible(viewer: Viewer, alias: string): RawBuilder<boolean> {
  return sql<boolean>`${isInWorkspace(viewer, alias)} AND ${isShown(viewer, alias)}`;
}

/** @param alias of a row of sessions */
export const isInWorkspace = ({ organizationId, workspaceId }: Viewer, alias: string) =>
  sql<boolean>`${sql.ref(`${alias}.organization_id`)} IS NOT DISTINCT FROM ${organizationId}
    AND ${sql.ref(`${alias}.workspace_id`)} = ${workspaceId}`;

/** The same rule when the id or the group is known: the condition allows no index by workspace. */
export function isVisibleByKey(viewer: Viewer, alias: string): RawBuilder<boolean> {
  const { organizationId, workspaceId } = viewer;
  return sql<boolean>`${sql.ref(`${alias}.organization_id`)} = ${organizationId}
    AND ${sql.ref(`${alias}.workspace_id`)} IS NOT DISTINCT FROM ${workspaceId} AND ${isShown(viewer, alias)}`;
}

/**
 * Tells whether a row of the workspace is visible.
 * @param alias of a row of sessions
 */
export const isShown = ({ principal }: Pick<Viewer, 'principal'>, alias: string) =>
  sql`(${sql.ref(`${alias}.visibility`)} = 'workspace' OR ${sql.ref(`${alias}.user_id`)} = ${principal.userId})`;
