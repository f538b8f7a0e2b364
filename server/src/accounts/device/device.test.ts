import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { FIRST_START } from '../../../test/first-start.ts';
import { type Person, startTestServer, type TestResponse } from '../../../test/harness.ts';
import { tokenHash } from '../../platform/auth/random-token.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { createDeviceCode, forgetOldDeviceCodes, newUserCode, readUserCode, showUserCode } from './store.ts';

const server = await startTestServer({ DRYDOCK_PUBLIC_URL: 'https://drydock.example/' });
const { db, owner } = server;
const nobody = server.as(undefined);
const ann = await server.addPerson('ann');
const ben = await server.addPerson('ben');

const GONE = { status: 404, body: { code: 404, type: 'not_found_error' } };
const TAKEN = { status: 409, body: { code: 409, type: 'conflict_error' } };
const LIMITED = { status: 429, body: { type: 'usage_limit_exceeded_error' } };

let lastAddress = 0;
/** Uses a separate address each time, because the number of codes per address is limited. */
async function begin() {
  const remoteAddress = `10.9.${lastAddress >> 8}.${lastAddress++ & 255}`;
  const response = await server.app.inject({
    method: 'POST',
    url: '/api/v1/auth/device/code',
    remoteAddress,
  });
  expect(response.statusCode).toBe(201);
  return response.json();
}

const getLogin = (device_code: string) => nobody.get(`/auth/device/code/${device_code}`);
const approve = (who: Person | string, user_code: string) =>
  server.as(who).post('/auth/device/approve', { user_code });
const exchange = (device_code: string) => nobody.post('/auth/device/token', { device_code });
const statusesOf = (responses: TestResponse[]) =>
  responses.map(({ status }) => status).toSorted((a, b) => a - b);

async function expire(id: string): Promise<void> {
  const expires_at = new Date(Date.now() - 1).toISOString();
  await db.updateTable('device_codes').set({ expires_at }).where('id', '=', id).execute();
}

test('a program shows a code, a user approves it, and the program is signed in as that user', async () => {
  const code = await begin();
  expect(code).toEqual({
    id: expect.any(String),
    device_code: expect.stringMatching(/^ddc_[\w-]{40}$/),
    user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
    verification_url: `https://drydock.example/device?user_code=${code.user_code}`,
    expires_at: expect.any(String),
    expires_in: 600,
    completed: false,
    user_id: null,
  });
  expect((await getLogin(code.device_code)).body).toEqual({ ...code, expires_in: expect.any(Number) });
  expect(await exchange(code.device_code)).toMatchObject({
    status: 400,
    body: { code: 400, type: 'invalid_error', detail: expect.stringContaining('ask again in 5 seconds') },
    headers: { 'retry-after': '5' },
  });

  const approval = await approve(ann, code.user_code);
  expect(approval.status).toBe(200);
  expect(approval.body).toEqual({
    id: code.id,
    user_code: code.user_code,
    completed: true,
    user_id: ann.id,
  });
  expect((await getLogin(code.device_code)).body).toMatchObject({ completed: true, user_id: ann.id });

  const tokens = await exchange(code.device_code);
  expect(tokens.status).toBe(200);
  expect(tokens.body).toEqual({
    access_token: expect.any(String),
    token_type: 'Bearer',
    expires_in: 900,
    refresh_token: expect.stringMatching(/^ddr_/),
  });
  expect((await server.as(tokens.body.access_token).get('/user')).body.id).toBe(ann.id);
  const { refresh_token } = tokens.body;
  expect((await nobody.post('/auth/refresh', { refresh_token })).status).toBe(200);
});

test('a code is exchanged for tokens once, even by concurrent requests', async () => {
  const { device_code, user_code } = await begin();
  await approve(ann, user_code);
  // Opens the connections beforehand; otherwise the first request would finish before the others are connected.
  await Promise.all(Array.from({ length: 5 }, () => sql`SELECT pg_sleep(0.2)`.execute(db)));
  const responses = await Promise.all(Array.from({ length: 5 }, () => exchange(device_code)));
  expect(statusesOf(responses)).toEqual([200, 404, 404, 404, 404]);
  expect(await exchange(device_code)).toMatchObject(GONE);
});

