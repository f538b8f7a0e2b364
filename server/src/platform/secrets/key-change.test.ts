/** What a client observes while the secret key is rotated. */
import { afterAll, expect, test } from 'vitest';
import { type Client, createClient, SECRET_KEY, startTestServer } from '../../../test/harness.ts';
import { buildApp } from '../../app.ts';
import { loadConfig } from '../../config.ts';
import { SEALED_TABLES } from '../../sealed-tables.ts';
import { createLog } from '../log.ts';
import { createVault } from './envelope.ts';
import { rewrapAll } from './rewrap.ts';

const before = await startTestServer();
const log = createLog('fatal');
const NEXT_KEY = 'the-next-secret-key-the-next-secret-key';
const options = { config: loadConfig({}), secretKey: NEXT_KEY, db: before.db, storage: before.storage, log };
const during = await buildApp({ ...options, otherSecretKey: SECRET_KEY });
const after = await buildApp(options);
afterAll(() => Promise.all([during.close(), after.close()]));

const credentials = { email_address: before.owner.email, password: 'correct horse battery staple' };

test('access tokens of the previous key are valid as long as the key is known', async () => {
  const { access_token } = (await before.as(undefined).post('/auth/login', credentials)).body;
  expect((await createClient(() => during, access_token).get('/user')).status).toBe(200);
  expect(await createClient(() => after, access_token).get('/user')).toMatchObject({
    status: 401,
    body: { type: 'token_error' },
  });
});

test('tokens issued during the rotation stay valid afterwards', async () => {
  const { access_token } = (await createClient(() => during, undefined).post('/auth/login', credentials))
    .body;
  expect((await createClient(() => after, access_token).get('/user')).status).toBe(200);
  expect((await before.as(access_token).get('/user')).status).toBe(401);
});

test('a login continues with its refresh token under either key', async () => {
  const { refresh_token } = (await before.as(undefined).post('/auth/login', credentials)).body;
  const refreshed = await createClient(() => after, undefined).post('/auth/refresh', { refresh_token });
  expect(refreshed.status).toBe(200);
});

test('a list continues from a cursor of the previous key', async () => {
  const list = '/org/main/audit-log?limit=1';
  for (const name of ['one', 'two', 'three'])
    await before.as(before.owner).post('/org/main/ws/main/projects', { name });
  const { body } = await before.as(before.owner).get(list);
  const rest = `${list}&cursor=${body.next_cursor}`;
  expect((await createClient(() => during, before.owner.key).get(rest)).status).toBe(200);
  expect((await createClient(() => after, before.owner.key).get(rest)).status).toBe(422);
});

test('an idempotent call that completed before a rotation returns the same response after it', async () => {
  const invite = (client: Client) =>
    client.post(
      '/org/main/invitations',
      { email_address: 'ada@example.com', role: 'member' },
      { 'idempotency-key': 'sent around the rotation' },
    );
  const first = await invite(before.as(before.owner));
  expect(first.status).toBe(201);
  const { rewrapped, left } = await rewrapAll(before.db, createVault(NEXT_KEY, SECRET_KEY), SEALED_TABLES);
  expect([rewrapped, left]).toEqual([1, 0]);
  const again = await invite(createClient(() => after, before.owner.key));
  expect(again).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } });
  expect(again.body).toEqual(first.body);
});
