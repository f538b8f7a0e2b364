/** Finds the tasks and rows of datasets that shaped a version: what it was optimized or trained on, directly or through others. */
import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import type { Trx } from '../db/transaction.ts';
import type { LineageKind, LineageRelation } from './lineage.ts';

/** The nearest job or dataset that used a task or row; the version itself if there is none between. */
export interface Shaper {
  readonly kind: LineageKind;
  readonly id: string;
  readonly name: string | null;
  readonly version: string | null;
  readonly workspaceId: string | null;
}

export interface ShapingRows {
  readonly datasetId: string;
  /** '' for all splits. */
  readonly split: string;
  /** null for all rows. */
  readonly rows: readonly number[] | null;
  readonly shaper: Shaper;
}

export interface Shapers {
  /** Shapers by the id of the task version. */
  readonly tasks: ReadonlyMap<string, Shaper>;
  readonly rows: readonly ShapingRows[];
}

/** Relations to what something was measured with, attacked as or checked as, from which it learned nothing. */
const NOT_SHAPING: LineageRelation[] = ['measured', 'target', 'check', 'attack', 'review'];

/**
 * The edges above a row `w` of the walk. A dataset that only measured shapes nothing, and neither do sessions in other splits or rows than
 * those that were used. OFFSET keeps each look-up an index scan: a plan from when the tables were small would join all edges.
 */
const edgesAbove = (organizationId: string) => sql`LATERAL (
  SELECT e.parent_id, e.relation, e.split, e.rows,
         (SELECT p.kind FROM lineage_nodes AS p WHERE p.organization_id = ${organizationId} AND p.id = e.parent_id) AS kind
    FROM lineage_edges AS e
   WHERE e.organization_id = ${organizationId} AND e.child_id = w.id AND NOT e.relation = ANY (${NOT_SHAPING}::text[])
     AND (e.relation <> 'row' OR ((w.split = '' OR e.split = w.split) AND (w.rows IS NULL OR e.rows IS NULL OR e.rows && w.rows)))
  OFFSET 0)`;

/**
 * Walks up from these versions with one statement, whose UNION ends cycles. `split` and `rows` of the walk are the part of the dataset
 * that was used; `user_id` is the nearest job or dataset on the way.
 */
export async function findShapers(
  db: Db | Trx,
  organizationId: string,
  versionIds: readonly string[],
): Promise<Shapers> {
  if (versionIds.length === 0) return { tasks: new Map(), rows: [] };
  const { rows } = await sql<{
    id: string;
    is_task: boolean;
    split: string;
    rows: number[] | null;
    shaper: Shaper;
  }>`
    WITH RECURSIVE walk (id, split, rows, user_id) AS (
      SELECT v.id, '', NULL::integer[], v.id FROM unnest(${[...versionIds]}::uuid[]) AS v (id)
      UNION
      SELECT e.parent_id, CASE WHEN e.relation = 'row' THEN '' ELSE e.split END, CASE WHEN e.relation = 'row' THEN NULL ELSE e.rows END,
             CASE WHEN e.kind IN ('dataset', 'optimization_job', 'training_job') THEN e.parent_id ELSE w.user_id END
        FROM walk AS w CROSS JOIN ${edgesAbove(organizationId)} AS e
    ), used AS (
      SELECT DISTINCT e.parent_id, e.kind, e.split, e.rows, w.user_id
        FROM walk AS w CROSS JOIN ${edgesAbove(organizationId)} AS e
       WHERE e.kind IN ('task', 'dataset')
    )
    SELECT u.parent_id AS id, u.kind = 'task' AS is_task, u.split, u.rows, n.shaper
      FROM used AS u
     CROSS JOIN LATERAL (
        SELECT jsonb_build_object('kind', n.kind, 'id', n.id, 'name', n.name, 'version', n.version, 'workspaceId', n.workspace_id) AS shaper
          FROM lineage_nodes AS n WHERE n.organization_id = ${organizationId} AND n.id = u.user_id LIMIT 1) AS n
     ORDER BY u.user_id DESC, u.parent_id`.execute(db);
  return {
    // Ids ascend with time, so the oldest user of a task is the last one, which stays.
    tasks: new Map(rows.filter(({ is_task }) => is_task).map(({ id, shaper }) => [id, shaper])),
    rows: rows
      .filter(({ is_task }) => !is_task)
      .map(({ id, split, rows: used, shaper }) => ({ datasetId: id, split, rows: used, shaper })),
  };
}
