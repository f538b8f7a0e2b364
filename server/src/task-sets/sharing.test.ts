/** Visibility of shared task sets to other organizations, before and after sharing ends. */
import { expect, test } from 'vitest';
import { insertArtifact } from '../../test/artifact-rows.ts';
import { startTestServer } from '../../test/harness.ts';
import { addOrganization, findOrganizationId } from '../../test/other-organization.ts';

const server = await startTestServer();
const { owner, db } = server;
const outsider = await server.addPerson('otto');
const closer = await server.addPerson('cleo');
const reader = await server.addPerson('rita', { role: 'member' });
await addOrganization(server, outsider, 'acme');
const closed = await addOrganization(server, closer, 'closed');

async function listed(query = ''): Promise<string[]> {
  const { body } = await server.as(outsider).get(`/org/acme/task-sets?include_public=true${query}`);
  expect(body.total).toBe(body.task_sets.length);
  return body.task_sets.map(({ name }: { name: string }) => name);
}

test('a set appears in the lists of other organizations while it is public', async () => {
  const as = server.as(owner);
  const path = '/org/main/task-sets/shared';
  const publish = (is_public: boolean) => as.patch(`${path}/visibility`, { is_public });
  await as.post('/org/main/task-sets', { name: 'shared', members: ['a'] });
  expect(await listed()).toEqual([]);
  await publish(true);
  expect(await listed()).toEqual(['shared']);
  await publish(false);
  expect(await listed()).toEqual([]);
  await publish(true);
  await as.put(path, { members: ['b'] });
  expect([await listed(), await listed('&contains=a'), await listed('&contains=b')]).toEqual([
    ['shared'],
    [],
    ['shared'],
  ]);
  await as.delete(path);
  expect(await listed()).toEqual([]);
  expect(await db.selectFrom('public_catalogue').select('kind').execute()).toEqual([]);

  await as.post('/org/main/task-sets', { name: 'at-once', members: [], is_public: true });
  expect(await listed()).toEqual(['at-once']);
  await as.delete('/org/main/task-sets/at-once');
});

test('a stale entry of the catalogue does not reveal a set', async () => {
  const { body } = await server.as(owner).post('/org/main/task-sets', { name: 'hidden', members: [] });
  const entry = {
    kind: 'task_set' as const,
    organization_id: await findOrganizationId(server, 'main'),
    id: body.id,
  };
  await db.insertInto('public_catalogue').values(entry).execute();
  expect(await listed()).toEqual([]);
});

test('a closed organization shares no sets, and no tasks of its sets', async () => {
  await insertArtifact(db, {
    organizationId: closed,
    createdBy: closer.id,
    kind: 'task',
    name: 'task',
    isPublic: true,
    versions: [{ version: '1.0.0' }],
  });
  const set = { name: 'of-closed', members: ['closed/task'], is_public: true };
  await server.as(closer).post('/org/closed/task-sets', set);
  await server.as(owner).post('/org/main/task-sets', { ...set, name: 'of-main', is_public: false });
  const memberOf = async (person: typeof owner) =>
    (await server.as(person).get('/org/main/task-sets/of-main')).body.members[0];
  expect(await listed()).toEqual(['of-closed']);
  expect(await memberOf(owner)).toMatchObject({ resolved_version: '1.0.0' });

  await db.updateTable('organizations').set({ is_active: false }).where('id', '=', closed).execute();
  expect([await listed(), await listed('&contains=closed/task'), await listed('&search=closed')]).toEqual([
    [],
    [],
    [],
  ]);
  expect((await server.as(reader).get('/org/closed/task-sets/of-closed')).status).toBe(404);
  expect(await memberOf(owner)).toMatchObject({ resolved_version: null, unresolvable_reason: 'not_found' });
});
