import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newDataDir, pgdataOf, until } from '../../../test/processes.ts';
import { findBundledBinaries } from './bundled-binaries.ts';
import { BundledPostgres, type BundledPostgresOptions } from './bundled-postgres.ts';
import { findPostmaster, isAlive } from './postmaster-file.ts';
import { launchAs, postgresAccount } from './run-as.ts';

const binaries = findBundledBinaries();
/** The files of these tests are thrown away; durability is tested with real ones. */
const settings = { fsync: 'off' };
const logged: string[] = [];
const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
const running = new Set<BundledPostgres>();

async function start(
  dataDir: string,
  options: Partial<BundledPostgresOptions> = {},
): Promise<BundledPostgres> {
  const postgres = await BundledPostgres.start({ dataDir, binaries, log, settings, ...options });
  running.add(postgres);
  return postgres;
}

async function stop(postgres: BundledPostgres): Promise<void> {
  running.delete(postgres);
  await postgres.stop();
}

afterEach(() => {
  logged.length = 0;
});
afterAll(() => Promise.all([...running].map(stop)));

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const pidOf = (dataDir: string) => findPostmaster(pgdataOf(dataDir))?.pid ?? 0;

describe('the running bundled PostgreSQL', () => {
  const dataDir = newDataDir();
  let postgres: BundledPostgres;
  beforeAll(async () => {
    postgres = await start(dataDir);
  });
  afterAll(() => stop(postgres));

  test('listens only on its socket, with its tuning', async () => {
    const rows = await query<{ name: string; setting: string }>(
      postgres.adminUrl,
      `SELECT name, setting FROM pg_settings
        WHERE name IN ('listen_addresses', 'jit', 'TimeZone', 'random_page_cost', 'password_encryption',
                       'unix_socket_directories', 'server_encoding')`,
    );
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
      TimeZone: 'UTC',
      jit: 'off',
      listen_addresses: '',
      password_encryption: 'scram-sha-256',
      random_page_cost: '1.1',
      server_encoding: 'UTF8',
      unix_socket_directories: `"${pgdataOf(dataDir)}"`,
    });
  });

  test('gives the server a user who owns its database and is not a superuser', async () => {
    const [row] = await query(
      postgres.url,
      `SELECT current_user::text AS name, rolsuper AS is_super, pg_get_userbyid(datdba)::text AS owner
         FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()`,
    );
    expect(row).toEqual({ name: 'drydock', is_super: false, owner: 'drydock' });
  });

  test('sorts by code point and folds case beyond ASCII on every platform', async () => {
    const [row] = await query<{ sorted: string; upper: string }>(
      postgres.url,
      `SELECT (SELECT string_agg(x, '' ORDER BY x) FROM unnest('{é,b,a,B,Z,z}'::text[]) AS x) AS sorted,
              upper('é') AS upper`,
    );
    expect(row).toEqual({ sorted: 'BZabzé', upper: 'É' });
  });

  test('requires the password', async () => {
    const wrong = new URL(postgres.url);
    wrong.password = 'wrong';
    const client = new pg.Client({ connectionString: wrong.href });
    await expect(client.connect()).rejects.toMatchObject({ code: '28P01' });
  });

  test('writes no content of failed statements to its log', async () => {
    await expect(query(postgres.url, "SELECT 'hunter2'::integer")).rejects.toThrow('hunter2');
    await expect(query(postgres.url, "DO $$ BEGIN RAISE 'hunter3'; END $$")).rejects.toThrow('hunter3');
    expect(readFileSync(join(dataDir, 'postgres.log'), 'utf8')).not.toMatch(/hunter/);
  });

  test('refuses a second instance on its directory and keeps running', async () => {
    const pid = pidOf(dataDir);
    await expect(start(dataDir)).rejects.toThrow(/The data directory is in use.*DRYDOCK_DATA_DIR/s);
    expect(pidOf(dataDir)).toBe(pid);
    expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test.each(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGQUIT'] as const)('is restarted after %s', async (signal) => {
    const pid = pidOf(dataDir);
    process.kill(pid, signal);
    await until('it runs again', () => query(postgres.url, 'SELECT 1').catch(() => false as const));
    expect(pidOf(dataDir)).not.toBe(pid);
    await until('that is logged', () => logged.some((line) => line.includes('PostgreSQL is running again')));
    expect(logged.join('')).toContain('PostgreSQL ended unexpectedly; starting it again');
  });
});

