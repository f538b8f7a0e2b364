/** Two server processes on one PostgreSQL share each limit: together they accept as many requests as one would. */
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createDatabase, type TestDatabase } from './databases.ts';
import { call, type RunningServer, startServer, until } from './processes.ts';

const LIMIT = 600;
const CALLERS = 6;
const NOTHING = '/org/main/invitations/00000000-0000-7000-8000-000000000000';

let database: TestDatabase;
let servers: [RunningServer, RunningServer];
let ownerKey: string;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase(inject('databaseUrl'), 'template0');
  const environment = {
    DATABASE_URL: database.url,
    DRYDOCK_SECRET_KEY: 'one key for the whole fleet of servers',
    DRYDOCK_RATE_LIMIT_WRITE: String(LIMIT),
    DRYDOCK_LOG_LEVEL: 'warn',
  };
  servers = await Promise.all([startServer(environment), startServer(environment)]);
  ownerKey = servers.find(({ owner }) => owner)?.owner?.key ?? '';
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await Promise.all(servers.map((server) => server.stop()));
  await database.drop();
});

async function newKey(): Promise<string> {
  const [{ url }] = servers;
  const { body } = await call<{ id: string; key: string }>(url, ownerKey, 'POST', '/user/api-keys', {
    name: 'hammer',
  });
  return body.key;
}

const write = (server: RunningServer, key: string) => call(server.url, key, 'DELETE', NOTHING);

/**
 * Sends continuously until no request was accepted for `quietMs`.
 * @returns the number of accepted requests
 */
async function hammer(server: RunningServer, key: string, quietMs: number): Promise<number> {
  let accepted = 0;
  let lastAt = performance.now();
  const one = async () => {
    while (performance.now() - lastAt < quietMs) {
      const { status } = await write(server, key);
      if (status === 429) continue;
      expect(status).toBe(404);
      accepted++;
      lastAt = performance.now();
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, one));
  return accepted;
}

async function used(): Promise<number> {
  const { rows } = await client.query(
    'SELECT max((SELECT sum(step) FROM unnest(used) AS step)) AS used FROM rate_limits',
  );
  return Number(rows[0].used);
}

test(`two servers under load with one key accept exactly ${LIMIT} requests in a minute`, async () => {
  let accepted: number[];
  let began: number;
  // After a minute the first requests expire and others are accepted, so a round that took longer proves nothing.
  do {
    const key = await newKey();
    began = performance.now();
    accepted = await Promise.all(servers.map((server) => hammer(server, key, 4_000)));
  } while (performance.now() - began > 50_000);
  expect(Math.min(...accepted)).toBeGreaterThan(LIMIT / 10);
  expect(accepted.reduce((sum, count) => sum + count)).toBe(LIMIT);
});

/**
 * Sends until the process has reserved more requests than it has accepted.
 * @returns the number of accepted requests
 */
async function makeTakeAhead(server: RunningServer, key: string): Promise<number> {
  await client.query('DELETE FROM rate_limits');
  for (let sent = 1; sent < LIMIT / 2; sent++) {
    expect((await write(server, key)).status).toBe(404);
    if (sent > 50 && (await used()) > sent) return sent;
  }
  return expect.fail('it never took any ahead');
}

test('requests reserved by an idle process are given back, and the other process can use them', async () => {
  const key = await newKey();
  const [silent, busy] = servers;
  const sent = await makeTakeAhead(silent, key);
  await until('it is given back', async () => (await used()) === sent);
  expect(sent + (await hammer(busy, key, 3_000))).toBe(LIMIT);
});

test('a process that ends gives back its reserved requests', async () => {
  const key = await newKey();
  const [leaving] = servers;
  const sent = await makeTakeAhead(leaving, key);
  await leaving.stop();
  expect(await used()).toBe(sent);
});
