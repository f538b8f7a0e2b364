import { expect, test } from 'vitest';
import { startAirtWorld } from '../../../test/airt-world.ts';
import { findOrganizationId } from '../../../test/other-organization.ts';
import { countBlocks } from '../../../test/query-plans.ts';
import { TrialListQuery } from './schema.ts';
import { listTrials } from './store.ts';

const world = await startAirtWorld();
const { me, server } = world;

test('listTrials reads few blocks for a page of 100 when its tables have no statistics', async () => {
  const assessment = await world.run({
    attack_manifest: ['baseline', 'skeleton_key', 'many_shot'].map((attack) => ({
      attack,
      goal_category: 'credential_leak',
      trials: 10,
      params: { exhaustive: true },
    })),
  });
  const organizationId = await findOrganizationId(server, 'main');
  const { id: workspaceId } = (await me.get('/org/main/ws/main')).body;
  const place = { organizationId, workspaceId };
  const query = TrialListQuery.parse({ page_size: 100 });
  expect((await listTrials(server.db, place, assessment.id, query)).items).toHaveLength(100);
  const blocks = await countBlocks(server, (db) => listTrials(db, place, assessment.id, query));
  // About 7,000; 573,000 when the trials are ranked again for every row.
  expect(blocks).toBeLessThan(40_000);
});
