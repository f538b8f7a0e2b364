import type { AddressInfo } from 'node:net';
import { connect as connectSocket } from 'node:net';
import { expect, test } from 'vitest';
import { startTestServer } from '../../../../test/harness.ts';

const server = await startTestServer();
const { app, owner } = server;
await app.listen({ port: 0 });
const { port } = app.server.address() as AddressInfo;
const PROJECTS = `http://127.0.0.1:${port}/api/v1/org/main/ws/main/projects`;

const projectCount = async () => (await server.as(owner).get('/org/main/ws/main/projects')).body.length;

async function post(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const response = await fetch(PROJECTS, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json', ...headers },
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as { errors?: unknown },
  };
}

/** Nests arrays so that the deepest bracket is at this depth. */
const nested = (depth: number) => `{"name":"deep","x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

test.each<[string, string | Uint8Array<ArrayBuffer>, Record<string, string>]>([
  ['malformed JSON', '{"name":', {}],
  ['JSON that is 65 deep', nested(65), {}],
  ['bad UTF-8', new Uint8Array([...Buffer.from('{"name":"'), 0xff, 0xfe, ...Buffer.from('"}')]), {}],
  ['an unknown content type', '<name/>', { 'content-type': 'application/xml' }],
  ['a form', 'name=x', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['another charset', '{"name":"x"}', { 'content-type': 'application/json; charset=latin1' }],
  ['an unsupported encoding', '{"name":"x"}', { 'content-encoding': 'gzip' }],
])('%s returns 400 and stores nothing', async (_name, body, headers) => {
  const before = await projectCount();
  const response = await post(body, headers);
  expect(response).toMatchObject({
    status: 400,
    body: { code: 400, type: 'invalid_error', detail: expect.any(String) },
  });
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(await projectCount()).toBe(before);
});

test('JSON nested 64 levels deep is accepted, brackets inside strings do not count, and a byte order mark is skipped', async () => {
  expect((await post(nested(64))).status).toBe(201);
  expect((await post(JSON.stringify({ name: `b${'['.repeat(100)}\\"${'{'.repeat(100)}` }))).status).toBe(201);
  expect((await post(`\uFEFF${JSON.stringify({ name: 'bom' })}`)).status).toBe(201);
});

test('a body of 100 MB returns 400', async () => {
  const response = await post(Buffer.alloc(100 * 1024 * 1024, ' '));
  expect(response).toMatchObject({ status: 400, body: { code: 400, type: 'invalid_error' } });
});

test('a chunked body over the limit returns 400', async () => {
  const chunk = `100000\r\n${' '.repeat(0x100000)}\r\n`;
  const response = await raw(
    `POST /api/v1/org/main/ws/main/projects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${owner.key}\r\n` +
      `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`,
  );
  expect(response).toMatchObject({ status: 400, body: { code: 400, type: 'invalid_error' } });
});

test.each<[string, string, (string | number)[], string]>([
  ['a missing value', '{}', ['body', 'name'], 'missing'],
  ['no body', '', ['body'], 'missing'],
  ['a body that is not an object', '[]', ['body'], 'invalid_type'],
  ['a wrong type', '{"name":7}', ['body', 'name'], 'invalid_type'],
  ['a value too long', JSON.stringify({ name: 'x'.repeat(256) }), ['body', 'name'], 'too_big'],
  ['NUL', '{"name":"a\\u0000b"}', ['body', 'name'], 'invalid_string'],
  ['a lone surrogate', '{"name":"a\\ud800b"}', ['body', 'name'], 'invalid_string'],
])('%s returns 422 with its location', async (_name, body, loc, type) => {
  const before = await projectCount();
  const response = await post(body);
  expect(response).toMatchObject({ status: 422, body: { code: 422, type: 'validation_error' } });
  expect(response.body.errors).toEqual([{ loc, msg: expect.any(String), type }]);
  expect(await projectCount()).toBe(before);
});

test('a list of a hundred thousand mistakes is refused with a single issue', async () => {
  const allowed_scopes = Array.from({ length: 100_000 }, () => '');
  const response = await server.as(owner).post('/user/api-keys', { name: 'x', allowed_scopes });
  expect(response).toMatchObject({
    status: 422,
    body: { errors: [{ loc: ['body', 'allowed_scopes'], type: 'too_big' }] },
  });
});

test.each([
  ['2030-01-01T00:00:00+20:00', 201, '2029-12-31T04:00:00.000Z'],
  ['2030-01-01T00:00:00.123456-02:30', 201, '2030-01-01T02:30:00.123Z'],
  ['9999-12-31T23:59:59-12:00', 422, undefined],
  ['0000-01-01T00:00:00Z', 422, undefined],
  ['2030-02-30T00:00:00Z', 422, undefined],
  ['2030-01-01', 422, undefined],
])('the date-time %s returns %i', async (expires_at, status, stored) => {
  const response = await server.as(owner).post('/user/api-keys', { name: 'x', expires_at });
  expect(response.status).toBe(status);
  expect(response.body.expires_at).toBe(stored);
});

