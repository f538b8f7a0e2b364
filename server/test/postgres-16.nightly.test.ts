/** The oldest supported PostgreSQL, as an external database that Drydock neither created nor started. */
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, expect, inject, test } from 'vitest';
import { backUp } from '../src/platform/backup/backup.ts';
import { restore, verifyBackup } from '../src/platform/backup/restore.ts';
import { findBundledBinaries } from '../src/platform/db/bundled-binaries.ts';
import { connect, type Db } from '../src/platform/db/connect.ts';
import { findPostmaster } from '../src/platform/db/postmaster-file.ts';
import { launchAs, postgresAccount } from '../src/platform/db/run-as.ts';
import { createLog } from '../src/platform/log.ts';
import { traceCleanUps } from '../src/traces/retention/clean-ups.ts';
import { makeDay, makeDays, makeDaysAhead } from '../src/traces/retention/partitions.ts';
import { createDatabase, execute } from './databases.ts';
import { call, makeFolder, newDataDir, type RunningServer, startServer, until } from './processes.ts';
import { expectAgreement, store, traceId, whereSpansLie } from './span-store.ts';

const PROJECTS = '/org/main/ws/main/projects';
const pgdata = join(makeFolder(), 'pgdata');
const surroundings = { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, cwd: '/', stdio: 'ignore' } as const;
const url = `postgresql://drydock@localhost/postgres?host=${encodeURIComponent(pgdata)}`;

/** Both end with this file, like everything that processes.ts has started or created. */
let server: RunningServer;

beforeAll(async () => {
  const binaries = findBundledBinaries('postgres-16-');
  const account = postgresAccount(pgdata);
  mkdirSync(pgdata, { mode: 0o700 });
  if (account) chownSync(pgdata, account.uid, account.gid);
  const launch = (program: string, args: string[]) => launchAs(account, program, args, [program, pgdata]);

  const initdb = [
    '-D',
    pgdata,
    '--username=drydock',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ];
  const init = launch(binaries.initdb, initdb);
  execFileSync(init.command, init.args, { ...surroundings, ...init });
  const settings = ['listen_addresses=', `unix_socket_directories=${pgdata}`, 'fsync=off'];
  const run = launch(binaries.postgres, ['-D', pgdata, ...settings.flatMap((setting) => ['-c', setting])]);
  spawn(run.command, run.args, { ...surroundings, ...run });
  await until('PostgreSQL 16 is ready', () => findPostmaster(pgdata)?.isReady);
  await execute(url, 'CREATE DATABASE drydock');
  server = await startServer({
    DATABASE_URL: url.replace('/postgres?', '/drydock?'),
    DRYDOCK_SECRET_KEY: 'a secret key of more than 32 characters',
    DRYDOCK_DATA_DIR: newDataDir(),
    DRYDOCK_RATE_LIMIT_READ: '100',
  });
});

test('the database is PostgreSQL 16', async () => {
  await execute(url, "DO $$ BEGIN ASSERT current_setting('server_version_num')::int / 10000 = 16; END $$");
});

test('an ordinary role can read the cluster id, which identifies the owner of an object folder', async () => {
  await execute(
    url,
    "CREATE ROLE plain; DO $$ BEGIN ASSERT has_function_privilege('plain', 'pg_control_system()', 'EXECUTE'); END $$",
  );
});

test('the server is healthy and knows its owner', async () => {
  expect(await call(server.url, undefined, 'GET', '/health')).toMatchObject({
    status: 200,
    body: { status: 'ok', checks: { database: 'ok' } },
  });
  const user = await call(server.url, server.owner?.key, 'GET', '/user');
  expect(user).toMatchObject({ status: 200, body: { username: 'owner' } });
});

test('span partitions exist for the coming days', async () => {
  const client = new pg.Client({ connectionString: url.replace('/postgres?', '/drydock?') });
  await client.connect();
  const { rows } = await client.query("SELECT FROM pg_inherits WHERE inhparent = 'spans'::regclass");
  await client.end();
  expect(rows).toHaveLength(10);
});

