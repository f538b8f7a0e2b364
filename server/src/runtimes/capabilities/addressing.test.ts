/** Resolution of runtimes and bindings, and the order of errors when several things are wrong. */
import { beforeAll, expect, test } from 'vitest';
import { publishCapability } from '../../../test/capabilities.ts';
import { startTestServer } from '../../../test/harness.ts';

const server = await startTestServer();
const main = server.as(server.owner);
const mia = await server.addPerson('mia', { role: 'member' });
const RUNTIMES = '/org/main/ws/main/runtimes';
const ids: string[] = [];

beforeAll(async () => {
  await publishCapability(main, { name: 'kit', manifest: 'flags: {deep: {}}\n' });
  for (const key of ['first', 'second']) {
    const { status, body } = await main.post(RUNTIMES, { key });
    expect(status).toBe(201);
    ids.push(body.id);
  }
});

test('a runtime is found by its id and by its key', async () => {
  const path = `${RUNTIMES}/${ids[0]}/capabilities`;
  const { status, body } = await main.post(path, { name: 'kit' });
  expect([status, body.flags]).toEqual([201, { deep: false }]);
  expect((await main.get(`${RUNTIMES}/first/capabilities`)).body).toEqual([body]);
  const changed = await main.patch(`${path}/${body.id}`, { flags: { deep: true } });
  expect([changed.status, changed.body.flags]).toEqual([200, { deep: true }]);
  expect((await main.delete(`${path}/${body.id}`)).status).toBe(204);
  expect((await main.get(path)).body).toEqual([]);
});

test('a binding is found only through its own runtime', async () => {
  const { body } = await main.post(`${RUNTIMES}/first/capabilities`, { name: 'kit' });
  for (const other of ['second', ids[1]]) {
    const path = `${RUNTIMES}/${other}/capabilities/${body.id}`;
    for (const response of [
      await main.patch(path, { flags: { deep: true } }),
      await main.delete(path),
      await main.get(`${path}/mcp-servers`),
    ])
      expect(response).toMatchObject({ status: 404, body: { type: 'not_found_error' } });
  }
  expect((await main.get(`${RUNTIMES}/first/capabilities`)).body).toEqual([body]);
  expect((await main.delete(`${RUNTIMES}/first/capabilities/${body.id}`)).status).toBe(204);
});

test('an invalid request returns 422 before missing ownership returns 403, and that comes before 404', async () => {
  const path = `${RUNTIMES}/first/capabilities`;
  const ask = (body: object) => server.as(mia).post(path, body);
  expect((await ask({})).status).toBe(422);
  expect((await ask({ name: 'nowhere' })).status).toBe(403);
  expect((await ask({ name: 'kit' })).status).toBe(403);
  expect((await main.post(path, { name: 'nowhere' })).status).toBe(404);
});
