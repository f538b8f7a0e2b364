import { expect, test } from 'vitest';
import { insertArtifact } from '../../../test/artifact-rows.ts';
import { startTestServer } from '../../../test/harness.ts';

const server = await startTestServer();
const { owner, db } = server;
const member = await server.addPerson('member', { role: 'member' });
const outsider = await server.addPerson('outsider');
const { id: organizationId } = (await server.as(owner).get('/org/main')).body;

let count = 0;

async function add(versions: readonly string[], isPublic = false) {
  const name = `model-${++count}`;
  const rows = versions.map((version) => ({ version }));
  const artifact = {
    organizationId,
    createdBy: owner.id,
    kind: 'model',
    name,
    isPublic,
    versions: rows,
  } as const;
  return { path: `/org/main/models/${name}`, name, ...(await insertArtifact(db, artifact)) };
}

const audited = async () => (await server.as(owner).get('/org/main/audit-log')).body.items;

test('an alias stands for its version in every read of the model until it is moved', async () => {
  const { path, name, id, versionIds } = await add(['1.0.0', '2.0.0'], true);
  const before = (await server.as(member).get(path)).body;
  const set = await server.as(member).put(`${path}/aliases/production`, { version: '1.0.0' });
  expect(set).toMatchObject({
    status: 200,
    body: {
      id: versionIds[0],
      version: '1.0.0',
      aliases: ['production'],
      alias_versions: { production: '1.0.0' },
    },
  });
  expect(set.body.updated_at > before.updated_at).toBe(true);
  expect((await server.as(outsider).get(`${path}/production`)).body).toEqual({
    ...set.body,
    created_by_user: null,
  });
  expect((await server.as(outsider).get(`${path}/production/files`)).status).toBe(200);

  await server.as(member).put(`${path}/aliases/canary`, { version: '2.0.0' });
  const moved = await server.as(member).put(`${path}/aliases/production`, { version: '2.0.0+build' });
  expect(moved.body).toMatchObject({
    version: '2.0.0',
    alias_versions: { canary: '2.0.0', production: '2.0.0' },
  });
  const { models } = (await server.as(member).get(`/org/main/models?name=${name}`)).body;
  expect(models).toMatchObject([{ version: '2.0.0', aliases: ['canary', 'production'] }]);
  const { items } = (await server.as(member).get(`${path}/versions`)).body;
  expect(items).toMatchObject([
    { version: '2.0.0', aliases: ['canary', 'production'] },
    { version: '1.0.0', aliases: [] },
  ]);
  const resource = `models/${id}`;
  expect((await audited()).slice(0, 3)).toMatchObject([
    {
      action: 'model.alias_set',
      resource,
      before: { name, alias: 'production', version: '1.0.0' },
      after: { name, alias: 'production', version: '2.0.0' },
    },
    { action: 'model.alias_set', resource, before: null, after: { name, alias: 'canary', version: '2.0.0' } },
    {
      action: 'model.alias_set',
      resource,
      before: null,
      after: { name, alias: 'production', version: '1.0.0' },
    },
  ]);
});

test('a deleted alias is not found', async () => {
  const { path, name, id } = await add(['1.0.0']);
  await server.as(member).put(`${path}/aliases/best`, { version: '1.0.0' });
  expect((await server.as(member).delete(`${path}/aliases/best`)).status).toBe(204);
  expect((await audited())[0]).toMatchObject({
    action: 'model.alias_deleted',
    resource: `models/${id}`,
    before: { name, alias: 'best', version: '1.0.0' },
  });
  expect(await server.as(member).delete(`${path}/aliases/best`)).toMatchObject({
    status: 404,
    body: { detail: 'Alias "best" was not found.' },
  });
  expect(await server.as(member).get(`${path}/best`)).toMatchObject({
    status: 404,
    body: { detail: `Model "${name}@best" was not found.` },
  });
});

test('deletion of a version deletes its aliases', async () => {
  const { path } = await add(['1.0.0', '2.0.0']);
  await server.as(member).put(`${path}/aliases/best`, { version: '2.0.0' });
  expect((await server.as(owner).delete(`${path}/2.0.0`)).status).toBe(204);
  expect((await server.as(member).get(path)).body).toMatchObject({ version: '1.0.0', aliases: [] });
  expect((await server.as(member).get(`${path}/best`)).status).toBe(404);
});

test.each([
  'latest',
  'versions',
  '1',
  'v1',
  'v1.0',
  '1.0.0',
  '1.0.0-rc.1',
  '1.x',
  'Best',
  '-a',
  'a%20b',
  'a%2Fb',
])('setAlias refuses the alias %s', async (alias) => {
  const { path } = await add(['1.0.0']);
  const response = await server.as(member).put(`${path}/aliases/${alias}`, { version: '1.0.0' });
  expect(response).toMatchObject({ status: 422, body: { errors: [{ loc: ['path', 'alias'] }] } });
});

test.each([{}, { version: 'latest' }, { version: '^1.0.0' }, { version: '3.0.0' }])(
  'setAlias refuses the version %o',
  async (body) => {
    const { path } = await add(['1.0.0']);
    const response = await server.as(member).put(`${path}/aliases/best`, body);
    expect(response).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'version'] }] } });
  },
);

test('a model has at most a hundred aliases, and existing ones can still be moved', async () => {
  const { path, id, versionIds } = await add(['1.0.0']);
  const rows = Array.from({ length: 100 }, (_, index) => ({
    organization_id: organizationId,
    artifact_id: id,
    alias: `alias-${index}`,
    version_id: versionIds[0] ?? '',
  }));
  await db.insertInto('artifact_aliases').values(rows).execute();
  const more = await server.as(member).put(`${path}/aliases/one-more`, { version: '1.0.0' });
  expect(more).toMatchObject({ status: 409, body: { type: 'conflict_error' } });
  expect((await server.as(member).put(`${path}/aliases/alias-7`, { version: '1.0.0' })).status).toBe(200);
});

test('outsiders cannot set aliases of private or public models', async () => {
  for (const isPublic of [true, false]) {
    const { path } = await add(['1.0.0'], isPublic);
    expect((await server.as(outsider).put(`${path}/aliases/best`, { version: '1.0.0' })).status).toBe(403);
    expect((await server.as(outsider).delete(`${path}/aliases/best`)).status).toBe(403);
  }
  const unknown = await server.as(member).put('/org/main/models/nothing/aliases/best', { version: '1.0.0' });
  expect(unknown).toMatchObject({ status: 404, body: { detail: 'Model "nothing" was not found.' } });
});
