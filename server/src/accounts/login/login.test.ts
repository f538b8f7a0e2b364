import { expect, test } from 'vitest';
import { startTestServer, type TestResponse } from '../../../test/harness.ts';
import { hashPassword, verifyPassword } from '../../platform/auth/passwords.ts';
import { tokenHash } from '../../platform/auth/random-token.ts';
import { uuidv7 } from '../../platform/uuid.ts';

const server = await startTestServer({ DRYDOCK_SIGNUP: 'open' });
const closed = await startTestServer();
const nobody = server.as(undefined);
const PASSWORD = 'a long enough password';
const HERE = '127.0.0.1';

const addressOf = (username: string) => `${username}@example.com`;

async function signUp(username: string) {
  const email_address = addressOf(username);
  const response = await nobody.post('/auth/signup', { email_address, password: PASSWORD, username });
  expect(response.status).toBe(201);
  return response.body;
}

const logIn = (username: string, password = PASSWORD) =>
  nobody.post('/auth/login', { email_address: addressOf(username), password });

const logInFrom = (remoteAddress: string, email_address: string) =>
  server.app.inject({
    method: 'POST',
    url: '/api/v1/auth/login',
    remoteAddress,
    payload: { email_address, password: PASSWORD },
  });

const refresh = (refresh_token: string) => nobody.post('/auth/refresh', { refresh_token });

const statusesOf = (responses: TestResponse[]) =>
  responses.map(({ status }) => status).toSorted((a, b) => a - b);

const TOKENS = {
  access_token: expect.stringMatching(/^[\w-]+\.[\w-]+$/),
  token_type: 'Bearer',
  expires_in: 15 * 60,
  refresh_token: expect.stringMatching(/^ddr_[\w-]{40}$/),
};
const TOO_MANY = { status: 429, body: { code: 429, type: 'usage_limit_exceeded_error' } };

test('sign-up creates a user and signs them in', async () => {
  const email_address = ' Ann@Example.com ';
  const response = await nobody.post('/auth/signup', { email_address, password: PASSWORD, username: 'ann' });
  expect(response.status).toBe(201);
  expect(response.body).toEqual({
    ...TOKENS,
    user: expect.objectContaining({
      username: 'ann',
      email_address: 'ann@example.com',
      onboarding_complete: false,
      is_platform_admin: false,
      teams: [],
    }),
  });
  const me = await server.as(response.body.access_token).get('/user');
  expect(me).toMatchObject({ status: 200, body: { id: response.body.user.id, username: 'ann' } });
});

test('sign-up without a username derives a valid one from the email address', async () => {
  const usernames: string[] = [];
  for (const email_address of ['Ben.Fox@one.example', 'ben.fox@two.example']) {
    const { body } = await nobody.post('/auth/signup', { email_address, password: PASSWORD });
    expect(body.user.username).toMatch(/^ben-fox-[a-z0-9]+$/);
    usernames.push(body.user.username);
  }
  expect(new Set(usernames).size).toBe(2);
});

test('sign-up without an invitation is refused when sign-up is closed', async () => {
  const request = { email_address: 'x@example.com', password: PASSWORD, username: 'xxx' };
  const response = await closed.as(undefined).post('/auth/signup', request);
  expect(response).toMatchObject({ status: 403, body: { code: 403, type: 'forbidden_error' } });
  const users = await closed.db.selectFrom('users').select('username').execute();
  expect(users).toEqual([{ username: 'owner' }]);
});

test.each(['ab', 'Abc', '-abc', 'abc-', 'a_b', 'a b', 'äbc', 'abc\n', 'x'.repeat(40)])(
  'sign-up with the username %j is refused',
  async (username) => {
    const request = { email_address: 'new@example.com', password: PASSWORD, username };
    expect(await nobody.post('/auth/signup', request)).toMatchObject({
      status: 422,
      body: { code: 422, type: 'invalid_username_error', errors: [{ loc: ['body', 'username'] }] },
    });
  },
);

test.each([
  [{ email_address: 'no-at-sign', password: PASSWORD }, ['body', 'email_address']],
  [{ email_address: 'two@at@signs', password: PASSWORD }, ['body', 'email_address']],
  [{ password: PASSWORD }, ['body', 'email_address']],
  [{ email_address: 'a@b' }, ['body', 'password']],
  [{ email_address: 'a@b', password: '7 chars' }, ['body', 'password']],
  [{ email_address: 'a@b', password: 'x'.repeat(257) }, ['body', 'password']],
  [{ email_address: 'a@b', password: 'NUL \0 inside' }, ['body', 'password']],
])('sign-up with %j is refused with an error at %j', async (request, loc) => {
  const response = await nobody.post('/auth/signup', request);
  expect(response).toMatchObject({ status: 422, body: { type: 'validation_error', errors: [{ loc }] } });
});

