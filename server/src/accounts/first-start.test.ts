import { sql } from 'kysely';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { createDatabase, MIGRATED } from '../../test/databases.ts';
import { openTestStorage, SECRET_KEY } from '../../test/harness.ts';
import { buildApp } from '../app.ts';
import { loadConfig } from '../config.ts';
import { connect, type Db } from '../platform/db/connect.ts';
import { migrate } from '../platform/db/migrate.ts';
import { createLog } from '../platform/log.ts';
import { uuidv7 } from '../platform/uuid.ts';
import { type FirstOwner, type FirstStart, prepareFirstStart, revokeDerived } from './first-start.ts';

const log = createLog('fatal');
const GIVEN: FirstStart = {
  organization: 'acme',
  workspace: 'lab',
  project: 'first',
  email: 'Ada@Example.com',
  username: 'ada',
  password: 'the given password',
  apiKey: `dd_${'a'.repeat(40)}`,
};
const SECRETS = { current: SECRET_KEY, other: undefined };
const GENERATED: FirstStart = { ...GIVEN, password: undefined, apiKey: undefined };

/** Opens the given number of connections to a new database that is migrated and empty. */
async function emptyDatabase(processes = 1): Promise<[Db, ...Db[]]> {
  const database = await createDatabase(inject('databaseUrl'), MIGRATED);
  const open = () => connect({ url: database.url, poolSize: 2, namedStatements: true, log });
  const dbs: [Db, ...Db[]] = [open(), ...Array.from({ length: processes - 1 }, open)];
  onTestFinished(async () => {
    await Promise.all(dbs.map((db) => db.destroy()));
    await database.drop();
  });
  return dbs;
}

async function start(db: Db) {
  const { storage, close } = await openTestStorage(db);
  const app = await buildApp({ config: loadConfig({}), secretKey: SECRET_KEY, db, storage, log });
  onTestFinished(async () => {
    await app.close();
    await close();
  });
  return {
    get: async (path: string, key: string) =>
      (await app.inject({ url: `/api/v1${path}`, headers: { 'x-api-key': key } })).json(),
    logIn: async (email_address: string, password: string) =>
      (
        await app.inject({
          method: 'POST',
          url: '/api/v1/auth/login',
          payload: { email_address, password },
        })
      ).statusCode,
  };
}

const countUsers = async (db: Db) => (await db.selectFrom('users').select('id').execute()).length;

test('an empty database gets the given owner, organization, workspace and project', async () => {
  const [db] = await emptyDatabase();
  // Given credentials are not shown.
  expect(await prepareFirstStart(db, GIVEN, SECRETS)).toEqual({
    email: 'Ada@Example.com',
    password: undefined,
    apiKey: undefined,
  });
  const server = await start(db);
  const key = GIVEN.apiKey ?? '';
  expect(await server.get('/user', key)).toMatchObject({
    username: 'ada',
    email_address: 'ada@example.com',
    onboarding_complete: true,
    is_platform_admin: true,
    teams: [{ org_name: 'acme', role: 'owner', is_owner: true }],
  });
  expect(await server.get('/user/organizations', key)).toMatchObject([{ key: 'acme', member_count: 1 }]);
  expect(await server.get('/org/acme/ws', key)).toMatchObject([{ key: 'lab', is_default: true }]);
  expect(await server.get('/org/acme/ws/lab/projects', key)).toMatchObject([
    { key: 'first', is_default: true },
  ]);
  expect(await server.logIn('ada@example.com', 'the given password')).toBe(200);
});

test('prepareFirstStart generates credentials that work, and returns nothing once the owner has logged in', async () => {
  const [db] = await emptyDatabase();
  const first = await prepareFirstStart(db, GENERATED, SECRETS);
  expect(first).toEqual({
    email: 'Ada@Example.com',
    password: expect.stringMatching(/^[\w-]{20}$/),
    apiKey: expect.stringMatching(/^dd_[\w-]{40}$/),
  });
  const server = await start(db);
  expect(await server.get('/user', first?.apiKey ?? '')).toMatchObject({ username: 'ada' });
  expect(await server.logIn('ADA@example.com', first?.password ?? '')).toBe(200);
  expect(await server.logIn('ada@example.com', 'the given password')).toBe(401);
  await db.updateTable('api_keys').set({ last_used_at: null }).execute();
  expect(await prepareFirstStart(db, GENERATED, SECRETS)).toBeUndefined();
});

/** Later starts return the same credentials with the stored address. */
const again = (owner: FirstOwner | undefined) => owner && { ...owner, email: 'ada@example.com' };

test('later starts return the credentials again for 30 days, or until the key is used', async () => {
  const [db] = await emptyDatabase();
  const first = await prepareFirstStart(db, GENERATED, SECRETS);
  const makeOlder = (days: number) =>
    db.updateTable('users').set({ created_at: new Date(Date.now() - days * 24 * 3_600_000).toISOString() });
  await makeOlder(30.1).execute();
  expect(await prepareFirstStart(db, GENERATED, SECRETS)).toBeUndefined();
  await makeOlder(29).execute();
  expect(await prepareFirstStart(db, GENERATED, SECRETS)).toEqual(again(first));
  // Works while the secret key is being changed, but not with unrelated keys.
  const changed = { current: 'k'.repeat(32), other: SECRET_KEY };
  expect(await prepareFirstStart(db, GENERATED, changed)).toEqual(again(first));
  expect(await prepareFirstStart(db, GENERATED, { ...changed, other: undefined })).toBeUndefined();
  const server = await start(db);
  expect(await server.get('/user', first?.apiKey ?? '')).toMatchObject({ username: 'ada' });
  expect(await prepareFirstStart(db, GENERATED, SECRETS)).toBeUndefined();
});

