/** What every installation must be able to do, step by step, with anything between the servers and PostgreSQL. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { call, type Method, type Owner, type ProcessResponse, type RunningServer } from './processes.ts';

export interface SmokeContext {
  /** Two processes on one database, both started while it was empty. */
  readonly servers: readonly [RunningServer, RunningServer];
  readonly owner: Owner;
  /** Sends a request to the first server as the owner; the path is below /api/v1. */
  ask<Body>(method: Method, path: string, body?: unknown): Promise<ProcessResponse<Body>>;
}

export type SmokeStep = (context: SmokeContext) => Promise<void>;

/** Milliseconds for which a revoked credential may keep working in another process. */
const PROMISED_MS = 1_000;
/** Limits for the servers of the steps: requests are counted, but no step exceeds a limit. */
export const SMOKE_LIMITS = {
  DRYDOCK_RATE_LIMIT_READ: '100000',
  DRYDOCK_RATE_LIMIT_WRITE: '100000',
  DRYDOCK_RATE_LIMIT_INGEST: '100000',
};

const PROJECTS = '/org/main/ws/main/projects';

/** Run in this order, each as a test of its name. A component that needs the database adds its step here. */
export const SMOKE_STEPS: readonly (readonly [name: string, step: SmokeStep])[] = [
  ['both servers are healthy, and their logs contain no errors', areHealthy],
  ['a user is invited, signs up, logs in, refreshes and logs out', signIn],
  ['an organization is read and changed', changeOrganization],
  ['a workspace is created, changed and deleted', liveWorkspace],
  ['a project is created, found by the other server, changed and deleted', liveProject],
  ['a secret is stored, replaced and deleted, and never shown', keepSecret],
  [
    'a call with an idempotency key takes effect once, even if it is repeated at the other server',
    repeatCall,
  ],
  ['a program without a browser is approved through one server and signed in by the other', signInDevice],
  ['the limits of a user are returned', readLimits],
  ['requests are counted for both servers together', countRequests],
  ['the jobs of the platform are listed', listJobs],
  ['the metrics of each server are returned', readMetrics],
  ['the audit log lists all changes page by page', readAuditLog],
  ['fifty concurrent requests all succeed', askTogether],
  ['a key deleted through one server stops working in the other within a second', revokeKey],
];

