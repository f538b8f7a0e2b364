/** Lineage: records what was made from what. Domains write it in the transaction of the change itself. */
import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { recordSet } from '../db/record-set.ts';
import type { Trx } from '../db/transaction.ts';

export const ARTIFACT_KINDS = ['dataset', 'model', 'capability', 'task'] as const;
export const LINEAGE_KINDS = [
  ...ARTIFACT_KINDS,
  'session',
  'evaluation',
  'finding',
  'review',
  'assessment',
  'optimization_job',
  'training_job',
  'gate_check',
] as const;

export type ArtifactKind = (typeof ARTIFACT_KINDS)[number];
export type LineageKind = (typeof LINEAGE_KINDS)[number];

/** The relation of the parent to the child; docs/design/lineage.md lists which kinds each connects. */
export const RELATIONS = [
  'task',
  'dataset',
  'capability',
  'model',
  'run',
  'row',
  'samples',
  'base',
  'train',
  'validation',
  'measured',
  'retry',
  'promoted',
  'published',
  'target',
  'review',
  'attack',
  'check',
] as const;

export type LineageRelation = (typeof RELATIONS)[number];

export interface LineageNode {
  readonly kind: LineageKind;
  /** The id; for artifacts, that of the version. */
  readonly id: string;
  /** null for an artifact, which belongs to the organization. */
  readonly workspaceId: string | null;
  readonly name: string | null;
  readonly version: string | null;
  /** The organization that published the artifact, if that is another one. */
  readonly ownerId: string | null;
}

export interface LineageParent {
  readonly node: LineageNode;
  readonly relation: LineageRelation;
  /** The split of the dataset: of the parent, and for the relation `row` of the child. All splits by default. */
  readonly split?: string;
  /** Row numbers within the split, from 0. All rows by default. */
  readonly rows?: readonly number[];
}

export interface LineageChild {
  readonly node: LineageNode;
  readonly parents: readonly LineageParent[];
}

interface Version {
  readonly ownerId: string;
  readonly versionId: string;
  /** `name`, or `org/name`; the organization may also be the own one. */
  readonly name: string;
  readonly version: string;
}

export const toArtifactNode = (
  organizationId: string,
  kind: ArtifactKind,
  { ownerId, versionId, name, version }: Version,
): LineageNode => ({
  kind,
  id: versionId,
  workspaceId: null,
  name: ownerId === organizationId ? name.slice(name.indexOf('/') + 1) : name,
  version,
  ownerId: ownerId === organizationId ? null : ownerId,
});

export const toWorkspaceNode = (
  kind: Exclude<LineageKind, ArtifactKind>,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
): LineageNode => ({ kind, id, workspaceId, name: null, version: null, ownerId: null });

const NODES = recordSet({
  id: 'uuid',
  kind: 'text',
  workspace_id: 'uuid',
  name: 'text',
  version: 'text',
  owner_id: 'uuid',
});

const EDGES = recordSet({
  child_id: 'uuid',
  parent_id: 'uuid',
  relation: 'text',
  split: 'text',
  rows: 'integer[]',
});

/** Records children and what they were made from, in one statement. Existing records stay unchanged. */
export async function recordLineage(
  trx: Trx,
  organizationId: string,
  children: readonly LineageChild[],
): Promise<void> {
  if (children.length === 0) return;
  const nodes = new Map<string, LineageNode>();
  for (const { node, parents } of children)
    for (const one of [node, ...parents.map((parent) => parent.node)]) nodes.set(one.id, one);
  // Inserts in a fixed order, so that two transactions with the same nodes do not deadlock.
  const sorted = [...nodes.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const nodeRows = sorted.map(({ id, kind, workspaceId, name, version, ownerId }) => ({
    id,
    kind,
    workspace_id: workspaceId,
    name,
    version,
    owner_id: ownerId,
  }));
  await sql`
    WITH nodes AS (
      INSERT INTO lineage_nodes (organization_id, ${NODES.names})
      SELECT ${organizationId}::uuid, n.id, n.kind, n.workspace_id, n.name, n.version, n.owner_id
        FROM (${NODES.select(nodeRows)}) AS n
      ON CONFLICT DO NOTHING)
    INSERT INTO lineage_edges (organization_id, ${EDGES.names})
    SELECT ${organizationId}::uuid, e.child_id, e.parent_id, e.relation, e.split, e.rows
      FROM (${EDGES.select(toEdges(children))}) AS e
    ON CONFLICT DO NOTHING`.execute(trx);
}

interface EdgeRow {
  readonly child_id: string;
  readonly parent_id: string;
  readonly relation: string;
  readonly split: string;
  readonly rows: never;
}

/** Parts of the same split under the same relation are one edge. */
function toEdges(children: readonly LineageChild[]): EdgeRow[] {
  const edges = new Map<string, LineageParent & { readonly child: string }>();
  for (const { node: child, parents } of children)
    for (const parent of parents) {
      const key = [child.id, parent.node.id, parent.relation, parent.split ?? ''].join(' ');
      const before = edges.get(key);
      const { rows: _, ...whole } = parent;
      const rows = !before ? parent.rows : before.rows && parent.rows && [...before.rows, ...parent.rows];
      edges.set(key, { ...whole, ...(rows && { rows }), child: child.id });
    }
  return [...edges.values()].map(({ child, node, relation, split = '', rows }) => ({
    child_id: child,
    parent_id: node.id,
    relation,
    split,
    rows: (rows ? [...new Set(rows)].toSorted((a, b) => a - b) : null) as never,
  }));
}

/** Number of nodes per statement. */
const FORGOTTEN_AT_ONCE = 1_000;

/** Removes the sessions, jobs and findings of a workspace that is about to be deleted, with their edges. Artifacts stay. */
export async function forgetLineage(
  db: Db | Trx,
  { organizationId, workspaceId }: { readonly organizationId: string; readonly workspaceId: string },
): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ id: string }>`
      WITH gone AS (
        SELECT id FROM lineage_nodes
         WHERE organization_id = ${organizationId} AND workspace_id = ${workspaceId} LIMIT ${FORGOTTEN_AT_ONCE}),
      above AS (
        DELETE FROM lineage_edges AS e USING gone WHERE e.organization_id = ${organizationId} AND e.child_id = gone.id),
      below AS (
        DELETE FROM lineage_edges AS e USING gone WHERE e.organization_id = ${organizationId} AND e.parent_id = gone.id)
      DELETE FROM lineage_nodes AS n USING gone
       WHERE n.organization_id = ${organizationId} AND n.id = gone.id RETURNING n.id`.execute(db);
    if (rows.length < FORGOTTEN_AT_ONCE) return;
  }
}
