/** Walks the graph breadth first from one node, as the caller sees it. */
import { type Expression, type RawBuilder, sql } from 'kysely';
import { visibleWorkspaces } from '../accounts/service.ts';
import type { OrgScope } from '../platform/auth/principal.ts';
import type { Db } from '../platform/db/connect.ts';
import { isShared } from '../registry/service.ts';
import { isShown } from '../sessions/service.ts';

/** A place in the order of a walk: by distance, up before down, then by id. */
export interface Position {
  readonly distance: number;
  readonly id: string;
}

export interface Visited {
  /** All nodes up to the end of the page, in order. */
  readonly all: readonly Position[];
  readonly page: readonly Position[];
  /** null at the end. */
  readonly next: Position | null;
}

export interface WalkRequest {
  readonly rootId: string;
  readonly direction: 'up' | 'down' | 'both';
  readonly limit: number;
  readonly after: Position | undefined;
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export async function walk(db: Db, scope: OrgScope, request: WalkRequest): Promise<Visited> {
  const { direction, limit, after } = request;
  const up = direction === 'down' ? NOWHERE : await walkOneWay(db, scope, request, -1);
  const down = direction === 'up' ? NOWHERE : await walkOneWay(db, scope, request, 1);
  // A node of a cycle is reachable in both directions, and is shown once, where it is nearest.
  const nearest = new Map<string, Position>();
  for (const one of [...up.nodes, ...down.nodes].toSorted(compare))
    if (!nearest.has(one.id)) nearest.set(one.id, one);
  // After the last node of a truncated direction, the order is not known.
  const ends = [up, down].flatMap(({ isCut, nodes }) => (isCut ? (nodes.at(-1) ?? []) : []));
  const [end] = ends.toSorted(compare);
  const known = [...nearest.values()].filter((one) => !end || compare(one, end) <= 0);
  const rest = known.filter((one) => !after || compare(one, after) > 0);
  const page = rest.slice(0, limit);
  const next = rest.length > limit ? page.at(-1) : end;
  const last = page.at(-1);
  return {
    all: last ? known.filter((one) => compare(one, last) <= 0) : [],
    page,
    next: next ?? null,
  };
}

function compare(a: Position, b: Position): number {
  if (a.distance === b.distance) return a.id < b.id ? -1 : Number(a.id > b.id);
  return Math.abs(a.distance) - Math.abs(b.distance) || a.distance - b.distance;
}

interface OneWay {
  readonly nodes: readonly Position[];
  /** Whether there may be more nodes. */
  readonly isCut: boolean;
}

const NOWHERE: OneWay = { nodes: [], isCut: false };

/** Frontiers up to this size are expanded node by node, in the order of the index, so that a hub costs only what is read of it. */
const SMALL_FRONTIER = 200;

/**
 * One row of the recursive statement is one level. Levels up to the cursor are read in full, since the next level needs them; later ones
 * end with the page. `seen` ends cycles.
 */
async function walkOneWay(
  db: Db,
  scope: OrgScope,
  { rootId, limit, after }: WalkRequest,
  sign: -1 | 1,
): Promise<OneWay> {
  const { organizationId } = scope;
  const from = startOf(after, sign);
  const [near, far] = sign < 0 ? ['child_id', 'parent_id'] : ['parent_id', 'child_id'];
  const nearId = sql.ref(`e.${near}`);
  const farId = sql.ref<string>(`e.${far}`);
  const wanted = limit + 1;
  const max = sql`CASE WHEN w.depth >= ${from.depth}::integer THEN ${wanted}::integer END`;
  const { rows } = await sql<{ depth: number; ids: string[]; shown: number }>`
    WITH RECURSIVE walk (depth, ids, seen, shown) AS (
      SELECT 0, ARRAY[${rootId}::uuid], ARRAY[${rootId}::uuid], 0
      UNION ALL
      SELECT w.depth + 1, next.ids, w.seen || next.ids, w.shown + next.shown
        FROM walk AS w
       CROSS JOIN LATERAL (
          SELECT array_agg(f.id ORDER BY f.id) AS ids,
                 (count(*) FILTER (WHERE w.depth + 1 > ${from.depth} OR (w.depth + 1 = ${from.depth} AND f.id > ${from.id}::uuid)))::integer AS shown
            FROM (SELECT DISTINCT near.id FROM (
                    SELECT one.id FROM unnest(w.ids) AS at (id)
                     CROSS JOIN LATERAL (
                        SELECT DISTINCT ${farId} AS id FROM lineage_edges AS e
                         WHERE e.organization_id = ${organizationId} AND ${nearId} = at.id
                           AND NOT ${farId} = ANY (w.seen) AND ${isVisibleNode(scope, farId)}
                         ORDER BY 1 LIMIT ${max}) AS one
                     WHERE cardinality(w.ids) <= ${SMALL_FRONTIER}
                    UNION ALL
                    SELECT many.id FROM (
                        SELECT ${farId} AS id FROM lineage_edges AS e
                         WHERE e.organization_id = ${organizationId} AND ${nearId} = ANY (w.ids) AND cardinality(w.ids) > ${SMALL_FRONTIER}
                        EXCEPT SELECT s.id FROM unnest(w.seen) AS s (id)) AS many
                     WHERE ${isVisibleNode(scope, sql.ref<string>('many.id'))}) AS near
                   ORDER BY near.id LIMIT ${max}) AS f) AS next
       WHERE next.ids IS NOT NULL AND w.shown < ${wanted}
    )
    SELECT depth, ids, shown FROM walk WHERE depth > 0 ORDER BY depth`.execute(db);
  return {
    nodes: rows.flatMap(({ depth, ids }) => ids.map((id) => ({ distance: sign * depth, id }))),
    isCut: (rows.at(-1)?.shown ?? 0) >= wanted,
  };
}

/** The walk continues after the node with this id, on the level of this depth. */
function startOf(after: Position | undefined, sign: -1 | 1): { depth: number; id: string } {
  if (!after) return { depth: 0, id: LAST_ID };
  const depth = Math.abs(after.distance);
  if (Math.sign(after.distance) === sign) return { depth, id: after.id };
  // Up comes before down on the same level.
  return { depth, id: sign < 0 ? LAST_ID : FIRST_ID };
}

/**
 * Finds out whether the caller sees a node. A node that is not seen is passed over with its edges, as if it did not exist.
 *
 * Seen are artifacts of the organization and public ones, sessions that the caller may read, and everything else of workspaces that the
 * caller can see. A deleted version keeps its node; a deleted session has no row in `sessions`, and is not seen.
 *
 * The look-ups are scalar: PostgreSQL answers EXISTS with a join or a hash, and a plan from when the tables were small would read all nodes
 * and sessions of the organization for each level.
 *
 * @param id of a node
 */
function isVisibleNode(scope: OrgScope, id: Expression<string>): RawBuilder<boolean> {
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
