/** Reads the lineage of an artifact version or a session, page by page. */
import { sql } from 'kysely';
import type { OrgScope, WorkspaceScope } from '../platform/auth/principal.ts';
import type { Signer } from '../platform/auth/signing.ts';
import type { Db } from '../platform/db/connect.ts';
import { Cursors } from '../platform/http/responses/pages.ts';
import { type ArtifactKind, toArtifactNode } from '../platform/lineage/lineage.ts';
import { getVersion } from '../registry/service.ts';
import { getSession } from '../sessions/service.ts';
import type { LineageEdgeOf, LineageNodeOf, LineageOf, LineageRootOf, PageQuery } from './schema.ts';
import { type Position, type Visited, walk } from './walk.ts';

export interface LineageOptions {
  readonly db: Db;
  readonly signer: Signer;
}

/** @throws {ApiError} `not_found_error` for an artifact or a version that the caller cannot see */
export async function getArtifactLineage(
  options: LineageOptions,
  scope: OrgScope,
  { kind, name, version, ...query }: PageQuery & { kind: ArtifactKind; name: string; version: string },
): Promise<LineageOf> {
  const found = await getVersion(options.db, scope, kind, name, version);
  const node = toArtifactNode(scope.organizationId, kind, found);
  const { rows } = await sql<{ created_at: string }>`
    SELECT created_at FROM artifact_versions
     WHERE organization_id = ${found.ownerId} AND id = ${found.versionId}`.execute(options.db);
  const created_at = rows[0]?.created_at ?? '';
  return readLineage(
    options,
    scope,
    { id: node.id, kind, name: node.name, version: node.version, workspace: null, created_at },
    query,
  );
}

/** @throws {ApiError} `not_found_error` for a session that the caller cannot see */
export async function getSessionLineage(
  options: LineageOptions,
  scope: WorkspaceScope,
  given: string,
  query: PageQuery,
): Promise<LineageOf> {
  const { id, created_at } = await getSession(options.db, scope, given);
  const root = { id, kind: 'session' as const, name: null, version: null, created_at };
  return readLineage(options, scope, { ...root, workspace: scope.workspaceKey }, query);
}

async function readLineage(
  { db, signer }: LineageOptions,
  scope: OrgScope,
  root: LineageRootOf,
  { direction, limit, cursor }: PageQuery,
): Promise<LineageOf> {
  const cursors = new Cursors<Position>(signer, 'lineage');
  const filters = { organization: scope.organizationId, root: root.id, direction };
  const after = cursors.read(cursor, filters);
  const visited = await walk(db, scope, { rootId: root.id, direction, limit, after });
  return {
    root,
    nodes: await listNodes(db, scope, visited.page),
    edges: await listEdges(db, scope, root.id, visited),
    has_more: visited.next !== null,
    next_cursor: visited.next && cursors.after(visited.next, filters),
  };
}

async function listNodes(
  db: Db,
  { organizationId }: OrgScope,
  page: readonly Position[],
): Promise<LineageNodeOf[]> {
  const { rows } = await sql<LineageNodeOf>`
    SELECT n.id, n.kind, n.name, n.version, n.workspace, n.created_at, p.distance
      FROM unnest(${page.map(({ id }) => id)}::uuid[], ${page.map(({ distance }) => distance)}::integer[])
             WITH ORDINALITY AS p (id, distance, place)
     CROSS JOIN LATERAL (
        SELECT n.id, n.kind, n.name, n.version, n.created_at,
               (SELECT w.key FROM workspaces AS w WHERE w.organization_id = ${organizationId} AND w.id = n.workspace_id) AS workspace
          FROM lineage_nodes AS n WHERE n.organization_id = ${organizationId} AND n.id = p.id LIMIT 1) AS n
     ORDER BY p.place`.execute(db);
  return rows;
}

/** Each edge is on the page of the farther of its two nodes. */
async function listEdges(
  db: Db,
  { organizationId }: OrgScope,
  rootId: string,
  { all, page }: Visited,
): Promise<LineageEdgeOf[]> {
  const pageIds = page.map(({ id }) => id);
  const ids = [rootId, ...all.map(({ id }) => id)];
  const { rows } = await sql<LineageEdgeOf>`
    SELECT e.child_id AS "from", e.parent_id AS "to", e.relation, nullif(e.split, '') AS split, e.rows
      FROM lineage_edges AS e
     WHERE e.organization_id = ${organizationId} AND e.child_id = ANY (${ids}::uuid[])
       AND e.parent_id IN (SELECT s.id FROM unnest(${ids}::uuid[]) AS s (id))
       AND (e.child_id IN (SELECT p.id FROM unnest(${pageIds}::uuid[]) AS p (id))
            OR e.parent_id IN (SELECT p.id FROM unnest(${pageIds}::uuid[]) AS p (id)))
     ORDER BY e.child_id, e.parent_id, e.relation, e.split`.execute(db);
  return rows;
}