test('a username and an email address are taken immediately', async () => {
  await signUp('carl');
  for (const [email_address, username] of [
    ['other@example.com', 'carl'],
    ['CARL@example.com', 'other'],
  ]) {
    const response = await nobody.post('/auth/signup', { email_address, password: PASSWORD, username });
    expect(response).toMatchObject({ status: 409, body: { code: 409, type: 'already_exists_error' } });
  }
});

test('one of two concurrent sign-ups with the same username succeeds', async () => {
  const responses = await Promise.all(
    ['one@example.com', 'two@example.com'].map((email_address) =>
      nobody.post('/auth/signup', { email_address, password: PASSWORD, username: 'twice' }),
    ),
  );
  expect(statusesOf(responses)).toEqual([201, 409]);
});

test('login returns the same as sign-up, regardless of the case of the address', async () => {
  const { user } = await signUp('dora');
  const response = await nobody.post('/auth/login', {
    email_address: ' DORA@example.com',
    password: PASSWORD,
  });
  const limits = { ...user.limits, checked_at: expect.any(String) };
  expect(response.status).toBe(200);
  expect(response.body).toEqual({ ...TOKENS, user: { ...user, limits } });
});

test('login returns the same for a wrong password and an unknown address', async () => {
  await signUp('emil');
  const wrong = await logIn('emil', 'not the password');
  const unknown = await logIn('nobody-of-this-name', 'not the password');
  expect(wrong).toMatchObject({ status: 401, body: { code: 401, type: 'authentication_error' } });
  expect({ status: unknown.status, body: unknown.body }).toEqual({ status: wrong.status, body: wrong.body });
});

const recordAttempts = (attempts: { subject: string; address: string }[]) =>
  server.db
    .insertInto('login_attempts')
    .values(attempts.map((attempt) => ({ id: uuidv7(), ...attempt })))
    .execute();

test('the eleventh login after ten failures is refused, even with the right password', async () => {
  await Promise.all([signUp('fred'), signUp('gina')]);
  await recordAttempts(Array.from({ length: 7 }, () => ({ subject: addressOf('fred'), address: HERE })));
  for (let attempt = 8; attempt <= 10; attempt++) {
    expect((await logIn('fred', 'wrong')).status).toBe(401);
  }
  const refused = await logIn('fred', 'wrong');
  expect(refused).toMatchObject(TOO_MANY);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(await logIn('fred')).toMatchObject(TOO_MANY);

  expect((await logIn('gina')).status).toBe(200);
  expect((await logInFrom('10.0.0.1', addressOf('fred'))).statusCode).toBe(200);
  const longAgo = new Date(Date.now() - 16 * 60 * 1000).toISOString();
  await server.db
    .updateTable('login_attempts')
    .set({ attempted_at: longAgo })
    .where('subject', '=', addressOf('fred'))
    .execute();
  expect((await logIn('fred')).status).toBe(200);
});

test('concurrent logins are limited to ten guesses as well', async () => {
  const responses = await Promise.all(Array.from({ length: 25 }, () => logIn('nobody-in-parallel', 'wrong')));
  const guesses = statusesOf(responses).filter((status) => status !== 429);
  expect(guesses.length).toBeLessThanOrEqual(10);
});

test('a successful login resets the failed attempts', async () => {
  await signUp('hugo');
  await recordAttempts(Array.from({ length: 9 }, () => ({ subject: addressOf('hugo'), address: HERE })));
  expect((await logIn('hugo')).status).toBe(200);
  expect((await logIn('hugo', 'wrong')).status).toBe(401);
  expect((await logIn('hugo', 'wrong')).status).toBe(401);
});

test.each([
  ['many accounts from one address', (i: number) => ({ subject: `${i}@example.com`, address: '10.0.0.2' })],
  [
    'one account from many addresses',
    (i: number) => ({ subject: addressOf('iris'), address: `10.1.0.${i}` }),
  ],
])('guessing at %s is rate limited', async (_name, attempt) => {
  await recordAttempts(Array.from({ length: 99 }, (_, i) => attempt(i)));
  const { subject, address } = attempt(99);
  expect((await logInFrom(address, subject)).statusCode).toBe(401);
  expect((await logInFrom(address, subject)).statusCode).toBe(429);
});

test('a refresh token is exchanged once for a new pair', async () => {
  const first = await signUp('jane');
  const response = await refresh(first.refresh_token);
  expect(response.status).toBe(200);
  expect(response.body).toEqual({ ...TOKENS, orgs: [] });
  expect(response.body.refresh_token).not.toBe(first.refresh_token);
  expect((await server.as(response.body.access_token).get('/user')).body.username).toBe('jane');
  expect((await refresh(response.body.refresh_token)).status).toBe(200);
});