async function areHealthy({ servers }: SmokeContext): Promise<void> {
  for (const { url, output } of servers) {
    const health = await call(url, undefined, 'GET', '/health');
    expect(health).toMatchObject({ status: 200, body: { checks: { database: 'ok' } } });
    expect(output().stderr).not.toMatch(/"level":[56]0/);
  }
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

async function signIn({ servers, ask }: SmokeContext): Promise<void> {
  const [{ url }] = servers;
  const email_address = 'guest@example.com';
  const password = 'correct horse battery';
  const anyone = (path: string, body: unknown) => call<Tokens>(url, undefined, 'POST', `/auth/${path}`, body);
  const invitation = await ask<{ invitation_token: string }>('POST', '/org/main/invitations', {
    email_address,
  });
  const { invitation_token } = invitation.body;
  expect((await anyone('signup', { email_address, password, invitation_token })).status).toBe(201);
  expect((await anyone('login', { email_address, password: 'wrong' })).status).toBe(401);
  const login = await anyone('login', { email_address, password });
  expect((await call(url, login.body.access_token, 'GET', '/org/main')).status).toBe(200);
  const refreshed = await anyone('refresh', { refresh_token: login.body.refresh_token });
  expect(refreshed.status).toBe(200);
  expect((await call(url, refreshed.body.access_token, 'GET', '/user')).status).toBe(200);
  expect((await anyone('logout', { refresh_token: refreshed.body.refresh_token })).status).toBe(200);
  expect((await call(url, refreshed.body.access_token, 'GET', '/user')).status).toBe(401);
}

async function changeOrganization({ ask }: SmokeContext): Promise<void> {
  const changed = await ask('PATCH', '/org/main', { name: 'Behind a pooler' });
  expect(changed).toMatchObject({ status: 200, body: { key: 'main', name: 'Behind a pooler' } });
  expect(await ask('GET', '/org/main')).toEqual(changed);
}

async function liveWorkspace({ ask }: SmokeContext): Promise<void> {
  expect((await ask('POST', '/org/main/ws', { name: 'Smoke', is_restricted: true })).status).toBe(201);
  const changed = await ask('PATCH', '/org/main/ws/smoke', { is_restricted: false });
  expect(changed).toMatchObject({ status: 200, body: { is_restricted: false } });
  expect((await ask('DELETE', '/org/main/ws/smoke')).status).toBe(204);
  expect((await ask('GET', '/org/main/ws/smoke')).status).toBe(404);
}

async function liveProject({ servers, owner, ask }: SmokeContext): Promise<void> {
  const created = await ask('POST', PROJECTS, { name: 'Smoke' });
  expect(created.status).toBe(201);
  expect((await ask('POST', PROJECTS, { name: 'Smoke' })).status).toBe(409);
  const path = `${PROJECTS}/smoke`;
  expect(await call(servers[1].url, owner.key, 'GET', path)).toEqual({ ...created, status: 200 });
  expect(await ask('PATCH', path, { description: 'thin' })).toMatchObject({ body: { description: 'thin' } });
  expect((await ask('DELETE', path)).status).toBe(204);
  expect((await ask('GET', path)).status).toBe(404);
}

async function keepSecret({ ask }: SmokeContext): Promise<void> {
  const created = await ask<{ id: string }>('POST', '/user/secrets', { name: 'TOKEN', value: 'canary-one' });
  expect(created.status).toBe(201);
  const path = `/user/secrets/${created.body.id}`;
  expect((await ask('PUT', path, { value: 'canary-two' })).status).toBe(200);
  expect(JSON.stringify((await ask('GET', path)).body)).not.toContain('canary');
  expect((await ask('DELETE', path)).status).toBe(204);
}

interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** For data in the headers, or responses that are not JSON. */
async function callRaw(
  { url }: RunningServer,
  key: string,
  path: string,
  init: { readonly method?: Method; readonly body?: string; readonly headers?: Record<string, string> } = {},
): Promise<RawResponse> {
  const headers = { authorization: `Bearer ${key}`, ...init.headers };
  const response = await fetch(`${url}/api/v1${path}`, { ...init, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function repeatCall({ servers, owner, ask }: SmokeContext): Promise<void> {
  const send = (server: RunningServer, name: string) =>
    callRaw(server, owner.key, PROJECTS, {
      method: 'POST',
      body: JSON.stringify({ name }),
      headers: { 'content-type': 'application/json', 'idempotency-key': 'smoke' },
    });
  const first = await send(servers[0], 'Only once');
  expect(first.status).toBe(201);
  const again = await send(servers[1], 'Only once');
  expect({ status: again.status, text: again.text }).toEqual({ status: 201, text: first.text });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect((await send(servers[1], 'Another')).status).toBe(409);
  const { body } = await ask<{ name: string }[]>('GET', PROJECTS);
  expect(body.filter(({ name }) => ['Only once', 'Another'].includes(name))).toHaveLength(1);
  expect((await ask('DELETE', `${PROJECTS}/only-once`)).status).toBe(204);
}

async function signInDevice({ servers, ask }: SmokeContext): Promise<void> {
  const { url } = servers[1];
  const anyone = <Body>(method: Method, path: string, body?: unknown) =>
    call<Body>(url, undefined, method, `/auth/device/${path}`, body);
  const created = await anyone<{ device_code: string; user_code: string }>('POST', 'code');
  expect(created.status).toBe(201);
  const { device_code, user_code } = created.body;
  const exchange = () => anyone<Tokens>('POST', 'token', { device_code });
  expect((await exchange()).status).toBe(400);
  expect((await ask('POST', '/auth/device/approve', { user_code })).status).toBe(200);
  expect(await anyone('GET', `code/${device_code}`)).toMatchObject({ body: { completed: true } });
  const { status, body } = await exchange();
  expect(status).toBe(200);
  expect((await call(url, body.access_token, 'GET', '/user')).status).toBe(200);
  expect((await exchange()).status).toBe(404);
}

async function readLimits({ ask }: SmokeContext): Promise<void> {
  const { body: user } = await ask<{ id: string }>('GET', '/user');
  expect(await ask('GET', '/user/limits')).toMatchObject({
    status: 200,
    body: { user_id: user.id, has_exceeded: false },
  });
}

/** Uses a key of its own, with which no other step sends requests. */
async function countRequests({ servers, ask }: SmokeContext): Promise<void> {
  const { key } = (await ask<{ key: string }>('POST', '/user/api-keys', { name: 'counted' })).body;
  const remaining: number[] = [];
  for (const server of [...servers, ...servers]) {
    const { status, headers } = await callRaw(server, key, '/user');
    expect(status).toBe(200);
    expect(headers.get('ratelimit-limit')).toBe(SMOKE_LIMITS.DRYDOCK_RATE_LIMIT_READ);
    expect(Number(headers.get('ratelimit-reset'))).toBeGreaterThan(0);
    remaining.push(Number(headers.get('ratelimit-remaining')));
  }
  // Requests reserved by one server do not count as remaining at the other.
  const limit = Number(SMOKE_LIMITS.DRYDOCK_RATE_LIMIT_READ);
  expect(Math.max(...remaining)).toBeLessThan(limit);
  expect(remaining[1]).toBeLessThan(limit - 1);
}

async function listJobs({ servers, owner, ask }: SmokeContext): Promise<void> {
  const listed = await ask<{ items: unknown[] }>('GET', '/jobs?limit=5&state=completed');
  expect(listed).toMatchObject({ status: 200, body: { items: expect.any(Array) } });
  expect((await call(servers[1].url, owner.key, 'GET', '/jobs?state=odd')).status).toBe(422);
}

async function readMetrics({ servers, owner }: SmokeContext): Promise<void> {
  for (const server of servers) {
    const { status, headers, text } = await callRaw(server, owner.key, '/metrics');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain/);
    expect(text).toMatch(/^# TYPE \w+ histogram$/m);
    expect(text).toContain('process_');
  }
}

interface AuditPage {
  readonly items: readonly { readonly id: string; readonly action: string }[];
  readonly next_cursor: string | null;
}

async function readAuditLog({ ask }: SmokeContext): Promise<void> {
  const items: AuditPage['items'][number][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const next = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const page: ProcessResponse<AuditPage> = await ask('GET', `/org/main/audit-log?limit=3${next}`);
    expect(page.status).toBe(200);
    items.push(...page.body.items);
    cursor = page.body.next_cursor;
  }
  expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
  const actions = items.map(({ action }) => action);
  for (const action of ['workspace.deleted', 'project.created', 'project.updated', 'project.deleted'])
    expect(actions).toContain(action);
}

/** More concurrent requests than either server, or a pooler behind them, has connections. */
async function askTogether({ servers, owner, ask }: SmokeContext): Promise<void> {
  const responses = await Promise.all(
    Array.from({ length: 50 }, (_, at) => {
      const { url } = servers[at % 2] ?? servers[0];
      if (at % 5 > 1) return call(url, owner.key, 'GET', PROJECTS);
      return call(url, owner.key, 'POST', PROJECTS, { name: `Together ${at}` });
    }),
  );
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 201]));
  const { body } = await ask<{ key: string }[]>('GET', PROJECTS);
  expect(body.filter(({ key }) => key.startsWith('together-'))).toHaveLength(20);
}

async function revokeKey({ servers, ask }: SmokeContext): Promise<void> {
  const created = await ask<{ id: string; key: string }>('POST', '/user/api-keys', { name: 'short-lived' });
  const { id, key } = created.body;
  const there = () => call(servers[1].url, key, 'GET', '/user');
  expect((await there()).status).toBe(200);
  expect((await ask('DELETE', `/user/api-keys/${id}`)).status).toBe(204);
  await sleep(PROMISED_MS);
  expect((await there()).status).toBe(401);
}
