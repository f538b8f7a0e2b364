import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { FIRST_START } from '../../../test/first-start.ts';
import { type Person, startTestServer, type TestResponse, type TestServer } from '../../../test/harness.ts';

const LIMITS = {
  DRYDOCK_RATE_LIMIT_READ: '5',
  DRYDOCK_RATE_LIMIT_WRITE: '3',
  DRYDOCK_RATE_LIMIT_INGEST: '5',
};

const server = await startTestServer({ ...LIMITS, DRYDOCK_TRUSTED_PROXIES: '127.0.0.1' });
let person: Person;
let count = 0;

beforeEach(async () => {
  person = await server.addPerson(`person-${count++}`, { role: 'member' });
});

const read = (who: Person | string = person) => server.as(who).get('/user/limits');
const write = (who: Person | string = person) => server.as(who).post('/org/main/ws/main/projects', {});

async function times(number: number, send: () => Promise<TestResponse>): Promise<TestResponse[]> {
  const responses: TestResponse[] = [];
  for (let i = 0; i < number; i++) responses.push(await send());
  return responses;
}

const statuses = (responses: TestResponse[]) => responses.map(({ status }) => status);

test('the first requests of a minute are accepted, and every further one is refused until later', async () => {
  const responses = await times(7, read);
  expect(statuses(responses)).toEqual([200, 200, 200, 200, 200, 429, 429]);
  for (const { body, headers } of responses.slice(5)) {
    expect(body).toEqual({
      code: 429,
      type: 'usage_limit_exceeded_error',
      detail: expect.stringMatching(/^More than 5 read requests a minute; try again in \d+ s\.$/),
    });
    expect(headers['ratelimit-limit']).toBe('5');
    expect(headers['ratelimit-remaining']).toBe('0');
    expect(Number(headers['ratelimit-reset'])).toBeGreaterThan(50);
    expect(Number(headers['retry-after'])).toBeGreaterThan(55);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(61);
  }
});

test('every response reports the limit and what remains of it', async () => {
  const responses = await times(3, read);
  expect(responses.map(({ headers }) => headers['ratelimit-limit'])).toEqual(['5', '5', '5']);
  expect(responses.map(({ headers }) => headers['ratelimit-remaining'])).toEqual(['4', '3', '2']);
  for (const { headers } of responses) {
    expect(Number(headers['ratelimit-reset'])).toBeGreaterThan(50);
    expect(Number(headers['ratelimit-reset'])).toBeLessThanOrEqual(60);
    expect(headers).not.toHaveProperty('retry-after');
  }
  const refused = await write();
  expect(refused).toMatchObject({
    status: 422,
    headers: { 'ratelimit-limit': '3', 'ratelimit-remaining': '2' },
  });
});

test('concurrent requests never exceed the limit', async () => {
  const responses = await Promise.all(Array.from({ length: 40 }, () => write()));
  expect(statuses(responses).filter((status) => status !== 429)).toEqual([422, 422, 422]);
});

test('a request with a body counts once', async () => {
  expect(statuses(await times(4, write))).toEqual([422, 422, 422, 429]);
});

test('reads and writes are counted apart', async () => {
  await times(4, write);
  expect((await read()).status).toBe(200);
});

test('keys are counted separately, also those of one user', async () => {
  const { body } = await server.as(person).post('/user/api-keys', { name: 'second' });
  await times(6, read);
  expect((await read()).status).toBe(429);
  expect((await read(body.key)).status).toBe(200);
});

test('the access tokens of one user are counted together', async () => {
  const { email: email_address, password } = FIRST_START;
  const logIn = () => server.as(undefined).post('/auth/login', { email_address, password });
  const [first, second] = [await logIn(), await logIn()].map(({ body }) => body.access_token as string);
  expect(statuses(await times(5, () => read(first)))).toEqual([200, 200, 200, 200, 200]);
  expect((await read(second)).status).toBe(429);
  expect((await read(server.owner)).status).toBe(200);
});

describe('a client without a credential', () => {
  const from = (address: string) =>
    server.as(undefined).post('/auth/logout', { refresh_token: 'unknown' }, { 'x-forwarded-for': address });

  test('is counted by its address, which a trusted proxy reports', async () => {
    expect(statuses(await times(4, () => from('203.0.113.1')))).toEqual([200, 200, 200, 429]);
    expect((await from('203.0.113.2')).status).toBe(200);
    expect((await from('198.51.100.9, 203.0.113.1')).status).toBe(429);
  });

  test('is counted by network for IPv6, and identically for every notation of IPv4', async () => {
    expect(statuses(await times(3, () => from(`2001:db8::${count++}`)))).toEqual([200, 200, 200]);
    expect((await from('2001:db8::ffff:1')).status).toBe(429);
    expect((await from('2001:db8:0:1::1')).status).toBe(200);
    await times(3, () => from('203.0.113.3'));
    expect((await from('::ffff:203.0.113.3')).status).toBe(429);
  });

  test('may query the health of the server without limit', async () => {
    const responses = await times(10, () => server.as(undefined).get('/health'));
    expect(new Set(statuses(responses))).toEqual(new Set([200]));
    expect(responses[0]?.headers).not.toHaveProperty('ratelimit-limit');
  });
});

