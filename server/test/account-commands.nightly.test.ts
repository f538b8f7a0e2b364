/** `npm run reset-owner` and `npm run rotate-secret-key`, as processes beside a server or without one. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { runningUrl } from '../src/platform/db/bundled-postgres.ts';
import { connect, type Db } from '../src/platform/db/connect.ts';
import { withDatabase } from '../src/platform/db/open-database.ts';
import { findPostmaster } from '../src/platform/db/postmaster-file.ts';
import { createLog } from '../src/platform/log.ts';
import { createVault } from '../src/platform/secrets/envelope.ts';
import { uuidv7 } from '../src/platform/uuid.ts';
import { runCommand, spawnCommand } from './commands.ts';
import { createDatabase } from './databases.ts';
import {
  call,
  isPostgresStopped,
  newDataDir,
  pgdataOf,
  postmasterOf,
  readOwner,
  startServer,
  until,
} from './processes.ts';

const log = createLog('fatal');
const DONE = { code: 0, signal: null };
const FAILED = { code: 1, signal: null };

describe('the account commands on a data directory', () => {
  const dataDir = newDataDir();
  const environment = { DRYDOCK_DATA_DIR: dataDir };
  const location = { dataDir, database: { url: undefined, directUrl: undefined, namedStatements: true } };
  const key = () => readFileSync(join(dataDir, 'secret-key'), 'utf8');
  const nextKeyPath = join(dataDir, 'secret-key.next');

  test('report a missing database and create none', async () => {
    for (const command of ['reset-owner', 'rotate-secret-key'] as const) {
      const result = await runCommand(command, [], environment);
      expect(result).toMatchObject({ ...FAILED, stdout: '' });
      expect(result.stderr).toMatch(/^There is no database in .*\n$/);
    }
    expect(existsSync(dataDir)).toBe(false);
  });

  test('reset the owner beside a running server, and leave the secret key unchanged', async () => {
    const server = await startServer(environment);
    const postmaster = postmasterOf(dataDir);
    const before = key();
    const result = await runCommand('reset-owner', [], environment);
    expect(result).toMatchObject({ ...DONE, stderr: '' });
    const owner = readOwner(result.stdout);
    const statusOf = async (apiKey?: string) => (await call(server.url, apiKey, 'GET', '/user')).status;
    expect(await statusOf(owner?.key)).toBe(200);
    await until('the first key is dead', async () => (await statusOf(server.owner?.key)) === 401);

    const refused = await runCommand('rotate-secret-key', [], environment);
    expect(refused).toMatchObject({ ...FAILED, stdout: '' });
    expect(refused.stderr).toContain('The data directory is in use');
    expect([key(), existsSync(nextKeyPath), postmasterOf(dataDir)]).toEqual([before, false, postmaster]);
    expect(await server.stop()).toEqual(DONE);
  });

  test('reset the owner while no server runs, and stop the database again', async () => {
    const result = await runCommand('reset-owner', [], environment);
    expect(result).toMatchObject({ ...DONE, stderr: '' });
    expect(isPostgresStopped(dataDir)).toBe(true);
    const server = await startServer(environment);
    const owner = readOwner(result.stdout);
    expect((await call(server.url, owner?.key, 'GET', '/user')).status).toBe(200);
    await server.stop();
  });

  test('complete a rotation that was killed between rows, after which the server starts', async () => {
    const before = key();
    await withDatabase(location, log, ({ db }) => addSecrets(db, before, 6_000));
    const killed = spawnCommand('rotate-secret-key', [], environment);
    await until('the first rows are under the next key', () => countRewrapped(dataDir, before));
    expect(await killed.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    const next = readFileSync(nextKeyPath, 'utf8');
    expect(key()).toBe(before);

    const server = await startServer(environment);
    expect(server.output().stderr).toContain('a rotation of the secret key was interrupted');
    expect(await countUnreadable(dataDir, before, next)).toBe(0);
    expect(await countUnreadable(dataDir, before)).toBeGreaterThan(0);
    expect(await countUnreadable(dataDir, next)).toBeGreaterThan(0);
    await server.stop();

    const result = await runCommand('rotate-secret-key', [], environment);
    expect(result).toMatchObject({ ...DONE, stderr: '' });
    expect([key(), existsSync(nextKeyPath)]).toEqual([next, false]);
    const again = await startServer(environment);
    expect(again.output().stderr).not.toContain('interrupted');
    expect(await countUnreadable(dataDir, next)).toBe(0);
    await again.stop();
  });
});

test('the account commands accept both keys with DATABASE_URL and rewrap rows with the first', async () => {
  const database = await createDatabase(inject('databaseUrl'));
  const db = connect({ url: database.url, poolSize: 2, namedStatements: true, log });
  const [before, next] = ['b'.repeat(40), 'n'.repeat(40)];
  await addSecrets(db, before, 3);
  const environment = {
    DATABASE_URL: database.url,
    DRYDOCK_DATA_DIR: newDataDir(),
    DRYDOCK_SECRET_KEY: next,
  };

  const alone = await runCommand('rotate-secret-key', [], environment);
  expect(alone).toMatchObject(FAILED);
  expect(alone.stderr).toMatch(
    /1\. Set DRYDOCK_SECRET_KEY_PREVIOUS to the next key .*\n.*2\. Exchange the two/,
  );
  const wrong = { ...environment, DRYDOCK_SECRET_KEY_PREVIOUS: 'w'.repeat(40) };
  const refused = await runCommand('rotate-secret-key', [], wrong);
  expect(refused).toMatchObject(FAILED);
  expect(refused.stderr).toContain('3 are sealed with a key that is neither');

  const both = { ...environment, DRYDOCK_SECRET_KEY_PREVIOUS: before };
  const result = await runCommand('rotate-secret-key', [], both);
  expect(result).toMatchObject({ ...DONE, stderr: '' });
  expect(result.stdout).toContain('remove DRYDOCK_SECRET_KEY_PREVIOUS');
  expect(await countUnreadableIn(db, next)).toBe(0);
  expect(readOwner((await runCommand('reset-owner', [], both)).stdout)?.email).toBe('owner@localhost');
  expect(existsSync(environment.DRYDOCK_DATA_DIR)).toBe(false);
  await db.destroy();
  await database.drop();
});

async function addSecrets(db: Db, secretKey: string, count: number): Promise<void> {
  const vault = createVault(secretKey);
  const { id: user_id } = await db.selectFrom('users').select('id').executeTakeFirstOrThrow();
  for (let added = 0; added < count; added += 1_000) {
    const values = Array.from({ length: Math.min(1_000, count - added) }, () => {
      const id = uuidv7();
      return { id, user_id, name: id, masked_value: '…', ...vault.seal('value', id) };
    });
    await db.insertInto('user_secrets').values(values).execute();
  }
}

/** Returns a truthy count as soon as some rows are rewrapped. */
async function countRewrapped(dataDir: string, secretKey: string): Promise<number | false> {
  const { keyId } = createVault(secretKey);
  const counted = onRunning(dataDir, async (db) => {
    const { count } = await db
      .selectFrom('user_secrets')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('key_id', '!=', keyId)
      .executeTakeFirstOrThrow();
    return count > 0 && count;
  });
  return counted.catch(() => false as const); // not up yet
}

const countUnreadable = (dataDir: string, secretKey: string, otherKey?: string) =>
  onRunning(dataDir, (db) => countUnreadableIn(db, secretKey, otherKey));

async function countUnreadableIn(db: Db, secretKey: string, otherKey?: string): Promise<number> {
  const vault = createVault(secretKey, otherKey);
  const rows = await db
    .selectFrom('user_secrets')
    .select(['id', 'key_id', 'wrapped_key', 'ciphertext'])
    .execute();
  const isReadable = (row: (typeof rows)[number]) => {
    try {
      return vault.open(row, row.id) === 'value';
    } catch {
      return false;
    }
  };
  return rows.filter((row) => !isReadable(row)).length;
}

async function onRunning<T>(dataDir: string, work: (db: Db) => Promise<T>): Promise<T> {
  const postmaster = findPostmaster(pgdataOf(dataDir));
  if (!postmaster?.isReady) throw new Error('no PostgreSQL is ready there');
  const url = runningUrl(pgdataOf(dataDir), postmaster);
  const db = connect({ url, poolSize: 1, namedStatements: true, log });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
