/** Rate limits of everything that verifies or costs a password. */
import { expect, test } from 'vitest';
import { startTestServer } from '../../test/harness.ts';
import { verifyPassword } from '../platform/auth/passwords.ts';

const server = await startTestServer({ DRYDOCK_SIGNUP: 'open' });
const LIMITED = { status: 429, body: { type: 'usage_limit_exceeded_error' } };

test('the current password cannot be guessed with a stolen key', async () => {
  const guess = () =>
    server.as(server.owner).patch('/user', { password: 'a new one', current_password: 'wrong' });
  const responses = await Promise.all(Array.from({ length: 12 }, guess));
  expect(responses.filter(({ status }) => status === 422)).toHaveLength(10);
  const refused = responses.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(2);
  expect(refused[0]).toMatchObject(LIMITED);
  expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(800);
  expect(refused[0]?.headers).toMatchObject({ 'ratelimit-limit': '10', 'ratelimit-remaining': '0' });
});

test('sign-ups per address are limited, except those with an invitation', async () => {
  const values = Array.from({ length: 60 }, (_, i) => ({
    id: `00000000-0000-7000-8000-${String(i).padStart(12, '0')}`.replace(/^0{8}-0{4}/, 'ffffffff-ffff'),
    subject: 'sign-up from 127.0.0.1',
    address: 'sign-up from 127.0.0.1',
  }));
  await server.db.insertInto('login_attempts').values(values).execute();
  const request = { email_address: 'late@example.com', password: 'long enough' };
  expect(await server.as(undefined).post('/auth/signup', request)).toMatchObject(LIMITED);
  const { invitation_token } = (await server.as(server.owner).post('/org/main/invitations', request)).body;
  expect((await server.as(undefined).post('/auth/signup', { ...request, invitation_token })).status).toBe(
    201,
  );
});

test('old attempts are deleted', async () => {
  const id = '01000000-0000-7000-8000-000000000000';
  const attempted_at = '1990-01-01T00:00:00.000Z';
  await server.db
    .insertInto('login_attempts')
    .values({ id, subject: 'old', address: 'old', attempted_at })
    .execute();
  await server.as(undefined).post('/auth/login', { email_address: 'x@example.com', password: 'wrong' });
  const left = await server.db
    .selectFrom('login_attempts')
    .select('id')
    .where('subject', '=', 'old')
    .execute();
  expect(left).toEqual([]);
});

test('password hashing is queued up to a limit, above which the caller is asked to retry later', async () => {
  // The stored parameters decide what a check costs.
  const cheap = `scrypt$16$1$1$salt$${'A'.repeat(43)}`;
  const many = await Promise.allSettled(Array.from({ length: 60 }, () => verifyPassword('x', cheap)));
  const refused = many.filter((one) => one.status === 'rejected');
  expect(refused).toHaveLength(60 - 2 - 40);
  expect(refused[0]?.reason).toMatchObject({
    type: 'usage_limit_exceeded_error',
    headers: { 'retry-after': '5' },
  });
  await expect(verifyPassword('x', cheap)).resolves.toBe(false);
});