test("a client's own claim about its address is ignored without a trusted proxy", async () => {
  const direct = await startTestServer(LIMITS);
  const responses = await times(4, () =>
    direct
      .as(undefined)
      .post('/auth/logout', { refresh_token: 'x' }, { 'x-forwarded-for': `203.0.113.${count++}` }),
  );
  expect(statuses(responses)).toEqual([200, 200, 200, 429]);
});

test('requests for unknown paths count too, after the caller is known', async () => {
  const lost = (who: Person | string) => server.as(who).get('/nothing');
  expect(statuses(await times(6, () => lost(person)))).toEqual([404, 404, 404, 404, 404, 429]);
  expect(statuses(await times(6, () => lost('nonsense')))).toEqual([401, 401, 401, 401, 401, 401]);
});

test('the checks come in their order: 401, 426, 429, 403, 422', async () => {
  const strict = await startTestServer({ ...LIMITS, DRYDOCK_MIN_CLIENT_VERSION: '1.0.0' });
  const outsider = await strict.addPerson('outsider');
  const post = (who: Person | string, version: string, org = 'main') =>
    strict.as(who).post(`/org/${org}/ws/main/projects`, { name: 1 }, { 'x-client-version': version });
  expect((await post('nonsense', '0.1.0')).status).toBe(401);
  // A client that is too old uses up no requests.
  expect(statuses(await times(5, () => post(outsider, '0.1.0')))).toEqual([426, 426, 426, 426, 426]);
  expect(statuses(await times(4, () => post(outsider, '1.0.0')))).toEqual([403, 403, 403, 429]);
  expect((await post(outsider, '0.1.0')).status).toBe(426);
  expect(statuses(await times(4, () => post(strict.owner, '1.0.0')))).toEqual([422, 422, 422, 429]);
  expect((await post(strict.owner, '1.0.0', 'nowhere')).status).toBe(429);
});

test('a client that waits for Retry-After is accepted', async () => {
  await times(3, write);
  expect((await write()).status).toBe(429);
  await age(server, person, 57);
  await sleep(1_000); // this process caches its own refusal for a second
  const refused = await write();
  const seconds = Number(refused.headers['retry-after']);
  expect(refused.status).toBe(429);
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(3);
  await sleep(seconds * 1_000);
  expect((await write()).status).toBe(422);
  expect(statuses(await times(3, write))).toEqual([422, 422, 429]);
});

async function age({ db }: TestServer, { id }: Person, seconds: number): Promise<void> {
  await sql`UPDATE rate_limits SET step_started_at = step_started_at - make_interval(secs => ${seconds})
             WHERE subject = 'key:' || (SELECT id FROM api_keys WHERE user_id = ${id})`.execute(db);
}

test('a refusal is cached for a second, so that a flood of requests does not reach the database', async () => {
  await times(4, write);
  await server.db.deleteFrom('rate_limits').execute();
  expect(statuses(await times(20, write)).every((status) => status === 429)).toBe(true);
  await sleep(1_000);
  expect((await write()).status).toBe(422);
});

test('a request fails when it cannot be counted, as when any other data cannot be read', async () => {
  const broken = await startTestServer(LIMITS);
  await sql`DROP TABLE rate_limits`.execute(broken.db);
  const responses = await Promise.all([1, 2, 3].map(() => broken.as(broken.owner).get('/user/limits')));
  expect(statuses(responses)).toEqual([500, 500, 500]);
});

test('a limit of 0 disables counting: no headers are sent and no rows written', async () => {
  const open = await startTestServer({ ...LIMITS, DRYDOCK_RATE_LIMIT_READ: '0' });
  const responses = await times(20, () => open.as(open.owner).get('/user/limits'));
  expect(new Set(statuses(responses))).toEqual(new Set([200]));
  expect(responses[0]?.headers).not.toHaveProperty('ratelimit-limit');
  expect(await open.db.selectFrom('rate_limits').select('subject').execute()).toEqual([]);
  expect((await open.as(open.owner).delete('/nothing')).headers).toHaveProperty('ratelimit-limit', '3');
});
