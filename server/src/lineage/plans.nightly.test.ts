/** What reading lineage and finding shapers costs depends on the graph around the root, and not on what others have. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startTestServer } from '../../test/harness.ts';
import { findOrganizationId } from '../../test/other-organization.ts';
import { countBlocks, explainGenericWork, explainWork } from '../../test/query-plans.ts';
import type { Db } from '../platform/db/connect.ts';
import { transaction } from '../platform/db/transaction.ts';
import { recordLineage, toWorkspaceNode } from '../platform/lineage/lineage.ts';
import { findShapers } from '../platform/lineage/shapers.ts';
import { uuidv7 } from '../platform/uuid.ts';
import { walk } from './walk.ts';

const OTHERS = 50_000;
const ANCESTORS = 300;

const server = await startTestServer();
const { db, owner } = server;
const organizationId = await findOrganizationId(server, 'main');
const { id: workspaceId } = (await server.as(owner).get('/org/main/ws/main')).body;
const scope = {
  principal: { userId: owner.id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined },
  requestId: 'test',
  organizationId,
  organizationKey: 'main',
  role: 'owner' as const,
};
for (const table of ['lineage_nodes', 'lineage_edges'])
  await sql`ALTER TABLE ${sql.table(table)} SET (autovacuum_enabled = false)`.execute(db);

/** A node with direct ancestors, each with one of its own. */
const newNode = () => toWorkspaceNode('evaluation', { workspaceId, id: uuidv7() });
const root = newNode();
const near = Array.from({ length: ANCESTORS }, newNode);
await transaction(db, (trx) =>
  recordLineage(trx, organizationId, [
    { node: root, parents: near.map((node) => ({ node, relation: 'run' })) },
    ...near.map((node) => ({ node, parents: [{ node: newNode(), relation: 'run' as const }] })),
  ]),
);

const works = [
  (on: Db) => walk(on, scope, { rootId: root.id, direction: 'both', limit: 100, after: undefined }),
  (on: Db) =>
    walk(on, scope, {
      rootId: root.id,
      direction: 'up',
      limit: 500,
      after: { distance: -1, id: near[5]?.id ?? '' },
    }),
  (on: Db) => findShapers(on, organizationId, [root.id]),
];

test('reading lineage touches as many blocks however much others have, with and without statistics', async () => {
  const before: number[] = [];
  for (const work of works) before.push(await countBlocks(server, work));
  await sql`
    WITH added AS (
      INSERT INTO lineage_nodes (organization_id, id, kind, workspace_id)
      SELECT ${organizationId}::uuid, gen_random_uuid(), 'evaluation', ${workspaceId}::uuid FROM generate_series(1, ${OTHERS}::integer)
      RETURNING id)
    INSERT INTO lineage_edges (organization_id, child_id, parent_id, relation)
    SELECT ${organizationId}::uuid, id, gen_random_uuid(), 'run' FROM added`.execute(db);
  for (const isAnalyzed of [false, true]) {
    if (isAnalyzed) await sql`ANALYZE lineage_nodes, lineage_edges`.execute(db);
    for (const [index, work] of works.entries()) {
      // An index of 50,000 more rows is one or two levels deeper.
      const most = (before[index] ?? 0) * 3;
      expect(await countBlocks(server, work)).toBeLessThan(most);
      for (const { blocks } of await explainGenericWork(server, work)) expect(blocks).toBeLessThan(most);
      for (const plan of await explainWork(server, work)) expect(plan).not.toMatch(/Seq Scan on lineage_/);
    }
  }
});