describe('the bundled PostgreSQL on a stopped directory', () => {
  const dataDir = newDataDir();
  const pgdata = pgdataOf(dataDir);

  test('the first start creates it, and stopping leaves no process', async () => {
    mkdirSync(join(dataDir, 'initialising-2147483646'), { recursive: true });
    writeFileSync(join(dataDir, 'initialising-2147483646.password'), 'left by a killed start');
    const postgres = await start(dataDir);
    await query(postgres.url, 'CREATE TABLE kept AS SELECT 1 AS one');
    const pid = pidOf(dataDir);
    await stop(postgres);
    expect(isAlive(pid)).toBe(false);
    expect(readdirSync(dataDir).toSorted()).toEqual(['postgres', 'postgres.log']);
    await stop(postgres);
  });

  test('a stale pid file whose number now belongs to another program is ignored', async () => {
    writeFileSync(
      join(pgdata, 'postmaster.pid'),
      `${process.pid}\n${pgdata}\n0\n5432\n${pgdata}\n\n\nready\n`,
    );
    const postgres = await start(dataDir);
    expect(await query(postgres.url, 'SELECT one FROM kept')).toEqual([{ one: 1 }]);
    await stop(postgres);
  });

  test('a large log is rotated', async () => {
    writeFileSync(join(dataDir, 'postgres.log'), 'x'.repeat(11 * 1024 * 1024));
    await stop(await start(dataDir));
    expect(statSync(join(dataDir, 'postgres.log.1')).size).toBe(11 * 1024 * 1024);
    expect(statSync(join(dataDir, 'postgres.log')).size).toBeLessThan(10_000);
    expect(statSync(join(dataDir, 'postgres.log')).mode & 0o777).toBe(0o600);
  });

  test('a postmaster that a killed server left behind is ended and replaced', async () => {
    // The postmaster is a child of this process and of no server, so no server holds its lock.
    const args = ['-D', pgdata, '-c', 'listen_addresses=', '-c', `unix_socket_directories=${pgdata}`];
    const launch = launchAs(postgresAccount(pgdata), binaries.postgres, args, [binaries.postgres, pgdata]);
    const orphan = spawn(launch.command, launch.args, {
      ...launch,
      cwd: '/',
      env: { LC_ALL: 'C' },
      stdio: 'ignore',
    });
    await until('the orphan runs', () => findPostmaster(pgdata)?.isReady);
    const pid = pidOf(dataDir);
    expect(pid).toBe(orphan.pid);
    const postgres = await start(dataDir);
    expect(logged.join('')).toContain('ending a PostgreSQL that a killed server left behind');
    expect(isAlive(pid)).toBe(false);
    expect(await query(postgres.url, 'SELECT one FROM kept')).toEqual([{ one: 1 }]);
    await stop(postgres);
  });

  test('a setting that PostgreSQL refuses fails the start and shows the end of the log', async () => {
    const failed = start(dataDir, { settings: { shared_buffers: 'plenty' } });
    await expect(failed).rejects.toThrow(/PostgreSQL did not start.*postgres\.log.*shared_buffers/s);
    expect(existsSync(join(pgdata, 'postmaster.pid'))).toBe(false);
  });

  test('a program that cannot be run fails the start', async () => {
    const missing = { ...binaries, postgres: join(dataDir, 'no-such-program') };
    await expect(start(dataDir, { binaries: missing })).rejects.toThrow();
    expect(existsSync(join(pgdata, 'postmaster.pid'))).toBe(false);
  });
});

test('missing bundled binaries are reported with the solution', () => {
  expect(() => findBundledBinaries('no-such-postgres-')).toThrow(
    /no-such-postgres-\w+-\w+\) is not installed\. Run "npm ci".*DATABASE_URL/,
  );
});

test('an ordinary user launches a command as themselves', () => {
  const { command, args } = launchAs(undefined, '/bin/true', ['x'], []);
  expect([command, ...args].slice(-2)).toEqual(['/bin/true', 'x']);
  expect([command, ...args].join(' ')).not.toMatch(/reuid|caps/);
});
