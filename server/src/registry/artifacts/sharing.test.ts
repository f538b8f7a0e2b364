/** Visibility of shared artifacts to other organizations: in lists, by name and in references, before and after sharing ends. */
import { expect, test } from 'vitest';
import { insertArtifact } from '../../../test/artifact-rows.ts';
import { bundle } from '../../../test/bundles.ts';
import { startTestServer } from '../../../test/harness.ts';
import { addOrganization, findOrganizationId } from '../../../test/other-organization.ts';
import { KINDS, type Kind, PLURALS } from '../kinds.ts';

const server = await startTestServer();
const { owner, db } = server;
const member = await server.addPerson('mia', { role: 'member' });
const colleague = await server.addPerson('colin', { role: 'member' });
const outsider = await server.addPerson('otto');
const closer = await server.addPerson('cleo');
const main = await findOrganizationId(server, 'main');
await addOrganization(server, outsider, 'acme');
const closed = await addOrganization(server, closer, 'closed');
await db.updateTable('organizations').set({ is_active: false }).where('id', '=', closed).execute();

const add = (kind: Kind, name: string, isPublic = false, organizationId = main) =>
  insertArtifact(db, {
    organizationId,
    createdBy: member.id,
    kind,
    name,
    isPublic,
    versions: [{ version: '1.0.0' }, { version: '2.0.0' }],
  });

/** Lists what the other organization sees, without its own artifacts. */
async function listed(kind: Kind): Promise<string[]> {
  const { body } = await server.as(outsider).get(`/org/acme/${PLURALS[kind]}?include_public=true`);
  expect(body.total).toBe(body[PLURALS[kind]].length);
  return body[PLURALS[kind]].map(({ name }: { name: string }) => name);
}

const entryOf = (kind: Kind, id: string) => ({ kind, organization_id: main, id });

test.each(KINDS)(
  'a %s appears in the lists of other organizations while it is public and has a version',
  async (kind) => {
    const { id } = await add(kind, 'shared');
    const path = `/org/main/${PLURALS[kind]}/shared`;
    const as = server.as(member);
    const publish = (is_public: boolean) => as.patch(`${path}/visibility`, { is_public });
    expect(await listed(kind)).toEqual([]);
    await publish(true);
    expect(await listed(kind)).toEqual(['main/shared']);
    await publish(false);
    expect(await listed(kind)).toEqual([]);
    await publish(true);
    await as.delete(`${path}/2.0.0`);
    expect(await listed(kind)).toEqual(['main/shared']);
    await as.delete(`${path}/1.0.0`);
    expect(await listed(kind)).toEqual([]);
    expect(await db.selectFrom('public_catalogue').select('kind').where('id', '=', id).execute()).toEqual([]);
  },
);

test.each(KINDS)('a stale entry of the catalogue does not reveal a %s', async (kind) => {
  const hidden = await add(kind, 'hidden');
  const gone = await add(kind, 'gone', true);
  for (const version of ['1.0.0', '2.0.0'])
    await server.as(member).delete(`/org/main/${PLURALS[kind]}/gone/${version}`);
  await db
    .updateTable('artifacts')
    .set({ is_public: true })
    .where('organization_id', '=', main)
    .where('id', '=', gone.id)
    .execute();
  await db
    .insertInto('public_catalogue')
    .values([entryOf(kind, hidden.id), entryOf(kind, gone.id)])
    .execute();
  expect(await listed(kind)).toEqual([]);
});

test.each(KINDS)('a closed organization does not share a %s', async (kind) => {
  await add(kind, 'closed-one', true, closed);
  const plural = PLURALS[kind];
  expect(await listed(kind)).toEqual([]);
  const byName = '?include_public=true&name=closed/closed-one';
  expect((await server.as(outsider).get(`/org/acme/${plural}${byName}`)).body.total).toBe(0);
  for (const path of [
    `/org/acme/${plural}/closed%2Fclosed-one`,
    `/org/acme/${plural}/closed%2Fclosed-one/1.0.0`,
    `/org/closed/${plural}/closed-one`,
    `/org/closed/${plural}/closed-one/versions`,
    `/org/closed/${plural}/closed-one/1.0.0/files`,
  ]) {
    // The response is the same for outsiders and for its own members.
    for (const person of [outsider, closer]) expect((await server.as(person).get(path)).status).toBe(404);
  }
});

test('publishing to a name that lost all versions starts over: private, and owned by the new publisher', async () => {
  const path = '/org/main/models/again';
  const put = (who: typeof owner, version: string) =>
    server.as(who).put(`${path}/${version}`, bundle({ 'model.yaml': `summary: ${version}\n` }));
  const show = (who: typeof owner, is_public: boolean) =>
    server.as(who).patch(`${path}/visibility`, { is_public });
  await put(member, '1.0.0');
  await put(colleague, '1.1.0');
  await show(member, true);
  await server.as(member).delete(`${path}/1.0.0`);
  expect((await server.as(outsider).get(path)).body).toMatchObject({ version: '1.1.0', is_public: true });
  expect((await show(colleague, false)).status).toBe(403);
  await server.as(member).delete(`${path}/1.1.0`);

  expect((await put(colleague, '2.0.0')).body).toMatchObject({ is_public: false, version_count: 1 });
  expect((await server.as(outsider).get(path)).status).toBe(404);
  expect(await listed('model')).toEqual([]);
  expect((await show(member, true)).status).toBe(403);
  expect((await server.as(member).delete(`${path}/2.0.0`)).status).toBe(403);
  const mine = async (who: typeof owner) =>
    (await server.as(who).get('/org/main/models?mine=true&name=again')).body.total;
  expect([await mine(member), await mine(colleague)]).toEqual([0, 1]);
  expect((await show(colleague, true)).status).toBe(200);

  const { body } = await server.as(owner).get('/org/main/audit-log?action=model.version_deleted');
  const entries = body.items.filter(({ before }: { before: { name: string } }) => before.name === 'again');
  expect(entries).toMatchObject([
    { before: { version: '1.1.0', is_public: true }, after: { name: 'again', is_public: false } },
    { before: { version: '1.0.0', is_public: true }, after: null },
  ]);
});

test("outsiders read public artifacts only through the owner's path", async () => {
  await add('model', 'open', true);
  const statuses = async (who: typeof owner, paths: string[]) =>
    Promise.all(paths.map(async (path) => (await server.as(who).get(path)).status));
  const paths = ['', '/versions', '/2.0.0', '/2.0.0/files'];
  const below = (place: string) => paths.map((path) => `/org/${place}${path}`);
  expect(await statuses(outsider, below('acme/models/main%2Fopen'))).toEqual([200, 200, 200, 200]);
  expect(await statuses(outsider, below('main/models/main%2Fopen'))).toEqual([200, 200, 200, 200]);
  expect(await statuses(member, below('acme/models/main%2Fopen'))).toEqual([404, 404, 404, 404]);
  expect(await statuses(outsider, below('nowhere/models/main%2Fopen'))).toEqual([404, 404, 404, 404]);
  expect(await statuses(outsider, below('closed/models/main%2Fopen'))).toEqual([404, 404, 404, 404]);
});