test('later starts never return given credentials, even if the settings were removed', async () => {
  const [db] = await emptyDatabase();
  await prepareFirstStart(db, { ...GENERATED, password: GIVEN.password }, SECRETS);
  expect(await prepareFirstStart(db, GENERATED, SECRETS)).toEqual({
    email: 'ada@example.com',
    password: undefined,
    apiKey: expect.stringMatching(/^dd_[\w-]{40}$/),
  });
});

test('a second start changes nothing', async () => {
  const [db] = await emptyDatabase();
  await prepareFirstStart(db, GIVEN, SECRETS);
  const other = { ...GIVEN, organization: 'other', username: 'other', email: 'other@example.com' };
  expect(
    await prepareFirstStart(db, { ...other, password: 'another one', apiKey: undefined }, SECRETS),
  ).toBeUndefined();
  expect(await db.selectFrom('users').select('username').execute()).toEqual([{ username: 'ada' }]);
  expect(await db.selectFrom('organizations').select('key').execute()).toEqual([{ key: 'acme' }]);
  const server = await start(db);
  expect(await server.logIn('ada@example.com', 'the given password')).toBe(200);
});

test('exactly one of several concurrent first starts creates the owner', async () => {
  const [db, ...processes] = await emptyDatabase(5);
  let starting: Promise<(FirstOwner | undefined)[]> | undefined;
  await db.transaction().execute(async (trx) => {
    // All processes find the database empty, and no user can be added before the last one has checked.
    await sql`LOCK TABLE users IN EXCLUSIVE MODE`.execute(trx);
    starting = Promise.all(
      processes.map((process, i) =>
        prepareFirstStart(
          process,
          { ...GENERATED, username: `ada-${i}`, email: `ada-${i}@example.com` },
          SECRETS,
        ),
      ),
    );
    await vi.waitFor(async () => expect(await countWaiting(db)).toBe(4));
  });
  const first = (await starting)?.filter((owner) => owner !== undefined) ?? [];
  expect(first).toHaveLength(1);
  expect(await countUsers(db)).toBe(1);
  expect(await db.selectFrom('organizations').select('key').execute()).toEqual([{ key: 'acme' }]);
  const server = await start(db);
  expect(await server.get('/user', first[0]?.apiKey ?? '')).toMatchObject({ email_address: first[0]?.email });
});

async function countWaiting(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(db);
  return rows[0]?.count;
}

test('an invalid username stops the start and leaves the database empty', async () => {
  const [db] = await emptyDatabase();
  await expect(prepareFirstStart(db, { ...GIVEN, username: 'No Name' }, SECRETS)).rejects.toThrow(/username/);
  expect(await countUsers(db)).toBe(0);
});

test('the key of the first start is recognized by its time in a database of an earlier version', async () => {
  const database = await createDatabase(inject('databaseUrl'), 'template0');
  await migrate({ url: database.url, log, upTo: 4 });
  const db = connect({ url: database.url, poolSize: 1, namedStatements: true, log });
  onTestFinished(async () => {
    await db.destroy();
    await database.drop();
  });
  const [ada, ben] = [uuidv7(), uuidv7()];
  const keyOf = (user_id: string, name: string, created_at: string) =>
    db
      .insertInto('api_keys')
      .values({ id: uuidv7(), user_id, name, created_at, key_hash: Buffer.from(name), masked_key: '…' })
      .execute();
  const [first, later] = ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.679Z'];
  for (const [id, username, is_platform_admin] of [
    [ada, 'ada', true],
    [ben, 'ben', false],
  ] as const) {
    const user = { id, username, email_address: username, is_platform_admin, created_at: first };
    await db.insertInto('users').values(user).execute();
  }
  await keyOf(ada, 'first start', first);
  await keyOf(ada, 'made later', later);
  await keyOf(ben, 'made by another user', first);
  await migrate({ url: database.url, log });
  const issued = db.selectFrom('api_keys').select('name').where('issued_by_operator', '=', true);
  expect(await issued.execute()).toEqual([{ name: 'first start' }]);
});

test('revokeDerived ends credentials derived from a secret key, and none that were given', async () => {
  const [db] = await emptyDatabase();
  const owner = await prepareFirstStart(db, GENERATED, SECRETS);
  const { get, logIn } = await start(db);
  expect((await get('/user', owner?.apiKey ?? '')).username).toBe('ada');
  expect(await revokeDerived(db, 'another-secret-key-another-secret-key')).toBe(false);
  expect(await revokeDerived(db, SECRET_KEY)).toBe(true);
  expect(await logIn(GIVEN.email, owner?.password ?? '')).toBe(401);
  const keys = await db.selectFrom('api_keys').select('id').execute();
  expect(keys).toEqual([]);
  const [other] = await emptyDatabase();
  await prepareFirstStart(other, GIVEN, SECRETS);
  expect(await revokeDerived(other, SECRET_KEY)).toBe(false);
});