test('unknown and expired codes are refused', async () => {
  expect(await getLogin('ddc_unknown')).toMatchObject(GONE);
  expect(await exchange('ddc_unknown')).toMatchObject(GONE);
  expect(await approve(ann, 'BCDF-GHJK')).toMatchObject(GONE);

  const pending = await begin();
  const approved = await begin();
  await approve(ann, approved.user_code);
  for (const { id, device_code, user_code } of [pending, approved]) {
    await expire(id);
    expect(await getLogin(device_code)).toMatchObject(GONE);
    expect(await exchange(device_code)).toMatchObject(GONE);
    expect(await approve(ben, user_code)).toMatchObject(GONE);
  }
});

test.each([
  ['lower case', (code: string) => code.toLowerCase()],
  ['without the dash', (code: string) => code.replace('-', '')],
  ['with spaces and another dash', (code: string) => ` ${code.replace('-', ' – ')} `],
])('a code is recognized in the form: %s', async (_name, typed) => {
  const { user_code } = await begin();
  expect(await approve(ann, typed(user_code))).toMatchObject({ status: 200, body: { user_code } });
});

test('an approval cannot be repeated by its author or another user', async () => {
  const { device_code, user_code } = await begin();
  const responses = await Promise.all([approve(ann, user_code), approve(ben, user_code)]);
  expect(statusesOf(responses)).toEqual([200, 409]);
  const first = responses.find(({ status }) => status === 200);
  for (const person of [ann, ben]) expect(await approve(person, user_code)).toMatchObject(TAKEN);
  expect((await getLogin(device_code)).body.user_id).toBe(first?.body.user_id);
  await exchange(device_code);
  for (const person of [ann, ben]) expect(await approve(person, user_code)).toMatchObject(TAKEN);
});

test('only the device code gives access to the result, and only its digest is stored', async () => {
  const { id, device_code, user_code } = await begin();
  await approve(ann, user_code);
  for (const guess of [id, user_code, readUserCode(user_code), device_code.slice(0, -1)]) {
    expect(await getLogin(guess)).toMatchObject(GONE);
    expect(await exchange(guess)).toMatchObject(GONE);
  }
  const { rows } = await sql<{ row: string }>`
    SELECT c::text AS row FROM device_codes c WHERE id = ${id}
    UNION ALL SELECT a::text FROM account_audit_log a WHERE user_id = ${ann.id}
  `.execute(db);
  expect(rows.length).toBeGreaterThan(1);
  expect(JSON.stringify(rows)).not.toContain(device_code);
  expect(JSON.stringify(rows)).toContain(tokenHash(device_code).toString('hex'));
});

test('an approval is in the audit log of the approving user', async () => {
  const { id, user_code } = await begin();
  await approve(ben, user_code);
  const entries = db.selectFrom('account_audit_log').select(['user_id', 'action', 'before', 'after']);
  expect(await entries.where('resource', '=', `device-codes/${id}`).execute()).toEqual([
    { user_id: ben.id, action: 'device.approved', before: null, after: null },
  ]);
});

