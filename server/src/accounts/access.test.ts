import { expect, test } from 'vitest';
import { type Client, SECRET_KEY, startTestServer, type TestResponse } from '../../test/harness.ts';
import { createSigner } from '../platform/auth/signing.ts';
import { uuidv7 } from '../platform/uuid.ts';

const server = await startTestServer();
const { owner, db } = server;
const outsider = await server.addPerson('outsider');
await server.as(outsider).post('/user/onboarding', { username: 'outsider', org_name: 'Foreign' });
const member = await server.addPerson('member', { role: 'member' });
const NOBODY = '00000000-0000-0000-0000-000000000000';

async function startLogin(userId: string): Promise<string> {
  const id = uuidv7();
  await db.insertInto('logins').values({ id, user_id: userId }).execute();
  return id;
}

const inMinutes = (minutes: number) => Date.now() + minutes * 60_000;
const unauthorized = (type: string) => ({ status: 401, body: { code: 401, type } });

test('an access token is accepted until it expires', async () => {
  const statement = { user: member.id, login: await startLogin(member.id) };
  const sign = (expires: number) => createSigner(SECRET_KEY).sign('access-token', { ...statement, expires });
  const opened = await server.as(sign(inMinutes(1))).get('/user');
  expect(opened).toMatchObject({ status: 200, body: { username: 'member' } });
  expect(await server.as(sign(Date.now() - 1)).get('/user')).toMatchObject(
    unauthorized('expired_token_error'),
  );
});

test('a token that this server did not sign as an access token is refused with a specific error', async () => {
  const statement = { user: member.id, login: await startLogin(member.id), expires: inMinutes(1) };
  const good = createSigner(SECRET_KEY).sign('access-token', statement);
  const [payload, signature] = good.split('.');
  const asOwner = Buffer.from(JSON.stringify({ ...statement, user: owner.id })).toString('base64url');
  const forged = [
    createSigner('another-secret-key-another-secret-key').sign('access-token', statement),
    createSigner(SECRET_KEY).sign('cursor', statement),
    `${asOwner}.${signature}`,
    `${payload}.${signature?.slice(0, -4)}`,
  ];
  for (const token of forged) {
    expect(await server.as(token).get('/user')).toMatchObject(unauthorized('token_error'));
  }
  expect((await server.as(good).get('/user')).status).toBe(200);
});

test("an access token is refused after its login ended, or when it names another user's login", async () => {
  const sign = (login: string) =>
    createSigner(SECRET_KEY).sign('access-token', { user: member.id, login, expires: inMinutes(1) });
  for (const login of [uuidv7(), await startLogin(outsider.id)]) {
    expect(await server.as(sign(login)).get('/user')).toMatchObject(unauthorized('authentication_error'));
  }
});

test.each<[string, Record<string, string>]>([
  ['no credential', {}],
  ['an empty one', { authorization: '' }],
  ['a bearer without a token', { authorization: 'Bearer ' }],
  ['another scheme', { authorization: `Basic ${member.key}` }],
  ['garbage', { authorization: 'Bearer garbage' }],
  ['a key that is too short', { authorization: 'Bearer dd_short' }],
  ['an unknown key', { authorization: `Bearer dd_${'x'.repeat(40)}` }],
  ['an unknown key in X-API-Key', { 'x-api-key': `dd_${'x'.repeat(40)}` }],
  ['an empty X-API-Key', { 'x-api-key': '' }],
])('%s is refused as a credential', async (_name, headers) => {
  for (const path of ['/user', '/org/main', '/org/main/ws/main', '/no/such/route']) {
    const response = await server.as(undefined).get(path, undefined, headers);
    expect(response).toMatchObject(unauthorized('authentication_error'));
    expect(response.headers['www-authenticate']).toBe('Bearer');
  }
});

test.each<[string, Record<string, string>]>([
  ['a bearer', { authorization: `Bearer ${member.key}` }],
  ['a bearer in small letters', { authorization: `bearer ${member.key}` }],
  ['an X-API-Key', { 'x-api-key': member.key }],
])('an API key is accepted as %s', async (_name, headers) => {
  const response = await server.as(undefined).get('/user', undefined, headers);
  expect(response).toMatchObject({ status: 200, body: { id: member.id } });
});

test('an unknown route or method returns 404 to callers with a credential', async () => {
  const notFound = { status: 404, body: { code: 404, type: 'not_found_error' } };
  expect(await server.as(member).get('/no/such/route')).toMatchObject(notFound);
  expect(await server.as(member).put('/user', {})).toMatchObject(notFound);
});

test('a suspended user is refused with any credential', async () => {
  const { id, key } = await server.addPerson('suspended', { role: 'member' });
  const statement = { user: id, login: await startLogin(id), expires: inMinutes(1) };
  const suspended_at = new Date().toISOString();
  await db.updateTable('users').set({ suspended_at }).where('id', '=', id).execute();
  for (const credential of [key, createSigner(SECRET_KEY).sign('access-token', statement)]) {
    expect(await server.as(credential).get('/org/main')).toMatchObject({
      status: 403,
      body: { code: 403, type: 'user_suspended' },
    });
  }
});

