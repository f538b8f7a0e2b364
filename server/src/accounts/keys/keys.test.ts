import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Client, startTestServer, type TestResponse } from '../../../test/harness.ts';
import { SCOPES, type Scope } from '../../platform/auth/scopes.ts';

const server = await startTestServer({ DRYDOCK_SIGNUP: 'open' });
const { owner, db } = server;
const NOBODY = '00000000-0000-0000-0000-000000000000';
const FORBIDDEN = { status: 403, body: { code: 403, type: 'forbidden_error' } };
const NOT_FOUND = { status: 404, body: { code: 404, type: 'not_found_error' } };
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

// Owner of `main` and of a second organization.
const ann = await server.addPerson('ann', { role: 'owner' });
await server.as(ann).post('/user/onboarding', { username: 'ann', org_name: 'Beside' });
const mainId: string = (await server.as(ann).get('/org/main')).body.id;
const besideId: string = (await server.as(ann).get('/org/beside')).body.id;
const shop = (await server.as(ann).post('/org/main/ws', { name: 'shop' })).body;

async function makeKey(limits: object = {}, as = server.as(ann)) {
  const response = await as.post('/user/api-keys', { name: 'a key', ...limits });
  expect(response.status).toBe(201);
  return response.body;
}

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

const findListed = async (id: string, as = server.as(ann)) =>
  (await as.get('/user/api-keys')).body.find((key: { id: string }) => key.id === id);

test('a key is returned once, later only masked, and stored only as a digest', async () => {
  const { key, ...created } = await makeKey({ name: ' CI ', allow_self_revoke: true });
  expect(key).toMatch(/^dd_[A-Za-z0-9_-]{40}$/);
  expect(created).toEqual({
    id: expect.any(String),
    masked_key: `${key.slice(0, 7)}…${key.slice(-4)}`,
    name: 'CI',
    active: true,
    org_id: null,
    workspace_id: null,
    allowed_scopes: null,
    allow_self_revoke: true,
    created_at: TIME,
    last_used_at: null,
    expires_at: null,
  });
  expect(await findListed(created.id)).toEqual(created);
  const row = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('id', '=', created.id)
    .executeTakeFirstOrThrow();
  const { key_hash, ...others } = row;
  expect(key_hash).toEqual(createHash('sha256').update(key).digest());
  expect(JSON.stringify(others)).not.toContain(key.slice(7, -4));
});

test('listing keys returns only those of the caller', async () => {
  const { id } = await makeKey();
  expect(await findListed(id, server.as(owner))).toBeUndefined();
});

test('the last use of a key is stored, whichever header contains the key', async () => {
  const byBearer = await makeKey();
  const byHeader = await makeKey();
  expect((await server.as(byBearer.key).get('/user')).status).toBe(200);
  const headers = { 'x-api-key': byHeader.key };
  expect((await server.as(undefined).get('/user', undefined, headers)).body.id).toBe(ann.id);
  for (const { id } of [byBearer, byHeader]) expect((await findListed(id)).last_used_at).toEqual(TIME);
});

test('the available scopes are listed', async () => {
  const resources =
    'user organization members workspaces projects datasets models capabilities tasks task_sets storage sessions ' +
    'traces usage exports inference runtimes evaluations training optimization airt';
  const response = await server.as(ann).get('/user/api-keys/scopes');
  expect(response.status).toBe(200);
  expect(response.body).toEqual(
    resources.split(' ').map((resource) => ({
      resource,
      actions: resource === 'training' ? ['read', 'write', 'work'] : ['read', 'write'],
    })),
  );
});

