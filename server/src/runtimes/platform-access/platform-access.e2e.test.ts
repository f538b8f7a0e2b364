/** Requests to the platform by programs in a sandbox without network access. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { findPlatformGrant } from './grant.ts';

const RUNTIMES = '/org/main/ws/main/runtimes';
const PLATFORM = 'http://127.0.0.1:3128';

const server = await startTestServer({}, [], { hasSandboxes: true });
const me = server.as(server.owner);
const [{ available }] = (await me.get('/org/main/sandbox-providers')).body;

async function makeRuntime(key: string, sandbox: object): Promise<void> {
  expect(await me.post(RUNTIMES, { key, config: { sandbox } })).toMatchObject({ status: 201 });
  expect(await me.post(`${RUNTIMES}/${key}/start`)).toMatchObject({ status: 200 });
}

async function run(
  key: string,
  command: string,
): Promise<{ exit_code: number; stdout: string; stderr: string }> {
  const response = await me.post(`${RUNTIMES}/${key}/exec`, { command, timeout_seconds: 120 });
  expect(response, JSON.stringify(response.body)).toMatchObject({ status: 200 });
  return response.body;
}

/** Sends a request from inside the sandbox; the status is on the last line. */
async function send(key: string, path: string, options = '') {
  const { stdout } = await run(
    key,
    `curl -sS --path-as-is -m 60 -w '\\n%{http_code}' ${options} '${PLATFORM}${path}'`,
  );
  const lines = stdout.split('\n');
  return { status: Number(lines.pop()), body: lines.join('\n') };
}