test('odd characters in every part of a path return 404 without an error', async () => {
  for (const odd of ['%00', '%F0%9F%92%A5', "'--", '%2e%2e%2f', 'a'.repeat(1_500), '__proto__']) {
    expect((await server.as(owner).get(`/org/${odd}/ws`)).status).toBe(403);
    expect((await server.as(owner).get(`/org/main/ws/${odd}/projects`)).status).toBe(404);
    expect([404, 422]).toContain((await server.as(owner).get(`/org/main/ws/main/projects/${odd}`)).status);
  }
});

test('an unknown enum value returns 422', async () => {
  const response = await server.as(owner).post('/org/main/members', { user: 'x', role: 'emperor' });
  expect(response).toMatchObject({
    status: 422,
    body: { errors: [{ loc: ['body', 'role'], type: 'invalid_value' }] },
  });
});

test('each mistake has one issue, in path, query and body', async () => {
  const inBody = await server
    .as(owner)
    .post('/org/main/ws', { name: 7, key: 'Not A Slug', is_restricted: 'no' });
  expect(inBody.body.errors.map((item: { loc: string[] }) => item.loc)).toEqual([
    ['body', 'name'],
    ['body', 'key'],
    ['body', 'is_restricted'],
  ]);
  const inPathAndBody = await server.as(owner).patch('/org/main/members/nobody', { role: 'emperor' });
  expect(inPathAndBody.body.errors.map((item: { loc: string[] }) => item.loc)).toEqual([
    ['path', 'user_id'],
    ['body', 'role'],
  ]);
  const inQuery = await server.as(owner).get('/org/main/audit-log?limit=0&from=yesterday&actor=me');
  expect(inQuery.body.errors.map((item: { loc: string[] }) => item.loc)).toEqual([
    ['query', 'actor'],
    ['query', 'from'],
    ['query', 'limit'],
  ]);
});

test('unknown fields are ignored, and the last of two equal keys wins', async () => {
  const response = await post('{"name":"first","nonsense":{"a":1},"name":"last"}');
  expect(response).toMatchObject({ status: 201, body: { name: 'last' } });
  expect(response.body).not.toHaveProperty('nonsense');
});

test('checks run in the order credential, organization, role, body', async () => {
  const outsider = await server.addPerson('outsider');
  const reader = await server.addPerson('a-reader', { role: 'member', workspaceRole: 'reader' });
  const path = '/org/main/ws/main/projects';
  expect((await server.as(undefined).post(path, '{')).status).toBe(401);
  expect((await server.as(outsider).post(path, '{')).status).toBe(403);
  expect((await server.as(owner).post('/org/main/ws/nowhere/projects', '{')).status).toBe(404);
  expect((await server.as(reader).post(path, '{')).status).toBe(403);
  expect((await server.as(owner).post(path, '{')).status).toBe(400);
});

test('unknown routes and methods return 404 to callers with a credential, 401 to others', async () => {
  expect(await server.as(owner).get('/no/such/thing')).toMatchObject({
    status: 404,
    body: { type: 'not_found_error' },
  });
  expect(await server.as(owner).put('/user')).toMatchObject({
    status: 404,
    body: { type: 'not_found_error' },
  });
  expect(await server.as(undefined).get('/no/such/thing')).toMatchObject({ status: 401 });
});

test.each([
  ['bytes that are no HTTP', 'nonsense\r\n\r\n'],
  ['an unknown expectation', 'POST /api/v1/user HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n'],
  ['no Host', 'GET /api/v1/health HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ['two Hosts', 'GET /api/v1/health HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n'],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n'],
  ['headers of 100 kB', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
  ['a bad escape in the path', 'GET /api/v1/%ZZ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
])('%s return the error envelope too', async (_name, request) => {
  const response = await raw(request);
  expect(response).toMatchObject({
    status: 400,
    body: { code: 400, type: 'invalid_error', detail: expect.any(String) },
  });
  expect(response.head.toLowerCase()).toContain('x-request-id: ');
});

test('an unknown expectation of a chat returns an error in the form of that API', async () => {
  const path = '/api/v1/org/main/inference/v1/chat/completions';
  expect(await raw(`POST ${path} HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n`)).toMatchObject({
    status: 400,
    body: { code: 400, type: 'invalid_error', error: { message: expect.stringMatching(/Expect/) } },
  });
});

async function raw(request: string): Promise<{ status: number; head: string; body: unknown }> {
  const socket = connectSocket(port, '127.0.0.1');
  socket.write(request);
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) {
    text += chunk;
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
    if (text.length >= text.indexOf('\r\n\r\n') + 4 + length) break;
  }
  socket.destroy();
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body: JSON.parse(body) };
}

test('a CONNECT that is reset or left open neither crashes the server nor prevents its shutdown', async () => {
  for (let round = 0; round < 20; round++) {
    const socket = connectSocket(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n');
    await new Promise((resolve) => setTimeout(resolve, round % 4));
    socket.resetAndDestroy();
  }
  const held = connectSocket({ port, host: '127.0.0.1', allowHalfOpen: true });
  held.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n');
  const closed = new Promise((resolve) => held.once('close', resolve));
  held.on('error', () => undefined).resume();
  held.once('end', () => held.end());
  await closed;
  expect((await server.as(undefined).get('/health')).status).toBe(200);
});
