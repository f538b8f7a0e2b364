/** Many queries of one organization do not delay others, and the work of disconnected clients stops. */
import { expect, test } from 'vitest';
import { findQueryProcesses } from '../../../test/descendants.ts';
import { type Person, startTestServer } from '../../../test/harness.ts';
import { addOrganization } from '../../../test/other-organization.ts';
import { until } from '../../../test/processes.ts';

const ENDLESS = 'SELECT count(*) AS count FROM range(100000000000000) AS t(n) WHERE hash(n) = 1';

const server = await startTestServer();
const { owner, as } = server;
const stranger = await server.addPerson('stranger');
await addOrganization(server, stranger, 'other');
const [{ key: workspace }] = (await as(stranger).get('/org/other/ws')).body;
const origin = await server.app.listen({ host: '127.0.0.1', port: 0 });

const ask = (who: Person, place: string, query: string, signal?: AbortSignal) =>
  fetch(`${origin}/api/v1${place}/query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${who.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
    ...(signal && { signal }),
  });

test('an organization has two turns, others run in the meantime, and callers that wait too long get Retry-After', {
  timeout: 90_000,
}, async () => {
  const leaving = new AbortController();
  const busy = [1, 2].map(() => ask(owner, '/org/main/ws/main', ENDLESS, leaving.signal).catch(() => 'left'));
  await until('both are at work', () => findQueryProcesses(process.pid).length >= 2);
  const third = ask(owner, '/org/main/ws/main', 'SELECT 1 AS one');
  const other = await ask(stranger, `/org/other/ws/${workspace}`, 'SELECT 1 AS one');
  expect([other.status, await other.json()]).toMatchObject([200, { rows: [[1]] }]);
  const refused = await third;
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(await refused.json()).toMatchObject({
    type: 'usage_limit_exceeded_error',
    detail: 'Too many queries are running. Try again in a moment.',
  });
  leaving.abort();
  expect(await Promise.all(busy)).toEqual(['left', 'left']);
  await until('nothing is done for them any more', () => findQueryProcesses(process.pid).length === 0, 3_000);
  const next = await ask(owner, '/org/main/ws/main', 'SELECT 2 AS two');
  expect(next.status).toBe(200);
});

test('a query that takes longer than 30 s is refused with advice', { timeout: 90_000 }, async () => {
  const started = performance.now();
  const response = await as(owner).post('/org/main/ws/main/query', { query: ENDLESS });
  expect(response).toMatchObject({
    status: 422,
    body: { errors: [{ loc: ['body', 'query'], msg: expect.stringMatching(/30 s.*export/) }] },
  });
  expect(performance.now() - started).toBeLessThan(35_000);
  expect(findQueryProcesses(process.pid)).toEqual([]);
});
