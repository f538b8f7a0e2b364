/** Two processes on one database: stale caches of one process must not cause lasting effects. */
import { afterAll, expect, test } from 'vitest';
import { FIRST_START } from '../../test/first-start.ts';
import { createClient, SECRET_KEY, startTestServer } from '../../test/harness.ts';
import { buildApp } from '../app.ts';
import { loadConfig } from '../config.ts';
import { connect } from '../platform/db/connect.ts';
import { createLog } from '../platform/log.ts';

const here = await startTestServer();
const { owner } = here;
const log = createLog('fatal');
const db = connect({ url: here.url, poolSize: 4, namedStatements: true, log });
const there = await buildApp({
  config: loadConfig({}),
  secretKey: SECRET_KEY,
  db,
  storage: here.storage,
  log,
});
afterAll(async () => {
  await there.close();
  await db.destroy();
});

test('an owner who was demoted in another process cannot restore their own role', async () => {
  const { id, key } = await here.addPerson('eve', { role: 'owner' });
  const eve = createClient(() => there, key);
  expect((await eve.get('/org/main')).status).toBe(200);
  expect((await here.as(owner).patch(`/org/main/members/${id}`, { role: 'member' })).status).toBe(200);
  expect(await eve.patch(`/org/main/members/${id}`, { role: 'owner' })).toMatchObject({ status: 403 });
  expect(await eve.post('/org/main/invitations', { email_address: 'a@b', role: 'member' })).toMatchObject({
    status: 403,
  });
});

test('an admin who was removed in another process cannot add members', async () => {
  const { id, key } = await here.addPerson('mallory', { role: 'admin' });
  await here.addPerson('accomplice');
  const mallory = createClient(() => there, key);
  expect((await mallory.get('/org/main')).status).toBe(200);
  expect((await here.as(owner).delete(`/org/main/members/${id}`)).status).toBe(204);
  expect(await mallory.post('/org/main/members', { user: 'accomplice' })).toMatchObject({ status: 403 });
});

test('a workspace that was deleted in another process returns 404 for all requests', async () => {
  const { body: workspace } = await here.as(owner).post('/org/main/ws', { name: 'gone' });
  const client = createClient(() => there, owner.key);
  expect((await client.get('/org/main/ws/gone')).status).toBe(200);
  expect((await here.as(owner).delete('/org/main/ws/gone')).status).toBe(204);
  const notFound = { status: 404, body: { type: 'not_found_error' } };
  expect(await client.post('/org/main/ws/gone/projects', { name: 'x' })).toMatchObject(notFound);
  expect(await client.put(`/org/main/ws/gone/members/${owner.id}`, { role: 'admin' })).toMatchObject(
    notFound,
  );
  expect(await client.patch('/org/main/ws/gone', { name: 'x' })).toMatchObject(notFound);
  expect(await client.delete('/org/main/ws/gone')).toMatchObject(notFound);
  expect(await client.post('/user/api-keys', { name: 'x', workspace_id: workspace.id })).toMatchObject({
    status: 422,
  });
});

test('two concurrent deletions of a project: one succeeds', async () => {
  await here.as(owner).post('/org/main/ws/main/projects', { name: 'twice' });
  const deletions = [here.as(owner), createClient(() => there, owner.key)].map((c) =>
    c.delete('/org/main/ws/main/projects/twice'),
  );
  const statuses = (await Promise.all(deletions)).map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([204, 404]);
});

test('an admin who was demoted in another process cannot list themselves in a restricted workspace', async () => {
  const { id, key } = await here.addPerson('trent', { role: 'admin' });
  await here.as(owner).post('/org/main/ws', { name: 'vault', is_restricted: true });
  const trent = createClient(() => there, key);
  expect((await trent.get('/org/main/ws/vault')).status).toBe(200);
  await here.as(owner).patch(`/org/main/members/${id}`, { role: 'member' });
  // 404 if the other process no longer caches that trent could see the workspace.
  const { status } = await trent.put(`/org/main/ws/vault/members/${id}`, { role: 'admin' });
  expect([403, 404]).toContain(status);
});

test('a key that was deleted in another process cannot create keys', async () => {
  const { body } = await here.as(owner).post('/user/api-keys', { name: 'short-lived' });
  const client = createClient(() => there, body.key);
  expect((await client.get('/user')).status).toBe(200);
  expect((await here.as(owner).delete(`/user/api-keys/${body.id}`)).status).toBe(204);
  expect(await client.post('/user/api-keys', { name: 'heir' })).toMatchObject({ status: 401 });
});

test('a key that was deleted in another process cannot approve a device code', async () => {
  const { body } = await here.as(owner).post('/user/api-keys', { name: 'short-lived' });
  const { user_code, device_code } = (await here.as(undefined).post('/auth/device/code')).body;
  const client = createClient(() => there, body.key);
  expect((await client.get('/user')).status).toBe(200);
  expect((await here.as(owner).delete(`/user/api-keys/${body.id}`)).status).toBe(204);
  expect(await client.post('/auth/device/approve', { user_code })).toMatchObject({ status: 401 });
  expect((await here.as(undefined).get(`/auth/device/code/${device_code}`)).body.completed).toBe(false);
});

test('a login that was ended in another process cannot approve a device code', async () => {
  const credentials = { email_address: owner.email, password: FIRST_START.password };
  const { access_token, refresh_token } = (await here.as(undefined).post('/auth/login', credentials)).body;
  const { user_code } = (await here.as(undefined).post('/auth/device/code')).body;
  const client = createClient(() => there, access_token);
  expect((await client.get('/user')).status).toBe(200);
  expect((await here.as(undefined).post('/auth/logout', { refresh_token })).status).toBe(200);
  expect(await client.post('/auth/device/approve', { user_code })).toMatchObject({ status: 401 });
});

test("the second of two concurrent password changes must give the first one's password", async () => {
  const change = (password: string) => ({ password, current_password: 'correct horse battery staple' });
  const responses = await Promise.all([
    here.as(owner).patch('/user', change('the first new one')),
    createClient(() => there, owner.key).patch('/user', change('the second new one')),
  ]);
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422]);
});