const json = (body: object) => `-H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
const CHAT = { model: 'sim/echo', messages: [{ role: 'user', content: 'Hello from inside' }] };

/**
 * Writes raw bytes to the address.
 * @returns the first line of the response
 */
async function sendRaw(key: string, bytes: string): Promise<string> {
  const script = `exec 3<>/dev/tcp/127.0.0.1/3128; printf '${bytes}' >&3; timeout 10 head -n1 <&3`;
  return (await run(key, script)).stdout.trim();
}

const port = Number(new URL(await server.app.listen({ host: '127.0.0.1', port: 0 })).port);
const stranger = await server.addPerson('stranger', { role: 'member' });
const theirs = randomUUID();
const mine = randomUUID();
const W = '/org/main/ws/main';

async function textsOf(client: typeof me, id: string): Promise<string[]> {
  const { body } = await client.get(`${W}/sessions/${id}/transcript`);
  return (body.messages ?? []).map((one: { role: string; content: string }) => `${one.role}: ${one.content}`);
}

async function sandboxOf(key: string): Promise<string> {
  const { body: runtime } = await me.get(`${RUNTIMES}/${key}`);
  const { body } = await me.get('/org/main/sandboxes?limit=100&state=running');
  return body.items.find((one: { runtime_id: string }) => one.runtime_id === runtime.id).sandbox_id;
}

describe.skipIf(!available)('platform_access', () => {
  beforeAll(async () => {
    expect(await me.post('/org/main/ws', { name: 'next door', key: 'next-door' })).toMatchObject({
      status: 201,
    });
    await server.as(stranger).post(`${W}/sessions`, { id: theirs, model: 'sim/echo' });
    await me.post(`${W}/sessions`, { id: mine, model: 'sim/echo' });
    await makeRuntime('asks', { platform_access: 'inference' });
    await makeRuntime('works', { platform_access: 'full' });
    await makeRuntime('closed', { egress_allow: ['example.com'] });
  });

  test('inference access lets a program call a model without a key, and records it in a session of the sandbox', async () => {
    const response = await send('asks', '/v1/chat/completions', json(CHAT));
    expect(response).toMatchObject({ status: 200, body: expect.stringContaining('Hello from inside') });
    const sandboxId = await sandboxOf('asks');
    const { body } = await me.get(`${W}/sessions/${sandboxId}`);
    expect(body).toMatchObject({ title: 'asks', runtime_id: expect.any(String), message_count: 2 });
    expect(await textsOf(me, sandboxId)).toEqual(['user: Hello from inside', 'assistant: Hello from inside']);
  });

  test('full access lets a program save a session, append to it, name it in calls and send spans', async () => {
    const id = randomUUID();
    const sessions = `/api/v1${W}/sessions`;
    const saved = await send('works', sessions, json({ id, model: 'sim/echo' }));
    expect(saved).toMatchObject({ status: 201 });
    const header = `-H 'x-drydock-session: ${id}'`;
    expect(await send('works', '/v1/chat/completions', `${header} ${json(CHAT)}`)).toMatchObject({
      status: 200,
    });
    expect(await textsOf(me, id)).toEqual(['user: Hello from inside', 'assistant: Hello from inside']);
    const traceId = randomUUID().replaceAll('-', '');
    const span = {
      traceId,
      spanId: '00f067aa0ba902b7',
      name: 'inside',
      startTimeUnixNano: `${Date.now()}000000`,
      endTimeUnixNano: `${Date.now()}000000`,
    };
    const spans = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
    expect(await send('works', '/v1/traces', json(spans))).toMatchObject({ status: 200 });
    expect((await me.get(`${W}/traces/${traceId}/spans`)).body.items).toMatchObject([{ name: 'inside' }]);
  });

  test('platform access sets variables without secrets, and variables of the configuration override them', async () => {
    const config = {
      runtime_server: { env: { OPENAI_API_KEY: 'mine' } },
      sandbox: { platform_access: 'inference' },
    };
    await me.post(RUNTIMES, { key: 'own-variables', config });
    await me.post(`${RUNTIMES}/own-variables/start`);
    expect((await run('own-variables', 'echo $OPENAI_API_KEY')).stdout).toBe('mine\n');
    const { stdout } = await run('works', 'env | sort');
    for (const line of [
      'OPENAI_BASE_URL=http://127.0.0.1:3128/v1',
      'ANTHROPIC_BASE_URL=http://127.0.0.1:3128',
      'OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:3128',
      'DRYDOCK_URL=http://127.0.0.1:3128',
      'DRYDOCK_ORG=main',
      'DRYDOCK_WORKSPACE=main',
    ])
      expect(stdout).toContain(`${line}\n`);
    expect(stdout).not.toMatch(/sandbox:|dd_|Bearer/);
    expect((await run('asks', 'env')).stdout).not.toContain('OTEL_');
    expect((await run('closed', 'env')).stdout).not.toContain('DRYDOCK_URL');
  });

  const own = server.owner.key;
  test.each([
    ['another operation', 'works', '/api/v1/user', '', 404],
    ['its organization', 'works', '/api/v1/org/main', '', 404],
    ['members', 'works', '/api/v1/org/main/members', '', 404],
    ['a new key', 'works', '/api/v1/user/api-keys', json({ name: 'mine' }), 404],
    ['secrets', 'works', '/api/v1/user/secrets', '', 404],
    ['runtimes', 'works', `/api/v1${RUNTIMES}`, '', 404],
    ['a login', 'works', '/api/v1/auth/login', json({ email_address: 'a@b.c', password: 'x' }), 404],
    ['a signup', 'works', '/api/v1/auth/signup', json({}), 404],
    ['providers of models', 'works', '/api/v1/org/main/inference/providers', '', 404],
    ['metrics', 'works', '/api/v1/metrics', '', 404],
    ['the console', 'works', '/', '', 404],
    ['the interface of hosts', 'works', '/internal/hosts/x/exec', '', 404],
    ['a path that climbs', 'works', '/v1/../api/v1/user', '', 404],
    ['a path that climbs behind a model', 'works', '/v1/models/../../../../user', '', 404],
    ['an encoded path that climbs', 'works', '/v1/models/%2e%2e/%2e%2e/user', '', 404],
    ['an encoded slash', 'works', '/v1/models%2f..%2f..%2fuser', '', 404],
    ['a backslash', 'works', '/v1/models/..%5c..%5cuser', '', 404],
    ['a path with two slashes', 'works', '//api/v1/user', '', 404],
    ['a session that climbs', 'works', `/api/v1${W}/sessions/../runtimes`, '', 404],
    ['another organization', 'works', '/api/v1/org/other/inference/v1/models', '', 404],
    ['another workspace', 'works', '/api/v1/org/main/ws/next-door/sessions', '', 404],
    ['sessions with inference only', 'asks', `/api/v1${W}/sessions`, '', 404],
    ['traces with inference only', 'asks', '/v1/traces', json({ resourceSpans: [] }), 404],
    ['the platform without access', 'closed', '/v1/models', '', 403],
    ['an account with its key', 'works', '/api/v1/user', `-H 'authorization: Bearer ${own}'`, 404],
    ["somebody's key, which is not read", 'works', '/v1/models', `-H 'x-api-key: ${stranger.key}'`, 200],
    ['an unknown method', 'works', '/v1/models', '-X TRACE', 404],
    [
      'a session of another user',
      'works',
      '/v1/chat/completions',
      `-H 'x-drydock-session: ${theirs}' ${json(CHAT)}`,
      403,
    ],
    [
      'a session of another user, by metadata',
      'works',
      '/v1/chat/completions',
      json({ ...CHAT, metadata: { 'drydock.session_id': theirs } }),
      403,
    ],
    [
      'the server by the proxy',
      'works',
      '',
      `--noproxy '' -x ${PLATFORM} http://127.0.0.1:${port}/api/v1/health`,
      403,
    ],
    [
      'the address itself by the proxy',
      'works',
      '',
      `--noproxy '' -x ${PLATFORM} http://127.0.0.1:3128/v1/models`,
      403,
    ],
    [
      'link-local addresses by the proxy',
      'works',
      '',
      `--noproxy '' -x ${PLATFORM} http://169.254.169.254/latest`,
      403,
    ],
  ])(
    '%s: a request from inside the sandbox gets the expected response',
    async (_what, key, path, options, status) => {
      const direct = path === '' ? `curl -sS -m 60 -w '\\n%{http_code}' ${options}` : undefined;
      const response = direct
        ? { status: Number((await run(key, direct)).stdout.split('\n').pop()) }
        : await send(key, path, options);
      expect(response).toMatchObject({ status });
    },
  );

  test('nothing was written to the session of another user', async () => {
    expect(await textsOf(server.as(stranger), theirs)).toEqual([]);
  });

  test('inference access records into its own session, whatever session a program names', async () => {
    const header = `-H 'x-drydock-session: ${mine}'`;
    expect(await send('asks', '/v1/chat/completions', `${header} ${json(CHAT)}`)).toMatchObject({
      status: 200,
    });
    expect(await textsOf(me, mine)).toEqual([]);
  });

  test.each([
    [
      'two lengths',
      'POST /v1/chat/completions HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 0\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n',
      /400/,
    ],
    [
      'an upgrade',
      `GET /api/v1${RUNTIMES}/works/terminal HTTP/1.1\\r\\nHost: x\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n`,
      /404/,
    ],
    ['a tunnel to this machine', `CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n`, /403/],
    [
      'a tunnel to a name of this machine',
      `CONNECT localhost:${port} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n`,
      /403/,
    ],
  ])('a request with %s is refused', async (_what, bytes, first) => {
    expect(await sendRaw('works', bytes)).toMatch(first);
  });

  test('a forged sandbox credential is refused outside', async () => {
    const id = await sandboxOf('works');
    const payload = Buffer.from(JSON.stringify({ sandbox: id })).toString('base64url');
    for (const forged of [`sandbox:${payload}.x`, `sandbox:${id}`, `sandbox:`])
      expect(await server.as(forged).get('/org/main/inference/v1/models')).toMatchObject({ status: 401 });
  });

  test('access ends with the sandbox, and the next sandbox has a session of its own', async () => {
    const before = await sandboxOf('asks');
    expect(await findPlatformGrant(server.db, before)).toBeDefined();
    await me.post(`${RUNTIMES}/asks/reset`);
    expect(await findPlatformGrant(server.db, before)).toBeUndefined();
    await me.post(`${RUNTIMES}/asks/start`);
    expect(await send('asks', '/v1/chat/completions', json(CHAT))).toMatchObject({ status: 200 });
    const after = await sandboxOf('asks');
    expect(after).not.toBe(before);
    expect(await textsOf(me, after)).toHaveLength(2);
  });

  test('a request of 20 MB is refused with a reason', async () => {
    const make = `python3 -c 'import json; json.dump({"model": "sim/echo", "messages": [{"role": "user", "content": "x" * 20_000_000}]}, open("/tmp/large.json", "w"))'`;
    await run('works', make);
    const { status, body } = await send(
      'works',
      '/v1/chat/completions',
      "-H 'content-type: application/json' -H 'expect:' --data-binary @/tmp/large.json",
    );
    expect({ status, body: body.slice(0, 500) }).toMatchObject({
      status: 400,
      body: expect.stringContaining('over 16 MiB'),
    });
  });
});

test.each([
  [{ platform_access: 'everything' }, 'platform_access'],
  [{ platform_access: 'inference', spend_limit_usd: 0 }, 'spend_limit_usd'],
  [{ platform_access: 'inference', spend_limit_usd: -1 }, 'spend_limit_usd'],
  [{ spend_limit_usd: 'much' }, 'spend_limit_usd'],
])('createRuntime refuses %o', async (sandbox, field) => {
  expect(await me.post(RUNTIMES, { key: 'bad', config: { sandbox } })).toMatchObject({
    status: 422,
    body: { errors: [{ loc: ['body', 'config', 'sandbox', field] }] },
  });
});
