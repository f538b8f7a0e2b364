/** Who sees which sessions: the one rule, for every statement that reads them. */
import { type RawBuilder, sql } from 'kysely';
import type { WorkspaceScope } from '../platform/auth/principal.ts';

export type Viewer = Pick<WorkspaceScope, 'organizationId' | 'workspaceId' | 'principal'>;

/** Of this workspace, and the caller's own or shared with it. Admins see no more. @param alias of a row of sessions */
export function isVisible(viewer: Viewer, alias: string): RawBuilder<boolean> {
  return isSeen(viewer, alias, sql`=`);
}

/**
 * The same, for who looks a session up by its id: in words for which no index by workspace can be used. Until the table is
 * first analyzed the planner takes each index for as good as another, and that one leads past all sessions there are.
 */
export function isVisibleById(viewer: Viewer, alias: string): RawBuilder<boolean> {
  return isSeen(viewer, alias, sql`IS NOT DISTINCT FROM`);
}

function isSeen(
  { organizationId, workspaceId, principal }: Viewer,
  alias: string,
  is: RawBuilder<unknown>,
): RawBuilder<boolean> {
  const session = (column: string) => sql.ref(`${alias}.${column}`);
  return sql<boolean>`${session('organization_id')} = ${organizationId} AND ${session('workspace_id')} ${is} ${workspaceId}
    AND (${session('visibility')} = 'workspace' OR ${session('user_id')} = ${principal.userId})`;
}
