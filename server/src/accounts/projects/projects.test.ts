import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';

const server = await startTestServer();
const { owner } = server;
const reader = await server.addPerson('reader', { role: 'member', workspaceRole: 'reader' });

test('a project is created, read by key and by UUID, changed and deleted', async () => {
  const created = await server
    .as(owner)
    .post('/org/main/ws/main/projects', { name: 'Café Run', description: 'x' });
  expect(created).toMatchObject({
    status: 201,
    body: { key: 'cafe-run', name: 'Café Run', is_default: false },
  });
  const byId = await server.as(reader).get(`/org/main/ws/main/projects/${created.body.id}`);
  const byKey = await server.as(reader).get('/org/main/ws/main/projects/cafe-run');
  expect(byId.body).toEqual(created.body);
  expect(byKey.body).toEqual(created.body);

  const changed = await server.as(owner).patch('/org/main/ws/main/projects/cafe-run', { description: null });
  expect(changed).toMatchObject({ status: 200, body: { name: 'Café Run', description: null } });
  expect(await server.as(owner).delete('/org/main/ws/main/projects/cafe-run')).toMatchObject({
    status: 204,
    body: '',
  });
  expect(await server.as(owner).get('/org/main/ws/main/projects/cafe-run')).toMatchObject({
    status: 404,
    body: { code: 404, type: 'not_found_error' },
  });
});

test('a project key is unique, and the default project cannot be deleted', async () => {
  expect((await server.as(owner).post('/org/main/ws/main/projects', { name: 'a', key: 'one' })).status).toBe(
    201,
  );
  expect(await server.as(owner).post('/org/main/ws/main/projects', { name: 'b', key: 'one' })).toMatchObject({
    status: 409,
    body: { type: 'already_exists_error' },
  });
  expect(await server.as(owner).delete('/org/main/ws/main/projects/default')).toMatchObject({
    status: 409,
    body: { type: 'conflict_error' },
  });
});

test.each([
  [{ name: 'a', key: 'Not a slug' }, ['body', 'key']],
  [{ name: 'a', key: '00000000-0000-0000-0000-000000000000' }, ['body', 'key']],
  [{ name: '!!!' }, ['body', 'key']],
  [{ name: ' ' }, ['body', 'name']],
  [{ key: 'a' }, ['body', 'name']],
  [{ name: 'x'.repeat(256) }, ['body', 'name']],
])('creating a project with %o is refused with an error at %o', async (body, loc) => {
  const response = await server.as(owner).post('/org/main/ws/main/projects', body);
  expect(response).toMatchObject({ status: 422, body: { type: 'validation_error', errors: [{ loc }] } });
});

test('a reader can read projects but not change them', async () => {
  expect(
    (await server.as(reader).get('/org/main/ws/main/projects')).body.map((p: { key: string }) => p.key),
  ).toContain('default');
  expect(await server.as(reader).post('/org/main/ws/main/projects', { name: 'no' })).toMatchObject({
    status: 403,
  });
});
