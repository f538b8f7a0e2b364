/** Two server processes on one PostgreSQL: changes made through one apply in the other. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createDatabase, type TestDatabase } from './databases.ts';
import { call, type ProcessResponse, type RunningServer, startServer, until } from './processes.ts';

/** Milliseconds for which a revoked credential may keep working in another process. */
const PROMISED_MS = 1_000;

let database: TestDatabase;
let servers: [RunningServer, RunningServer];
let ownerKey: string;

beforeAll(async () => {
  database = await createDatabase(inject('databaseUrl'), 'template0');
  const environment = {
    DATABASE_URL: database.url,
    DRYDOCK_SECRET_KEY: 'one key for the whole fleet of servers',
  };
  servers = await Promise.all([startServer(environment), startServer(environment)]);
  ownerKey = servers.find(({ owner }) => owner)?.owner?.key ?? '';
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await database.drop();
});

test('two servers started together on an empty database are healthy, and one of them creates the owner', async () => {
  // A process that starts before the created owner has signed in prints the same credentials again.
  expect(new Set(servers.flatMap(({ owner }) => owner?.key ?? [])).size).toBe(1);
  for (const { url, output } of servers) {
    expect(await call(url, ownerKey, 'GET', '/user')).toMatchObject({
      status: 200,
      body: { username: 'owner' },
    });
    expect(output().stderr).not.toMatch(/"level":[56]0/);
  }
});

test('a write through one server is readable through the other', async () => {
  const [one, other] = servers;
  const path = '/org/main/ws/main/projects';
  const created = await call<{ id: string }>(one.url, ownerKey, 'POST', path, { name: 'Shared' });
  expect(created.status).toBe(201);
  expect(await call(other.url, ownerKey, 'GET', `${path}/shared`)).toEqual({ ...created, status: 200 });
});

test('a login at one server is valid at the other', async () => {
  const [one, other] = servers;
  const { token } = await signUpMember('visitor');
  expect((await call(one.url, token, 'GET', '/user')).status).toBe(200);
  expect((await call(other.url, token, 'GET', '/user')).status).toBe(200);
});

test('a key deleted through one stops working in the other within a second', async () => {
  const [one, other] = servers;
  const body = { name: 'short-lived' };
  const { id, key } = (
    await call<{ id: string; key: string }>(one.url, ownerKey, 'POST', '/user/api-keys', body)
  ).body;
  const statuses = await hammerWhile(
    () => call(other.url, key, 'GET', '/user'),
    () => call(one.url, ownerKey, 'DELETE', `/user/api-keys/${id}`),
  );
  expect(statuses).toEqual({ before: [200], later: [401] });
});

test('a member removed through one is refused by the other within a second', async () => {
  const [one, other] = servers;
  const { id, token } = await signUpMember('leaver');
  const statuses = await hammerWhile(
    () => call(other.url, token, 'GET', '/org/main/ws/main/projects'),
    () => call(one.url, ownerKey, 'DELETE', `/org/main/members/${id}`),
  );
  expect(statuses).toEqual({ before: [200], later: [403] });
});

/** The member joins by invitation, because sign-up is closed. */
async function signUpMember(username: string): Promise<{ id: string; token: string }> {
  const { url } = servers[0];
  const email_address = `${username}@example.com`;
  const invitation = await call<{ url: string }>(url, ownerKey, 'POST', '/org/main/invitations', {
    email_address,
  });
  const invitation_token = new URL(invitation.body.url).searchParams.get('token');
  const body = { email_address, username, password: 'correct horse battery', invitation_token };
  const path = '/auth/signup';
  const { status, body: signedUp } = await call<Signup>(url, undefined, 'POST', path, body);
  expect(status).toBe(201);
  return { id: signedUp.user.id, token: signedUp.access_token };
}

interface Signup {
  readonly access_token: string;
  readonly user: { readonly id: string };
}

/**
 * Sends requests continuously, so that the server's caches are as fresh as possible, and revokes the credential in between.
 * @returns the statuses of the requests completed before the revocation began, and of those sent a second after it
 */
async function hammerWhile(
  send: () => Promise<ProcessResponse<unknown>>,
  revoke: () => Promise<ProcessResponse<unknown>>,
): Promise<{ before: number[]; later: number[] }> {
  const responses: { sent: number; responded: number; status: number }[] = [];
  const done = new AbortController();
  const hammer = async () => {
    while (!done.signal.aborted) {
      const sent = performance.now();
      const { status } = await send();
      responses.push({ sent, responded: performance.now(), status });
      await sleep(5);
    }
  };
  const hammering = Promise.all([hammer(), hammer()]);
  await until('some are answered', () => responses.length >= 20);
  const began = performance.now();
  expect((await revoke()).status).toBe(204);
  const revoked = performance.now();
  const isLate = ({ sent }: { sent: number }) => sent > revoked + PROMISED_MS;
  await until('some are answered later', () => responses.filter(isLate).length >= 20);
  done.abort();
  await hammering;
  const statusesOf = (chosen: typeof responses) => [...new Set(chosen.map(({ status }) => status))];
  return {
    before: statusesOf(responses.filter(({ responded }) => responded < began)),
    later: statusesOf(responses.filter(isLate)),
  };
}
