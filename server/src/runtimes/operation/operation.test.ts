/** Permissions for operations, and the resulting calls of the operator. The lifecycle tests cover their effects. */
import { beforeEach, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { startRecorded } from '../../../test/recorded-operator.ts';
import { uuidv7 } from '../../platform/uuid.ts';

const server = await startTestServer();
const { owner } = server;
const recorded = await startRecorded(server);
const mia = await server.addPerson('mia', { role: 'member' });
const ben = await server.addPerson('ben', { role: 'member' });
const path = '/org/main/ws/main/runtimes/mine';
const { created: _, ...runtime } = (await server.as(mia).post('/org/main/ws/main/runtimes', { key: 'mine' }))
  .body;

beforeEach(() => {
  recorded.asked.length = 0;
});

test.each([
  ['start', undefined, [{}]],
  [
    'start',
    { requested_runtime_limit_seconds: 60, secret_ids: null },
    [{ requested_runtime_limit_seconds: 60, secret_ids: null }],
  ],
  ['pause', undefined, ['user']],
  ['resume', undefined, []],
  ['reset', undefined, []],
])('%s with %o calls the operator and returns the runtime', async (verb, body, rest) => {
  expect(await recorded.as(mia).post(`${path}/${verb}`, body)).toMatchObject({ status: 200, body: runtime });
  expect(recorded.asked).toMatchObject([{ verb, runtimeId: runtime.id, actorId: mia.id }]);
  expect(recorded.asked[0]?.rest.filter((value) => value !== undefined)).toEqual(rest);
});

test('keepalive returns the new expiry', async () => {
  recorded.handlers.set('keepAlive', () => Promise.resolve('2030-01-01T00:00:00.000Z'));
  expect(await recorded.as(mia).post(`${path}/keepalive`, { extend_seconds: 60 })).toMatchObject({
    status: 200,
    body: { expires_at: '2030-01-01T00:00:00.000Z' },
  });
  expect(recorded.asked).toEqual([{ verb: 'keepAlive', runtimeId: runtime.id, actorId: mia.id, rest: [60] }]);
});

test('the owner can delete a runtime', async () => {
  expect((await recorded.as(mia).delete(path)).status).toBe(204);
  expect(recorded.asked).toEqual([{ verb: 'delete', runtimeId: runtime.id, actorId: mia.id, rest: [] }]);
});

test.each<[string, object, string[]]>([
  ['start', { requested_runtime_limit_seconds: 59 }, ['requested_runtime_limit_seconds']],
  ['start', { secret_ids: ['x'] }, ['secret_ids']],
  ['keepalive', {}, ['extend_seconds']],
  ['keepalive', { extend_seconds: 59 }, ['extend_seconds']],
  ['keepalive', { extend_seconds: 3_601 }, ['extend_seconds']],
])('%s with %o is refused', async (verb, body, loc) => {
  const response = await recorded.as(mia).post(`${path}/${verb}`, body);
  expect(response).toMatchObject({ status: 422 });
  expect(response.body.errors[0].loc.slice(0, 2)).toEqual(['body', ...loc]);
  expect(recorded.asked).toEqual([]);
});

test.each(['start', 'pause', 'resume', 'reset', 'keepalive'])(
  '%s returns 403 to users other than the owner and 404 for unknown runtimes',
  async (verb) => {
    const body = { extend_seconds: 60 };
    for (const person of [ben, owner]) {
      expect(await recorded.as(person).post(`${path}/${verb}`, body)).toMatchObject({
        status: 403,
        body: { type: 'forbidden_error' },
      });
    }
    for (const name of ['nowhere', uuidv7()]) {
      expect(await recorded.as(mia).post(`/org/main/ws/main/runtimes/${name}/${verb}`, body)).toMatchObject({
        status: 404,
      });
    }
    expect(recorded.asked).toEqual([]);
  },
);