// A member of neither organization, a platform admin, and a key limited to a third organization.
const { id: mainId } = (await server.as(owner).get('/org/main')).body;
const limited = (await server.as(owner).post('/user/api-keys', { name: 'main only', org_id: mainId })).body;
const STRANGERS: string[] = [member.key, owner.key, limited.key];

const ON_ORGANIZATIONS: ['GET' | 'POST' | 'DELETE', string][] = [
  ['GET', ''],
  ['GET', '/members'],
  ['POST', '/members'],
  ['DELETE', `/members/${NOBODY}`],
  ['GET', '/invitations'],
  ['GET', '/audit-log'],
  ['GET', '/ws'],
  ['POST', '/ws'],
  ['GET', '/ws/main'],
  ['GET', '/ws/no-such-workspace'],
  ['DELETE', '/ws/main'],
  ['GET', '/ws/main/members'],
  ['GET', '/ws/main/projects'],
  ['GET', '/ws/main/projects/default'],
];

test.each(ON_ORGANIZATIONS)(
  '%s O%s returns the same for foreign and unknown organizations',
  async (method, path) => {
    for (const key of STRANGERS) {
      const ask = (org: string) =>
        server.app.inject({
          method,
          url: `/api/v1/org/${org}${path}`,
          headers: { authorization: `Bearer ${key}` },
        });
      const foreign = await ask('foreign');
      const unknown = await ask('no-such-organization');
      expect(foreign.statusCode).toBe(403);
      expect(foreign.json()).toMatchObject({ code: 403, type: 'forbidden_error' });
      expect([unknown.statusCode, unknown.body]).toEqual([foreign.statusCode, foreign.body]);
    }
  },
);

test.each<[string, (as: Client) => Promise<TestResponse>, number]>([
  ['a role before the body', (as) => as.post('/org/main/ws', { name: '' }), 403],
  ['a role before an object', (as) => as.patch(`/org/main/members/${NOBODY}`, { role: 'admin' }), 403],
  ['a workspace before the body', (as) => as.post('/org/main/ws/none/projects', { name: '' }), 404],
  ['an organization before a workspace', (as) => as.get('/org/none/ws/none'), 403],
  ['the body before an object', (as) => as.patch('/org/main/ws/main/projects/none', { name: '' }), 422],
])('checks run in order: %s', async (_name, ask, status) => {
  expect((await ask(server.as(member))).status).toBe(status);
});

const canCreateWorkspace = async (key: string) => {
  const response = await server.as(key).post('/org/main/ws', { name: `ws ${uuidv7()}` });
  return response.status;
};

test('a change of role takes effect immediately', async () => {
  const { id, key } = await server.addPerson('riser', { role: 'member' });
  const change = (role: string) => server.as(owner).patch(`/org/main/members/${id}`, { role });
  expect(await canCreateWorkspace(key)).toBe(403);
  await change('admin');
  expect(await canCreateWorkspace(key)).toBe(201);
  await change('member');
  expect(await canCreateWorkspace(key)).toBe(403);
});

test('removing and adding a member takes effect immediately', async () => {
  const { id, key, username } = await server.addPerson('guest', { role: 'member' });
  const paths = ['/org/main', '/org/main/ws/main', '/org/main/ws/main/projects'];
  const statuses = async () =>
    Promise.all(paths.map(async (path) => (await server.as(key).get(path)).status));
  expect(await statuses()).toEqual([200, 200, 200]);
  await server.as(owner).delete(`/org/main/members/${id}`);
  expect(await statuses()).toEqual([403, 403, 403]);
  await server.as(owner).post('/org/main/members', { user: username });
  expect(await statuses()).toEqual([200, 200, 200]);
});

test('a change of a workspace role takes effect immediately', async () => {
  const { id, key } = await server.addPerson('worker', { role: 'member' });
  await server.as(owner).post('/org/main/ws', { name: 'shop' });
  const work = async () =>
    (await server.as(key).post('/org/main/ws/shop/projects', { name: uuidv7().slice(24) })).status;
  const set = (role: string) => server.as(owner).put(`/org/main/ws/shop/members/${id}`, { role });
  expect(await work()).toBe(201);
  await set('reader');
  expect(await work()).toBe(403);
  await set('contributor');
  expect(await work()).toBe(201);
  await server.as(owner).delete(`/org/main/ws/shop/members/${id}`);
  expect(await work()).toBe(201);
  await server.as(owner).patch('/org/main/ws/shop', { is_restricted: true });
  expect(await work()).toBe(404);
});

test('deletion of an API key takes effect immediately', async () => {
  const { key, id } = (await server.as(member).post('/user/api-keys', { name: 'short-lived' })).body;
  expect((await server.as(key).get('/user')).status).toBe(200);
  await server.as(member).delete(`/user/api-keys/${id}`);
  expect(await server.as(key).get('/user')).toMatchObject(unauthorized('authentication_error'));
});
