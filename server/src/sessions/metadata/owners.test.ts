/** Sessions of users who leave, are suspended or rename themselves, and of API keys limited to one workspace. */
import { expect, test } from 'vitest';
import { type Person, startTestServer } from '../../../test/harness.ts';
import { uuidv7 } from '../../platform/uuid.ts';

const server = await startTestServer();
const { owner, db } = server;

const sessions = '/org/main/ws/main/sessions';
const get = (id: string, who: Person = owner) => server.as(who).get(`${sessions}/${id}`);

async function save(who: Person, body: object = {}) {
  const saved = await server.as(who).post(sessions, { id: uuidv7(), model: 'm', ...body });
  expect(saved.status).toBe(201);
  return saved.body;
}

test("leaving the organization keeps the shared sessions of the member, under the member's name", async () => {
  const leaver = await server.addPerson('leaver', { role: 'member' });
  const shared = await save(leaver, { visibility: 'workspace', agent: 'of-leaver' });
  const hidden = await save(leaver, { agent: 'of-leaver' });
  expect((await server.as(owner).delete(`/org/main/members/${leaver.id}`)).status).toBe(204);

  expect((await get(shared.id)).body).toEqual(shared);
  expect(shared.created_by).toEqual({
    id: leaver.id,
    username: 'leaver',
    email: leaver.email,
    full_name: null,
  });
  expect((await get(hidden.id)).status).toBe(404);
  for (const query of ['agent=of-leaver', 'user=leaver', `user_id=${leaver.id}`]) {
    const list = await server.as(owner).get(`${sessions}?${query}`);
    expect(list.body.sessions).toEqual([shared]);
    const facets = await server.as(owner).get(`${sessions}/facets?${query}`);
    expect(facets.body.users).toEqual([{ ...shared.created_by, count: 1 }]);
  }
  // Nobody can change the session any more, but an admin can archive it.
  expect((await server.as(owner).patch(`${sessions}/${shared.id}`, { title: 'x' })).status).toBe(403);
  expect((await server.as(owner).post(`${sessions}/${shared.id}/archive`)).status).toBe(200);
  expect((await server.as(owner).delete(`${sessions}/${shared.id}`)).status).toBe(204);
});

test('a former member loses access to their sessions and gets it back on return', async () => {
  const leaver = await server.addPerson('returner', { role: 'member' });
  const hidden = await save(leaver);
  await server.as(owner).delete(`/org/main/members/${leaver.id}`);
  await expect.poll(async () => (await get(hidden.id, leaver)).status).toBe(403);
  const back = { user: 'returner', role: 'member' };
  expect((await server.as(owner).post('/org/main/members', back)).status).toBe(201);
  await expect.poll(async () => (await get(hidden.id, leaver)).status).toBe(200);
  expect((await get(hidden.id, leaver)).body).toEqual(hidden);
});

test('shared sessions of a suspended user stay visible', async () => {
  const suspended = await server.addPerson('suspended', { role: 'member' });
  const shared = await save(suspended, { visibility: 'workspace' });
  const suspended_at = new Date().toISOString();
  await db.updateTable('users').set({ suspended_at }).where('id', '=', suspended.id).execute();
  expect((await get(shared.id)).body).toEqual(shared);
  await expect.poll(async () => (await get(shared.id, suspended)).body.type).toBe('user_suspended');
});

test('a session shows the current name of its owner', async () => {
  const person = await server.addPerson('before', { role: 'member' });
  const shared = await save(person, { visibility: 'workspace' });
  await db.updateTable('users').set({ username: 'after' }).where('id', '=', person.id).execute();
  expect((await get(shared.id)).body.created_by).toEqual({ ...shared.created_by, username: 'after' });
  expect((await server.as(owner).get(`${sessions}?user=before`)).body.total).toBe(0);
  expect((await server.as(owner).get(`${sessions}?user=after`)).body.total).toBe(1);
});

test('an API key for one workspace reaches no sessions of others, and a read-only key cannot save sessions', async () => {
  const { body: other } = await server.as(owner).post('/org/main/ws', { name: 'other' });
  const keyOf = async (limits: object) =>
    (await server.as(owner).post('/user/api-keys', { name: 'k', ...limits })).body.key as string;
  const saved = await save(owner);
  const elsewhere = await keyOf({ workspace_id: other.id });
  expect((await server.as(elsewhere).get(`${sessions}/${saved.id}`)).status).toBe(403);
  expect((await server.as(elsewhere).get(sessions)).status).toBe(403);
  expect((await server.as(elsewhere).post(sessions, { id: uuidv7(), model: 'm' })).status).toBe(403);
  const there = '/org/main/ws/other/sessions';
  expect((await server.as(elsewhere).get(`${there}/${saved.id}`)).status).toBe(404);
  expect((await server.as(elsewhere).post(there, { id: saved.id, model: 'm' })).status).toBe(409);

  const reading = await keyOf({ allowed_scopes: ['sessions:read'] });
  expect((await server.as(reading).get(`${sessions}/${saved.id}`)).body).toEqual(saved);
  expect((await server.as(reading).post(sessions, { id: saved.id, model: 'n' })).status).toBe(403);
  expect((await server.as(reading).delete(`${sessions}/${saved.id}`)).status).toBe(403);
});
