/** Which nodes a caller sees. A node that is not seen is passed over with its edges, as if it did not exist. */
import { type Expression, type RawBuilder, sql } from 'kysely';
import { visibleWorkspaces } from '../accounts/service.ts';
import type { OrgScope } from '../platform/auth/principal.ts';
import { isShared } from '../registry/service.ts';
import { isShown } from '../sessions/service.ts';

/**
 * Artifacts of the organization and public ones, sessions that the caller may read, and everything else of workspaces that the caller
 * can see. A deleted version keeps its node; a deleted session has no row in `sessions`, and is not seen.
 *
 * The look-ups are scalar: PostgreSQL answers EXISTS with a join or a hash, and a plan from when the tables were small would read all nodes
 * and sessions of the organization for each level.
 *
 * @param id of a node
 */
export function isVisibleNode(scope: OrgScope, id: Expression<string>): RawBuilder<boolean> {
  const { organizationId } = scope;
  return sql<boolean>`coalesce((
    SELECT CASE WHEN n.kind IN ('dataset', 'model', 'capability', 'task') THEN n.owner_id IS NULL OR coalesce((
                  SELECT ${isShared(scope, 'a')} FROM artifacts AS a
                   WHERE a.organization_id = n.owner_id
                     AND a.id = (SELECT v.artifact_id FROM artifact_versions AS v WHERE v.organization_id = n.owner_id AND v.id = n.id)
                     AND (SELECT o.is_active FROM organizations AS o WHERE o.id = n.owner_id)), false)
                WHEN n.workspace_id IN (${visibleWorkspaces(scope)}) THEN n.kind <> 'session' OR coalesce((
                  SELECT true FROM sessions AS s
                   WHERE s.organization_id = ${organizationId} AND s.id = n.id AND s.workspace_id = n.workspace_id
                     AND ${isShown(scope, 's')}), false)
                ELSE false END
      FROM lineage_nodes AS n WHERE n.organization_id = ${organizationId} AND n.id = ${id}), false)`;
}