test.each<[Scope, (as: Client) => Promise<TestResponse>, number]>([
  ['user:read', (as) => as.get('/user'), 200],
  ['user:read', (as) => as.get('/user/limits'), 200],
  ['user:write', (as) => as.post('/user/onboarding', {}), 422],
  ['organization:read', (as) => as.get('/user/organizations'), 200],
  ['organization:read', (as) => as.get('/org/main'), 200],
  ['organization:read', (as) => as.get('/org/main/audit-log'), 200],
  ['organization:write', (as) => as.patch('/org/main', {}), 200],
  ['members:read', (as) => as.get('/org/main/members'), 200],
  ['members:read', (as) => as.get('/org/main/invitations'), 200],
  ['members:read', (as) => as.get('/org/main/ws/main/members'), 200],
  ['members:write', (as) => as.post('/org/main/members', {}), 422],
  ['members:write', (as) => as.patch(`/org/main/members/${NOBODY}`, { role: 'admin' }), 404],
  ['members:write', (as) => as.delete(`/org/main/members/${NOBODY}`), 404],
  ['members:write', (as) => as.post('/org/main/invitations', {}), 422],
  ['members:write', (as) => as.put(`/org/main/ws/main/members/${NOBODY}`, { role: 'admin' }), 404],
  ['workspaces:read', (as) => as.get('/org/main/ws'), 200],
  ['workspaces:read', (as) => as.get('/org/main/ws/main'), 200],
  ['workspaces:write', (as) => as.post('/org/main/ws', {}), 422],
  ['workspaces:write', (as) => as.patch('/org/main/ws/main', {}), 200],
  ['workspaces:write', (as) => as.delete('/org/main/ws/main'), 409],
  ['projects:read', (as) => as.get('/org/main/ws/main/projects'), 200],
  ['projects:write', (as) => as.post('/org/main/ws/main/projects', {}), 422],
])('the scope %s is sufficient and necessary for %s', async (scope, call, status) => {
  const enough = await makeKey({ allowed_scopes: [scope] });
  expect((await call(server.as(enough.key))).status).toBe(status);
  const allOthers = await makeKey({ allowed_scopes: SCOPES.filter((other) => other !== scope) });
  expect(await call(server.as(allOthers.key))).toMatchObject(FORBIDDEN);
});

test.each<[string, (as: Client) => Promise<TestResponse>]>([
  ['list keys', (as) => as.get('/user/api-keys')],
  ['list scopes', (as) => as.get('/user/api-keys/scopes')],
  ['make a key', (as) => as.post('/user/api-keys', { name: 'wider' })],
  ['delete a key', (as) => as.delete(`/user/api-keys/${NOBODY}`)],
  ['list secrets', (as) => as.get('/user/secrets')],
  ['make a secret', (as) => as.post('/user/secrets', { name: `S${Date.now()}`, value: 'x' })],
  ['read a secret', (as) => as.get(`/user/secrets/${NOBODY}`)],
  ['replace a secret', (as) => as.put(`/user/secrets/${NOBODY}`, { value: 'x' })],
  ['delete a secret', (as) => as.delete(`/user/secrets/${NOBODY}`)],
  ['change the user', (as) => as.patch('/user', { email_opt_in: true })],
])('a restricted key cannot %s', async (_name, call) => {
  for (const limits of [{ allowed_scopes: SCOPES }, { org_id: mainId }, { workspace_id: shop.id }]) {
    expect(await call(server.as((await makeKey(limits)).key))).toMatchObject(FORBIDDEN);
  }
  expect((await call(server.as((await makeKey()).key))).status).not.toBe(403);
});

test('an access token can create keys', async () => {
  const request = { email_address: 'cleo@example.com', password: 'long enough', username: 'cleo' };
  const { access_token } = (await server.as(undefined).post('/auth/signup', request)).body;
  const { key } = await makeKey({}, server.as(access_token));
  expect((await server.as(key).get('/user')).body.username).toBe('cleo');
});

test('a key limited to an organization has no access to others', async () => {
  const { key, org_id } = await makeKey({ org_id: mainId });
  expect(org_id).toBe(mainId);
  expect((await server.as(key).get('/org/main/ws/main/projects')).status).toBe(200);
  expect((await server.as(key).get('/org/main/members')).status).toBe(200);
  const foreign = await server.as(key).get('/org/beside');
  const unknown = await server.as(key).get('/org/no-such-organization');
  expect(foreign).toMatchObject(FORBIDDEN);
  expect(foreign.body).toEqual(unknown.body);
  const { body } = await server.as(key).get('/user/organizations');
  expect(body.map((organization: { key: string }) => organization.key)).toEqual(['main']);
  expect((await server.as(key).get('/user')).body.teams).toMatchObject([{ org_id: mainId }]);
});

