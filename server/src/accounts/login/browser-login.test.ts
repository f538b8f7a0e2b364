/** Sign-in of browsers: the refresh token stays in a cookie that scripts and other sites cannot use. */
import { expect, test } from 'vitest';
import { FIRST_START } from '../../../test/first-start.ts';
import { startTestServer } from '../../../test/harness.ts';

const server = await startTestServer();
const behindTls = await startTestServer({ DRYDOCK_PUBLIC_URL: 'https://drydock.example.com' });

const CREDENTIALS = { email_address: FIRST_START.email, password: FIRST_START.password };

async function send(path: string, { payload = {}, headers = {}, app = server.app } = {}) {
  const response = await app.inject({
    method: 'POST',
    url: `/api/v1/auth/browser/${path}`,
    payload,
    headers,
  });
  const cookie = String(response.headers['set-cookie'] ?? '');
  return { status: response.statusCode, body: response.json(), cookie };
}

/** Returns the cookie as a browser sends it back. */
const pairOf = (cookie: string) => cookie.slice(0, cookie.indexOf(';'));

test('logInInBrowser keeps the refresh token out of the body, in a cookie for its own path', async () => {
  const { status, body, cookie } = await send('login', { payload: CREDENTIALS });
  expect(status).toBe(200);
  expect(Object.keys(body).toSorted()).toEqual(['access_token', 'expires_in', 'token_type', 'user']);
  expect(cookie).toMatch(
    /^drydock_login=ddr_[\w-]{40}; Max-Age=2592000; Path=\/api\/v1\/auth\/browser; HttpOnly; SameSite=Strict$/,
  );
  expect((await server.as(body.access_token).get('/user')).body.username).toBe(FIRST_START.username);
});

test('logInInBrowser marks the cookie Secure only when the server is reached over TLS', async () => {
  const { cookie } = await send('login', { payload: CREDENTIALS, app: behindTls.app });
  expect(cookie).toMatch(/; SameSite=Strict; Secure$/);
});

test('logInInBrowser refuses a wrong password and sets no cookie', async () => {
  const response = await send('login', { payload: { ...CREDENTIALS, password: 'wrong' } });
  expect(response).toMatchObject({ status: 401, body: { type: 'authentication_error' }, cookie: '' });
});

test('refreshInBrowser gives tokens to several tabs at once and leaves the cookie unchanged', async () => {
  const { cookie } = await send('login', { payload: CREDENTIALS });
  const headers = { cookie: `theme=dark; ${pairOf(cookie)}`, 'sec-fetch-site': 'same-origin' };
  const responses = await Promise.all([1, 2, 3].map(() => send('refresh', { headers })));
  for (const response of responses) {
    expect(response).toMatchObject({ status: 200, cookie: '', body: { user: { username: 'owner' } } });
    expect((await server.as(response.body.access_token).get('/user')).status).toBe(200);
  }
});

test.each([
  ['there is no cookie', {}],
  ['another site sent the request', { 'sec-fetch-site': 'cross-site' }],
  ['another host of the same site sent the request', { 'sec-fetch-site': 'same-site' }],
])('refreshInBrowser returns 401 when %s', async (_case, more) => {
  const { cookie } = await send('login', { payload: CREDENTIALS });
  const headers = Object.keys(more).length === 0 ? {} : { cookie: pairOf(cookie), ...more };
  expect(await send('refresh', { headers })).toMatchObject({
    status: 401,
    body: { type: 'authentication_error' },
  });
});

test('logOutInBrowser ends the login and removes the cookie', async () => {
  const { body, cookie } = await send('login', { payload: CREDENTIALS });
  const headers = { cookie: pairOf(cookie) };
  const response = await send('logout', { headers });
  expect(response).toMatchObject({ status: 200, body: { logged_out: true } });
  expect(response.cookie).toMatch(/^drydock_login=; Max-Age=0; /);
  expect((await send('refresh', { headers })).status).toBe(401);
  await expect.poll(async () => (await server.as(body.access_token).get('/user')).status).toBe(401);
});

test('refreshInBrowser refuses a cookie whose token was exchanged elsewhere, and does not end the login', async () => {
  const { cookie } = await send('login', { payload: CREDENTIALS });
  const refresh_token = pairOf(cookie).replace('drydock_login=', '');
  const rotated = await server.as(undefined).post('/auth/refresh', { refresh_token });
  expect(rotated.status).toBe(200);
  expect((await send('refresh', { headers: { cookie: pairOf(cookie) } })).status).toBe(401);
  const { refresh_token: next } = rotated.body;
  expect((await server.as(undefined).post('/auth/refresh', { refresh_token: next })).status).toBe(200);
});

test('signUpInBrowser creates the user of an invitation and signs the browser in', async () => {
  const { body: invitation } = await server
    .as(server.owner)
    .post('/org/main/invitations', { email_address: 'new@example.com', role: 'member' });
  const invitation_token = new URL(invitation.url).searchParams.get('token');
  const payload = { email_address: 'new@example.com', password: 'a long enough password', invitation_token };
  const { status, body, cookie } = await send('signup', { payload });
  expect({ status, body }).toMatchObject({ status: 201, body: { user: { onboarding_complete: false } } });
  expect((await send('refresh', { headers: { cookie: pairOf(cookie) } })).status).toBe(200);
});