describe('restrictions on the approving user', () => {
  const makeKey = async (limits: object) =>
    (await server.as(ann).post('/user/api-keys', { name: 'limited', ...limits })).body.key;

  test('approval requires a key without restrictions or expiry', async () => {
    const { device_code, user_code } = await begin();
    for (const limits of [
      { allowed_scopes: ['user:write'] },
      { expires_at: new Date(Date.now() + 3_600_000).toISOString() },
    ]) {
      expect(await approve(await makeKey(limits), user_code)).toMatchObject({ status: 403 });
    }
    expect((await getLogin(device_code)).body.completed).toBe(false);
  });

  test('an approved code gives no tokens once the user is suspended', async () => {
    const eve = await server.addPerson('eve');
    const { device_code, user_code } = await begin();
    await approve(eve, user_code);
    await db
      .updateTable('users')
      .set({ suspended_at: new Date().toISOString() })
      .where('id', '=', eve.id)
      .execute();
    expect(await exchange(device_code)).toMatchObject({ status: 403, body: { type: 'user_suspended' } });
    expect(await db.selectFrom('logins').select('id').where('user_id', '=', eve.id).execute()).toEqual([]);
  });

  test('deleting the key that approved a code withdraws the approval', async () => {
    const { device_code, user_code } = await begin();
    const { id, key } = (await server.as(ann).post('/user/api-keys', { name: 'approving' })).body;
    expect((await approve(key, user_code)).status).toBe(200);
    expect((await server.as(ann).delete(`/user/api-keys/${id}`)).status).toBe(204);
    expect(await exchange(device_code)).toMatchObject(GONE);
  });

  test('ending the login that approved a code withdraws the approval', async () => {
    const credentials = { email_address: owner.email, password: FIRST_START.password };
    const logIn = async () => (await nobody.post('/auth/login', credentials)).body;
    const [ended, other] = [await logIn(), await logIn()];
    const codes = [await begin(), await begin()] as const;
    expect((await approve(ended.access_token, codes[0].user_code)).status).toBe(200);
    expect((await approve(other.access_token, codes[1].user_code)).status).toBe(200);
    const { refresh_token } = ended;
    expect((await nobody.post('/auth/logout', { refresh_token })).status).toBe(200);
    expect(await exchange(codes[0].device_code)).toMatchObject(GONE);
    expect((await exchange(codes[1].device_code)).status).toBe(200);
  });

  test("changing the password withdraws the user's approvals", async () => {
    const { device_code, user_code } = await begin();
    await approve(owner, user_code);
    const change = { current_password: FIRST_START.password, password: 'another password' };
    expect((await server.as(owner).patch('/user', change)).status).toBe(200);
    expect(await exchange(device_code)).toMatchObject(GONE);
  });

  test('a user has ten wrong codes per quarter of an hour, also concurrently, and right ones do not count', async () => {
    const fay = await server.addPerson('fay');
    for (let i = 0; i < 12; i++) expect((await approve(fay, (await begin()).user_code)).status).toBe(200);
    const guesses = await Promise.all(Array.from({ length: 12 }, () => approve(fay, newUserCode())));
    expect(statusesOf(guesses)).toEqual([...Array<number>(10).fill(404), 429, 429]);
    const { user_code } = await begin();
    expect(await approve(fay, user_code)).toMatchObject(LIMITED);
    expect((await approve(ann, user_code)).status).toBe(200);
  });
});

test('a request without required fields accepts an empty object', async () => {
  const url = '/api/v1/auth/device/code';
  const response = await server.app.inject({ method: 'POST', url, remoteAddress: '10.7.0.1', payload: {} });
  expect(response.statusCode).toBe(201);
});

test('the number of codes per address is limited', async () => {
  const subject = 'device codes from 127.0.0.1';
  const turns = Array.from({ length: 59 }, () => ({ id: uuidv7(), subject, address: subject }));
  await db.insertInto('login_attempts').values(turns).execute();
  expect((await nobody.post('/auth/device/code')).status).toBe(201);
  expect(await nobody.post('/auth/device/code')).toMatchObject(LIMITED);
  await begin();
});

test('a user code in use is not issued again', async () => {
  const { user_code } = await begin();
  const free = newUserCode();
  const generate = vi.fn().mockReturnValueOnce(readUserCode(user_code)).mockReturnValueOnce(free);
  const code = await createDeviceCode(db, '', '10.8.0.1', generate);
  expect(code.user_code).toBe(showUserCode(free));
  expect(generate).toHaveBeenCalledTimes(2);
});

test('cleanup deletes only expired codes', async () => {
  const [old, live] = [await begin(), await begin()];
  await expire(old.id);
  expect(await forgetOldDeviceCodes(db)).toBeGreaterThanOrEqual(1);
  const left = db.selectFrom('device_codes').select('id').where('id', 'in', [old.id, live.id]);
  expect(await left.execute()).toEqual([{ id: live.id }]);
});