test('a key limited to a workspace has access to that workspace only, and administers nothing outside of it', async () => {
  const { key, org_id, workspace_id } = await makeKey({ workspace_id: shop.id });
  expect({ org_id, workspace_id }).toEqual({ org_id: mainId, workspace_id: shop.id });
  const as = server.as(key);
  expect((await as.get('/org/main/ws')).body.map(({ id }: { id: string }) => id)).toEqual([shop.id]);
  expect((await as.post('/org/main/ws/shop/projects', { name: 'inside' })).status).toBe(201);
  for (const response of [
    await as.get('/org/main/ws/main'),
    await as.get('/org/main/ws/main/projects'),
    await as.get('/org/beside'),
    await as.post('/org/main/ws', { name: 'more' }),
    await as.patch('/org/main', { description: 'mine' }),
    await as.post('/org/main/members', { user: 'cleo' }),
    await as.post('/user/onboarding', { username: 'ann' }),
  ]) {
    expect(response).toMatchObject(FORBIDDEN);
  }
});

test('updateTaskSetVisibility and createTaskSet refuse to publish for a key limited to a workspace', async () => {
  const { key } = await makeKey({ workspace_id: shop.id });
  const as = server.as(key);
  expect(await as.patch('/org/main/datasets/any/visibility', { is_public: true })).toMatchObject(FORBIDDEN);
  expect(await as.patch('/org/main/task-sets/any/visibility', { is_public: true })).toMatchObject(FORBIDDEN);
  expect(
    await as.post('/org/main/task-sets', { name: 'public-set', members: [], is_public: true }),
  ).toMatchObject(FORBIDDEN);
});

test('a key can only be limited to resources that its user can see', async () => {
  const ben = await server.addPerson('ben', { role: 'member' });
  const hidden = (await server.as(ann).post('/org/main/ws', { name: 'hidden', is_restricted: true })).body;
  for (const [limits, loc] of [
    [{ org_id: besideId }, ['body', 'org_id']],
    [{ org_id: NOBODY }, ['body', 'org_id']],
    [{ workspace_id: hidden.id }, ['body', 'workspace_id']],
    [{ workspace_id: NOBODY }, ['body', 'workspace_id']],
  ] as const) {
    const response = await server.as(ben).post('/user/api-keys', { name: 'a key', ...limits });
    expect(response).toMatchObject({ status: 422, body: { errors: [{ loc }] } });
  }
  const elsewhere = { name: 'a key', org_id: besideId, workspace_id: shop.id };
  expect((await server.as(ann).post('/user/api-keys', elsewhere)).status).toBe(422);
});

test('a key never has more access than its user', async () => {
  const dan = await server.addPerson('dan', { role: 'member' });
  const { key } = await makeKey({ org_id: mainId }, server.as(dan));
  expect((await server.as(key).get('/org/main')).status).toBe(200);
  expect(await server.as(key).post('/org/main/ws', { name: 'no' })).toMatchObject(FORBIDDEN);
  await server.as(ann).delete(`/org/main/members/${dan.id}`);
  expect(await server.as(key).get('/org/main')).toMatchObject(FORBIDDEN);
});

test('a key is valid until it expires', async () => {
  const { id, key, expires_at } = await makeKey({ expires_at: '2999-12-31T23:00:00.5+02:00' });
  expect(expires_at).toBe('2999-12-31T21:00:00.500Z');
  await db
    .updateTable('api_keys')
    .set({ expires_at: inHours(-1) })
    .where('id', '=', id)
    .execute();
  expect(await findListed(id)).toMatchObject({ active: false });
  const expired = { status: 401, body: { code: 401, type: 'expired_token_error' } };
  expect(await server.as(key).get('/user')).toMatchObject(expired);
});