test('a refresh returns the organizations of the user', async () => {
  const { refresh_token, user } = await signUp('karl');
  await server.as(server.owner).post('/org/main/members', { user: user.username });
  const main = { key: 'main', name: 'main' };
  expect((await refresh(refresh_token)).body).toEqual({ ...TOKENS, default_org: main, orgs: [main] });
});

test('reusing a refresh token ends its login with all tokens', async () => {
  const first = await signUp('lena');
  const second = (await refresh(first.refresh_token)).body;
  const elsewhere = (await logIn('lena')).body;
  expect(await refresh(first.refresh_token)).toMatchObject({ status: 401, body: { type: 'token_error' } });

  const ended = { status: 401, body: { code: 401, type: 'authentication_error' } };
  expect(await refresh(second.refresh_token)).toMatchObject(ended);
  expect(await server.as(second.access_token).get('/user')).toMatchObject(ended);
  expect(await server.as(first.access_token).get('/user')).toMatchObject(ended);
  expect((await server.as(elsewhere.access_token).get('/user')).status).toBe(200);
});

test('at most one of several concurrent refreshes with one token succeeds', async () => {
  const { refresh_token } = await signUp('mona');
  const statuses = statusesOf(await Promise.all([1, 2, 3, 4].map(() => refresh(refresh_token))));
  expect(statuses).toEqual([200, 401, 401, 401]);
});

test('a refresh token is stored as a digest and expires after 30 days', async () => {
  const { refresh_token } = await signUp('nils');
  const tokens = server.db.selectFrom('refresh_tokens').select('expires_at');
  const stored = await tokens.where('token_hash', '=', tokenHash(refresh_token)).executeTakeFirstOrThrow();
  const days = (Date.parse(stored.expires_at) - Date.now()) / (24 * 60 * 60 * 1000);
  expect(days).toBeCloseTo(30, 2);

  await server.db
    .updateTable('refresh_tokens')
    .set({ expires_at: new Date(Date.now() - 1000).toISOString() })
    .where('token_hash', '=', tokenHash(refresh_token))
    .execute();
  const expired = { status: 401, body: { code: 401, type: 'expired_token_error' } };
  expect(await refresh(refresh_token)).toMatchObject(expired);
});

test('an unknown refresh token is refused, and a valid one is not an access token', async () => {
  const { refresh_token } = await signUp('olga');
  const refused = { status: 401, body: { type: 'authentication_error' } };
  expect(await refresh(`${refresh_token.slice(0, -4)}0000`)).toMatchObject(refused);
  expect(await server.as(refresh_token).get('/user')).toMatchObject(refused);
});

test('logout ends its own login immediately, and no other', async () => {
  const here = await signUp('paul');
  const there = (await logIn('paul')).body;
  expect((await server.as(here.access_token).get('/user')).status).toBe(200);
  const response = await nobody.post('/auth/logout', { refresh_token: here.refresh_token });
  expect(response).toMatchObject({ status: 200, body: { logged_out: true } });
  expect((await server.as(here.access_token).get('/user')).status).toBe(401);
  expect((await refresh(here.refresh_token)).status).toBe(401);
  expect((await server.as(there.access_token).get('/user')).status).toBe(200);
  expect((await nobody.post('/auth/logout', { refresh_token: 'unknown' })).status).toBe(200);
});

test('a suspended user is informed after a correct password, and cannot sign in', async () => {
  const { user, refresh_token } = await signUp('rosa');
  const suspended_at = new Date().toISOString();
  await server.db.updateTable('users').set({ suspended_at }).where('id', '=', user.id).execute();
  const suspended = { status: 403, body: { code: 403, type: 'user_suspended' } };
  expect(await logIn('rosa')).toMatchObject(suspended);
  expect(await refresh(refresh_token)).toMatchObject(suspended);
  expect((await logIn('rosa', 'wrong')).status).toBe(401);
});

test('a password is stored as an expensive scrypt digest', async () => {
  const started = performance.now();
  const hash = await hashPassword(PASSWORD);
  expect(performance.now() - started).toBeGreaterThanOrEqual(50);
  expect(hash).toMatch(/^scrypt\$/);
  expect(hash).not.toContain(PASSWORD);
  expect(await hashPassword(PASSWORD)).not.toBe(hash);
  expect(await verifyPassword(PASSWORD, hash)).toBe(true);
  expect(await verifyPassword(`${PASSWORD}.`, hash)).toBe(false);
  const { user } = await signUp('susi');
  const identities = server.db.selectFrom('identities').select('password_hash');
  const stored = await identities.where('user_id', '=', user.id).execute();
  expect(stored).toEqual([{ password_hash: expect.stringMatching(/^scrypt\$/) }]);
});
