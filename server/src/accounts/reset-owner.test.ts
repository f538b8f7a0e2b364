import { expect, test } from 'vitest';
import { FIRST_START } from '../../test/first-start.ts';
import { startTestServer } from '../../test/harness.ts';
import { tokenHash } from '../platform/auth/random-token.ts';
import { uuidv7 } from '../platform/uuid.ts';
import { resetOwner } from './reset-owner.ts';

const server = await startTestServer();
const { db, owner } = server;
const nobody = server.as(undefined);

const logIn = (password: string) => nobody.post('/auth/login', { email_address: owner.email, password });
const setAdmin = (id: string, is_platform_admin: boolean) =>
  db.updateTable('users').set({ is_platform_admin }).where('id', '=', id).execute();

test('resetting the owner sets a new password and key, and closes everything that the old ones opened', async () => {
  const login = (await logIn(FIRST_START.password)).body;
  const makeKey = async (name: string) => (await server.as(owner).post('/user/api-keys', { name })).body;
  const kept = [await makeKey('ci'), await makeKey('first start'), await makeKey('reset')];
  const { device_code, user_code } = (await nobody.post('/auth/device/code')).body;
  expect((await server.as(owner).post('/auth/device/approve', { user_code })).status).toBe(200);
  const suspended_at = new Date().toISOString();
  await db.updateTable('users').set({ suspended_at }).where('id', '=', owner.id).execute();
  const attempt = { subject: owner.email, address: '127.0.0.1' };
  await db
    .insertInto('login_attempts')
    .values(Array.from({ length: 10 }, () => ({ id: uuidv7(), ...attempt })))
    .execute();

  const reset = await resetOwner(db, 'owner');
  expect(reset).toEqual({
    username: 'owner',
    email: owner.email,
    password: expect.stringMatching(/^[\w-]{20}$/),
    apiKey: expect.stringMatching(/^dd_[\w-]{40}$/),
  });
  expect((await logIn(reset.password)).status).toBe(200);
  expect((await logIn(FIRST_START.password)).status).toBe(401);
  expect((await server.as(reset.apiKey).get('/user')).body).toMatchObject({ is_platform_admin: true });
  for (const { key } of kept) expect((await server.as(key).get('/user')).status).toBe(200);
  expect((await server.as(FIRST_START.apiKey).get('/user')).status).toBe(401);
  expect((await server.as(login.access_token).get('/user')).status).toBe(401);
  const { refresh_token } = login;
  expect((await nobody.post('/auth/refresh', { refresh_token })).status).toBe(401);
  expect((await nobody.post('/auth/device/token', { device_code })).status).toBe(404);

  const entries = db.selectFrom('account_audit_log').select(['before', 'after']);
  expect(await entries.where('action', '=', 'user.reset').execute()).toEqual([
    { before: { is_suspended: true }, after: { is_suspended: false } },
  ]);
});

test('a second reset ends the key of the first, which the audit log shows', async () => {
  const first = await resetOwner(db, 'owner');
  const { id } = await db
    .selectFrom('api_keys')
    .select('id')
    .where('key_hash', '=', tokenHash(first.apiKey))
    .executeTakeFirstOrThrow();
  const second = await resetOwner(db, 'owner');
  expect((await server.as(first.apiKey).get('/user')).status).toBe(401);
  expect((await server.as(second.apiKey).get('/user')).status).toBe(200);
  const entries = db.selectFrom('account_audit_log').select(['user_id', 'action', 'request_id', 'before']);
  const deletions = entries.where('resource', '=', `api-keys/${id}`).where('action', '=', 'api_key.deleted');
  expect(await deletions.execute()).toEqual([
    { user_id: owner.id, action: 'api_key.deleted', request_id: 'reset-owner', before: { name: 'reset' } },
  ]);
});

test('the last of two concurrent resets wins', async () => {
  const resets = await Promise.all([resetOwner(db, 'owner'), resetOwner(db, 'owner')]);
  const statuses = await Promise.all(
    resets.map(async ({ apiKey }) => (await server.as(apiKey).get('/user')).status),
  );
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 401]);
});

test('reset chooses the oldest platform admin when the given name is not that of one', async () => {
  await server.addPerson('someone-else');
  const younger = await server.addPerson('younger');
  await setAdmin(younger.id, true);
  expect(await resetOwner(db, 'no-such-user')).toMatchObject({ username: 'owner' });
  expect(await resetOwner(db, 'someone-else')).toMatchObject({ username: 'owner' });
  expect(await resetOwner(db, 'younger')).toMatchObject({ username: 'younger', email: younger.email });
  await setAdmin(younger.id, false);
});

test('reset fails with the reason when there is no platform admin', async () => {
  await setAdmin(owner.id, false);
  await expect(resetOwner(db, 'owner')).rejects.toThrow('This database has no platform admin.');
  await setAdmin(owner.id, true);
});
