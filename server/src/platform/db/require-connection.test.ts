import { expect, inject, test } from 'vitest';
import { addressOf, explainConnection, requireConnection } from './require-connection.ts';

const PASSWORD = 'hunter2hunter2';
const FIX = 'DATABASE_URL';

/** The address of the real server with a changed user, password or database name that it does not know. */
function changed(change: (url: URL) => void): string {
  const url = new URL(inject('databaseUrl'));
  change(url);
  return url.href;
}

async function refusal(url: string): Promise<string> {
  const error = await requireConnection(url, FIX).then(
    () => new Error('not refused'),
    (reason: Error) => reason,
  );
  expect(error.message).not.toContain(PASSWORD);
  return error.message;
}

test('requireConnection accepts a database that responds', async () => {
  await expect(requireConnection(inject('databaseUrl'), FIX)).resolves.toBeUndefined();
});

test('requireConnection names host and port when nothing listens there', async () => {
  expect(await refusal(`postgres://ada:${PASSWORD}@127.0.0.1:1/drydock`)).toBe(
    'PostgreSQL at 127.0.0.1:1 does not accept connections (ECONNREFUSED). Start it, or correct DATABASE_URL.',
  );
});

test('requireConnection names the user when the password is wrong', async () => {
  const refused = await refusal(changed((url) => (url.password = PASSWORD)));
  expect(refused).toMatch(
    /^PostgreSQL at \S+ does not accept the password of the user "drydock"\. Correct DATABASE_URL\.$/,
  );
});

test('requireConnection names a database that does not exist', async () => {
  const refused = await refusal(changed((url) => (url.pathname = '/nowhere')));
  expect(refused).toMatch(
    /^PostgreSQL at \S+ has no database "nowhere"\. Create it, or correct DATABASE_URL\.$/,
  );
});

test('requireConnection names an unknown host', async () => {
  expect(await refusal(`postgres://ada:${PASSWORD}@db.invalid/drydock`)).toMatch(
    /^The host of db\.invalid:5432 is unknown \((?:ENOTFOUND|EAI_AGAIN)\)\. Correct DATABASE_URL\.$/,
  );
});

test('requireConnection explains the form of the address when it is not a URL, without repeating it', async () => {
  expect(await refusal(`postgres://ada:${PASSWORD}@:x/drydock`)).toBe(
    'DATABASE_URL is not a URL. Write it as postgres://user:password@host:5432/name.',
  );
});

test("explainConnection passes on PostgreSQL's message for any other error", () => {
  const error = Object.assign(new Error('sorry, too many clients already'), { code: '53300' });
  expect(explainConnection(error, 'postgres://a:b@h:6000/c', 'DATABASE_DIRECT_URL')).toBe(
    'Drydock cannot connect to PostgreSQL at h:6000: sorry, too many clients already. Check DATABASE_DIRECT_URL, and that the server runs.',
  );
});

test('addressOf leaves out the user and the password', () => {
  expect(addressOf(`postgres://ada:${PASSWORD}@db:5433/drydock?sslmode=require`)).toBe('db:5433/drydock');
});