test('a project is created, listed and deleted', async () => {
  const key = server.owner?.key;
  const keys = async () => {
    const { body } = await call<{ key: string }[]>(server.url, key, 'GET', PROJECTS);
    return body.map((project) => project.key);
  };
  expect((await call(server.url, key, 'POST', PROJECTS, { name: 'Sixteen' })).status).toBe(201);
  expect((await call(server.url, key, 'POST', PROJECTS, { name: 'Sixteen' })).status).toBe(409);
  expect(await keys()).toEqual(['default', 'sixteen']);
  expect((await call(server.url, key, 'DELETE', `${PROJECTS}/sixteen`)).status).toBe(204);
  expect(await keys()).toEqual(['default']);
});

test('the owner logs in, and the audit log has what was done', async () => {
  const { email, password } = server.owner ?? {};
  const body = { email_address: email, password };
  const login = await call<{ access_token: string }>(server.url, undefined, 'POST', '/auth/login', body);
  expect(login.status).toBe(200);
  const audit = await call<{ items: { action: string }[] }>(
    server.url,
    login.body.access_token,
    'GET',
    '/org/main/audit-log',
  );
  expect(audit.status).toBe(200);
  expect(audit.body.items.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['project.created', 'project.deleted']),
  );
});

test('requests are counted, and those above the limit are refused', async () => {
  const read = () => call(server.url, server.owner?.key, 'GET', '/user');
  const responses = await Promise.all(Array.from({ length: 110 }, read));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 429]));
  expect(server.output().stderr).not.toContain('could not be given back');
});

test('a backup of the newer bundled PostgreSQL is restored into this database', async () => {
  const source = await createDatabase(inject('databaseUrl'));
  const spans = await storeSpans(source.url);
  const folder = join(makeFolder(), 'backup');
  const dataDir = newDataDir();
  const manifest = await backUp({ url: source.url, folder, version: '1.0.0', secretKey: undefined, dataDir });
  expect(Number(manifest.postgres_version.split('.')[0])).toBeGreaterThan(16);
  await source.drop();

  await execute(url, 'CREATE DATABASE restored');
  const target = url.replace('/postgres?', '/restored?');
  await restore(await verifyBackup(folder, '1.0.0'), {
    url: target,
    log: createLog('fatal'),
    objects: { dataDir },
    makePartitions: (names) => withConnection(target, (db) => makeDays(db, names)),
  });
  const client = new pg.Client({ connectionString: target });
  await client.connect();
  const { rows } = await client.query('SELECT username FROM users');
  await client.end();
  expect(rows).toEqual([{ username: 'owner' }]);
  await withConnection(target, async (db) => {
    expect(await whereSpansLie(db)).toEqual(spans);
    for (const { run } of traceCleanUps()) await run(db);
    await expectAgreement(db);
  });
});

/**
 * Spans of today, of a day that is too old, and without a date.
 * @returns the partitions that hold them
 */
async function storeSpans(databaseUrl: string): Promise<Map<string, string>> {
  return withConnection(databaseUrl, async (db) => {
    await makeDaysAhead(db);
    await makeDay(db, '2020-02-02');
    const { organization_id, workspace_id, created_by } = await db
      .selectFrom('projects')
      .select(['organization_id', 'workspace_id', 'created_by'])
      .executeTakeFirstOrThrow();
    const place = { organizationId: organization_id, workspaceId: workspace_id, userId: created_by };
    const starts = [new Date(), new Date('2020-02-02T12:00:00Z'), new Date(0)];
    const trace = traceId();
    await store(
      db,
      place,
      starts.map((start) => ({ traceId: trace, start })),
    );
    return whereSpansLie(db);
  });
}

async function withConnection<T>(databaseUrl: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = connect({ url: databaseUrl, poolSize: 1, namedStatements: true, log: createLog('fatal') });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
