/** Counts the sessions that match a filter, by all facets at once. This is the reference that other implementations must match. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import type { Viewer } from '../visibility.ts';
import type { Counts, FacetCounts } from './facet-counts.ts';
import { isBroad, isMatching } from './matching.ts';
import type { SessionFilter } from './query.ts';
import { readTogether } from './read-together.ts';
import { MAX_LABELS } from './schema.ts';

interface Row {
  readonly facet: keyof FacetCounts;
  /** Key of a label. */
  readonly key: string | null;
  readonly value: string | null;
  readonly count: number;
}

/** Counts all facets in one snapshot. */
export async function countFacets(db: Db, viewer: Viewer, filter: SessionFilter): Promise<FacetCounts> {
  const rows = isBroad(filter)
    ? await readTogether(db, ...selectCountsApart(viewer, filter))
    : (await selectCounts(viewer, filter).execute(db)).rows;
  const counts = noCounts();
  for (const { facet, key, value, count } of rows) {
    if (value === null) continue;
    const values: Counts = facet === 'labels' ? labelOf(counts, key ?? '') : counts[facet];
    values.set(value, count);
  }
  return counts;
}

export const noCounts = (): FacetCounts => ({
  agents: new Map(),
  models: new Map(),
  origins: new Map(),
  group_kinds: new Map(),
  group_statuses: new Map(),
  users: new Map(),
  labels: new Map(),
});

function labelOf({ labels }: FacetCounts, key: string): Counts {
  const known = labels.get(key);
  if (known) return known;
  const values: Counts = new Map();
  labels.set(key, values);
  return values;
}

/** Materializes the matching rows once, for both ways of counting. */
export function selectCounts(viewer: Viewer, filter: SessionFilter): RawBuilder<Row> {
  return sql<Row>`
    WITH matching AS MATERIALIZED (${selectMatching(viewer, filter)})
    (${columnCounts(viewer, sql`matching`)}) UNION ALL (${labelCounts(sql`matching`)})`;
}

/** Counts with two statements of similar duration, for matches that are too large to materialize. */
export function selectCountsApart(viewer: Viewer, filter: SessionFilter): [RawBuilder<Row>, RawBuilder<Row>] {
  const matching = sql`(${selectMatching(viewer, filter)})`;
  return [columnCounts(viewer, matching), labelCounts(matching)];
}

const selectMatching = (viewer: Viewer, filter: SessionFilter) => sql`
  SELECT s.user_id, s.model, s.agent, s.origin, s.group_id, s.labels FROM sessions AS s WHERE ${isMatching(viewer, filter)}`;

const columnCounts = (viewer: Viewer, matching: RawBuilder<unknown>) => sql<Row>`
  WITH counted AS MATERIALIZED (
    SELECT CASE 0 WHEN grouping(m.user_id) THEN 'users' WHEN grouping(m.model) THEN 'models'
                  WHEN grouping(m.agent) THEN 'agents' WHEN grouping(m.origin) THEN 'origins' END AS facet,
           coalesce(m.user_id::text COLLATE "C", m.model, m.agent, m.origin COLLATE "C") AS value,
           m.group_id, count(*) AS count
      FROM ${matching} AS m GROUP BY GROUPING SETS ((m.user_id), (m.model), (m.agent), (m.origin), (m.group_id))
  ),
  grouped AS (
    SELECT g.kind, g.status, c.count
      FROM counted AS c
      JOIN session_groups AS g
        ON g.organization_id IS NOT DISTINCT FROM ${viewer.organizationId} AND g.workspace_id = ${viewer.workspaceId}
       AND g.id = c.group_id
     WHERE c.facet IS NULL
  )
  SELECT c.facet, NULL AS key, c.value, c.count FROM counted AS c WHERE c.facet IS NOT NULL
  UNION ALL SELECT 'group_kinds', NULL, g.kind, sum(g.count)::bigint FROM grouped AS g GROUP BY g.kind
  UNION ALL SELECT 'group_statuses', NULL, g.status, sum(g.count)::bigint FROM grouped AS g GROUP BY g.status`;

/** Counts equal label objects first and splits them afterwards, because many sessions share the same labels. */
const labelCounts = (matching: RawBuilder<unknown>) => sql<Row>`
  SELECT 'labels' AS facet, l.key, v.value, sum(l.count)::bigint AS count
    FROM (
      SELECT k.key, k.labels -> k.key AS values, count(*) AS count
        FROM (SELECT jsonb_object_keys(m.labels) AS key, m.labels FROM ${matching} AS m) AS k GROUP BY 1, 2
    ) AS l CROSS JOIN LATERAL jsonb_array_elements_text(l.values) AS v GROUP BY l.key, v.value
   ORDER BY count DESC, l.key COLLATE "C", v.value COLLATE "C" LIMIT ${MAX_LABELS}`;
