import { beforeEach, describe, expect, test } from 'vitest';
import { startTestServer } from '../../test/harness.ts';
import { tokenHash } from '../platform/auth/random-token.ts';
import { uuidv7 } from '../platform/uuid.ts';
import { accountCleanUps } from './clean-ups.ts';

const server = await startTestServer();
const { db, owner } = server;
const nobody = server.as(undefined);
const DAY_MS = 24 * 60 * 60 * 1000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

const cleanUp = (name: string) => accountCleanUps.find((one) => one.name === name)?.run(db);

/** Adds a login with a chain of refresh tokens, the last of which is unused. */
async function addLogin({ tokens, expiredDays, revokedDays }: AddedLogin): Promise<string> {
  const id = uuidv7();
  const revoked_at = revokedDays === undefined ? null : daysAgo(revokedDays);
  await db.insertInto('logins').values({ id, user_id: owner.id, revoked_at }).execute();
  const values = Array.from({ length: tokens }, (_, i) => ({
    token_hash: tokenHash(`${id} ${i}`),
    login_id: id,
    expires_at: daysAgo(expiredDays),
    used_at: i < tokens - 1 ? daysAgo(expiredDays) : null,
  }));
  await db.insertInto('refresh_tokens').values(values).execute();
  return id;
}

interface AddedLogin {
  readonly tokens: number;
  readonly expiredDays: number;
  readonly revokedDays?: number;
}

const exists = async (id: string) =>
  (await db.selectFrom('logins').select('id').where('id', '=', id).execute()).length === 1;

describe('cleanup of logins', () => {
  beforeEach(() => db.deleteFrom('logins').execute());

  test.each<[string, AddedLogin, boolean]>([
    ['whose last token expired two days ago', { tokens: 3, expiredDays: 2 }, false],
    ['whose last token expired an hour ago', { tokens: 3, expiredDays: 1 / 24 }, true],
    ['whose last token is good', { tokens: 3, expiredDays: -10 }, true],
    ['revoked 31 days ago', { tokens: 2, expiredDays: -10, revokedDays: 31 }, false],
    ['revoked 29 days ago', { tokens: 2, expiredDays: -10, revokedDays: 29 }, true],
  ])('a login %s is kept or deleted together with all of its tokens', async (_name, login, isKept) => {
    const id = await addLogin(login);
    expect(await cleanUp('logins')).toBe(isKept ? 0 : 1);
    expect(await exists(id)).toBe(isKept);
    const left = await db
      .selectFrom('refresh_tokens')
      .select('token_hash')
      .where('login_id', '=', id)
      .execute();
    expect(left).toHaveLength(isKept ? login.tokens : 0);
  });

  test('reuse of a token that expired long ago is detected while its login is alive', async () => {
    const id = await addLogin({ tokens: 1, expiredDays: -10 });
    const token_hash = tokenHash('stolen');
    await db
      .insertInto('refresh_tokens')
      .values({ token_hash, login_id: id, expires_at: daysAgo(300), used_at: daysAgo(310) })
      .execute();
    expect(await cleanUp('logins')).toBe(0);
    const response = await nobody.post('/auth/refresh', { refresh_token: 'stolen' });
    expect(response).toMatchObject({ status: 401, body: { type: 'token_error' } });
  });

  test('more than a batch of logins, and of their tokens, are deleted in one run', async () => {
    const many = Array.from({ length: 1_100 }, () => ({
      id: uuidv7(),
      user_id: owner.id,
      revoked_at: daysAgo(40),
    }));
    await db.insertInto('logins').values(many).execute();
    await addLogin({ tokens: 2_200, expiredDays: 2 });
    expect(await cleanUp('logins')).toBe(1_101);
    expect(await db.selectFrom('refresh_tokens').select('token_hash').execute()).toEqual([]);
    expect(await cleanUp('logins')).toBe(0);
  });
});

test('login attempts older than their window are deleted', async () => {
  const values = [
    { id: uuidv7(), subject: 'fresh', address: 'fresh' },
    ...Array.from({ length: 1_500 }, (_, i) => ({
      id: `01000000-0000-7000-8000-${String(i).padStart(12, '0')}`,
      subject: 'old',
      address: 'old',
    })),
  ];
  await db.insertInto('login_attempts').values(values).execute();
  expect(await cleanUp('login attempts')).toBe(1_500);
  expect(await db.selectFrom('login_attempts').select('subject').execute()).toEqual([{ subject: 'fresh' }]);
});

test('unaccepted invitations are deleted a month after they expired, in every organization', async () => {
  const { id: main } = await db.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
  const other = uuidv7();
  await db.insertInto('organizations').values({ id: other, key: 'other', name: 'other' }).execute();
  const invite = (organization_id: string, email_address: string, expires_at: string, accepted_at?: string) =>
    db
      .insertInto('invitations')
      .values({
        organization_id,
        id: uuidv7(),
        token_hash: tokenHash(uuidv7()),
        email_address,
        role: 'member',
        created_by: owner.id,
        expires_at,
        accepted_at: accepted_at ?? null,
      })
      .execute();
  for (const organization of [main, other]) {
    await invite(organization, 'old', daysAgo(31));
    await invite(organization, 'accepted', daysAgo(31), daysAgo(35));
    await invite(organization, 'expired', daysAgo(29));
    await invite(organization, 'open', daysAgo(-3));
  }
  expect(await cleanUp('invitations')).toBe(2);
  for (const organization of [main, other]) {
    const left = db
      .selectFrom('invitations')
      .select('email_address')
      .where('organization_id', '=', organization);
    expect((await left.orderBy('email_address').execute()).map((row) => row.email_address)).toEqual([
      'accepted',
      'expired',
      'open',
    ]);
  }
  expect(await cleanUp('invitations')).toBe(0);
});