test('an expiring key cannot create a key that lives longer', async () => {
  const { key, expires_at } = await makeKey({ expires_at: inHours(2) });
  const longer = await server.as(key).post('/user/api-keys', { name: 'longer', expires_at: inHours(3) });
  expect(longer).toMatchObject(FORBIDDEN);
  expect((await makeKey({}, server.as(key))).expires_at).toBe(expires_at);
  const sooner = inHours(1);
  expect((await makeKey({ expires_at: sooner }, server.as(key))).expires_at).toBe(sooner);
});

test.each([{}, { org_id: mainId }, { workspace_id: shop.id }, { allowed_scopes: ['user:write'] }])(
  'a key limited by %j can delete itself only if it was created with allow_self_revoke',
  async (limits) => {
    const may = await makeKey({ ...limits, allow_self_revoke: true });
    expect(await server.as(may.key).delete('/user/api-keys/self')).toMatchObject({ status: 204, body: '' });
    expect((await server.as(may.key).get('/user')).status).toBe(401);
    expect(await findListed(may.id)).toBeUndefined();
    const mayNot = await makeKey(limits);
    expect(await server.as(mayNot.key).delete('/user/api-keys/self')).toMatchObject(FORBIDDEN);
    expect(await findListed(mayNot.id)).toMatchObject({ active: true });
  },
);

test('deleteOwnKey refuses an access token', async () => {
  const request = { email_address: 'token@example.com', password: 'long enough' };
  const { access_token } = (await server.as(undefined).post('/auth/signup', request)).body;
  expect(await server.as(access_token).delete('/user/api-keys/self')).toMatchObject(FORBIDDEN);
});

test('a key can be deleted by its user only', async () => {
  const { id, key } = await makeKey();
  expect(await server.as(owner).delete(`/user/api-keys/${id}`)).toMatchObject(NOT_FOUND);
  expect((await server.as(key).get('/user')).status).toBe(200);
  expect(await server.as(ann).delete(`/user/api-keys/${id}`)).toMatchObject({ status: 204, body: '' });
  expect((await server.as(key).get('/user')).status).toBe(401);
  expect(await server.as(ann).delete(`/user/api-keys/${id}`)).toMatchObject(NOT_FOUND);
});

test.each([
  [{}, ['body', 'name']],
  [{ name: ' ' }, ['body', 'name']],
  [{ name: 'a', allowed_scopes: [] }, ['body', 'allowed_scopes']],
  [{ name: 'a', allowed_scopes: ['user:read', 'user:admin'] }, ['body', 'allowed_scopes', 1]],
  [{ name: 'a', expires_at: 'tomorrow' }, ['body', 'expires_at']],
  [{ name: 'a', expires_at: '2020-01-01T00:00:00Z' }, ['body', 'expires_at']],
  [{ name: 'a', org_id: 'main' }, ['body', 'org_id']],
  [{ name: 'a', allow_self_revoke: 'yes' }, ['body', 'allow_self_revoke']],
])('creating a key with %j is refused with an error at %j', async (request, loc) => {
  const response = await server.as(ann).post('/user/api-keys', request);
  expect(response).toMatchObject({ status: 422, body: { type: 'validation_error', errors: [{ loc }] } });
});

test('a key limited to a workspace cannot read the organization', async () => {
  const { body: main } = await server.as(server.owner).get('/org/main/ws/main');
  const request = { name: 'narrow', workspace_id: main.id };
  const { key } = (await server.as(server.owner).post('/user/api-keys', request)).body;
  for (const path of ['/org/main', '/org/main/audit-log', '/org/main/members', '/org/main/invitations']) {
    expect(await server.as(key).get(path)).toMatchObject({ status: 403 });
  }
  expect((await server.as(key).get('/org/main/ws')).body).toHaveLength(1);
  expect((await server.as(key).get('/org/main/ws/main/projects')).status).toBe(200);
});
