/** Who sees which sessions: the one rule, for every statement that reads them. */
import { type RawBuilder, sql } from 'kysely';
import type { Principal, WorkspaceScope } from '../platform/auth/principal.ts';

export interface Viewer extends Pick<WorkspaceScope, 'organizationId' | 'workspaceId'> {
  readonly principal: Pick<Principal, 'userId'>;
}

/**
 * Of this workspace, and the caller's own or shared with it. Admins see no more.
 *
 * In words for which an index by workspace can be used and none by organization: until a table is first analyzed, the planner
 * takes each index for as good as another. @param alias of a row of sessions
 */
export function isVisible(viewer: Viewer, alias: string): RawBuilder<boolean> {
  const { organizationId, workspaceId } = viewer;
  return sql<boolean>`${sql.ref(`${alias}.organization_id`)} IS NOT DISTINCT FROM ${organizationId}
    AND ${sql.ref(`${alias}.workspace_id`)} = ${workspaceId} AND ${isShown(viewer, alias)}`;
}

/** The same, for who has the id or the group: in words for which no index by workspace can be used. */
export function isVisibleByKey(viewer: Viewer, alias: string): RawBuilder<boolean> {
  const { organizationId, workspaceId } = viewer;
  return sql<boolean>`${sql.ref(`${alias}.organization_id`)} = ${organizationId}
    AND ${sql.ref(`${alias}.workspace_id`)} IS NOT DISTINCT FROM ${workspaceId} AND ${isShown(viewer, alias)}`;
}

/** Of a row that is known to be of the workspace. @param alias of a row of sessions */
export const isShown = ({ principal }: Pick<Viewer, 'principal'>, alias: string) =>
  sql`(${sql.ref(`${alias}.visibility`)} = 'workspace' OR ${sql.ref(`${alias}.user_id`)} = ${principal.userId})`;
