import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../../../test/databases.ts';
import { ApiError } from '../errors.ts';
import { createLog } from '../log.ts';
import { migrate, readMigrations } from './migrate.ts';

const log = createLog('fatal');
const databases: TestDatabase[] = [];
const folders: string[] = [];
let url: string;

beforeEach(async () => {
  const database = await createDatabase(inject('databaseUrl'), 'template0');
  databases.push(database);
  url = database.url;
});

afterAll(async () => {
  for (const database of databases) await database.drop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function folderOf(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-migrations-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) writeMigration(folder, name, text);
  return folder;
}

/** @param oldest the oldest program that may run on a database with this migration */
function writeMigration(folder: string, name: string, text: string, oldest = '0001'): void {
  writeFileSync(join(folder, name), `-- oldest program: ${oldest}\n${text}`);
}

async function query<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const listTables = async () =>
  (
    await query<{ name: string }>(`SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname`)
  ).map(({ name }) => name);

const listApplied = async () =>
  (await query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY applied_at, version')).map(
    ({ name }) => name,
  );

const FIRST =
  'CREATE TABLE steps (id serial PRIMARY KEY, name text); INSERT INTO steps (name) VALUES ($$first$$)';
const SECOND = "INSERT INTO steps (name) VALUES ('second')";

test('migrate applies the files once and in order', async () => {
  const directory = folderOf({ '0002_b.sql': SECOND, '0001_a.sql': FIRST, 'README.md': 'not a migration' });
  await migrate({ url, log, directory });
  await migrate({ url, log, directory });
  expect(await query('SELECT name FROM steps ORDER BY id')).toEqual([{ name: 'first' }, { name: 'second' }]);
  expect(await listApplied()).toEqual(['0001_a.sql', '0002_b.sql']);

  writeMigration(directory, '0003_c.sql', "INSERT INTO steps (name) VALUES ('third')");
  await migrate({ url, log, directory });
  expect(await query('SELECT count(*)::integer AS count FROM steps')).toEqual([{ count: 3 }]);
});

test('processes that start together on an empty database share the migrations', async () => {
  const directory = folderOf({
    '0001_a.sql': FIRST,
    '0002_b.sql': `SELECT pg_sleep(0.1); ${SECOND}`,
    '0003_c.sql': SECOND,
  });
  await Promise.all(Array.from({ length: 4 }, () => migrate({ url, log, directory })));
  expect(await query('SELECT count(*)::integer AS count FROM steps')).toEqual([{ count: 3 }]);
  expect(await listApplied()).toEqual(['0001_a.sql', '0002_b.sql', '0003_c.sql']);
});

test('the real migrations succeed when two processes run them at once', async () => {
  await Promise.all([migrate({ url, log }), migrate({ url, log })]);
  expect(await listTables()).toEqual(expect.arrayContaining(['organizations', 'schema_migrations', 'users']));
});

test('migrate refuses an applied file that has changed, and applies none after it', async () => {
  const directory = folderOf({ '0001_a.sql': FIRST });
  await migrate({ url, log, directory });
  writeMigration(directory, '0001_a.sql', `${FIRST} -- harmless`);
  writeMigration(directory, '0002_b.sql', SECOND);
  await expect(migrate({ url, log, directory })).rejects.toThrow(
    'Migration 0001_a.sql was changed after it had been applied.',
  );
  expect(await listApplied()).toEqual(['0001_a.sql']);
});

test.each([
  ['a gap', ['0001_a.sql', '0003_c.sql'], 'Migration 0003_c.sql must be numbered 0002_'],
  ['a number taken twice', ['0001_a.sql', '0001_b.sql'], 'Migration 0001_b.sql must be numbered 0002_'],
  ['no first', ['0002_b.sql'], 'Migration 0002_b.sql must be numbered 0001_'],
  ['a name without a number', ['0001_a.sql', 'more.sql'], 'Migration more.sql must be numbered 0002_'],
])('migrate refuses %s in the numbering before it changes anything', async (_kind, names, message) => {
  const directory = folderOf(Object.fromEntries(names.map((name) => [name, 'CREATE TABLE never ()'])));
  await expect(migrate({ url, log, directory })).rejects.toThrow(message);
  expect(await listTables()).toEqual([]);
});

test('a failing migration leaves no changes behind, and those before it stay', async () => {
  const directory = folderOf({
    '0001_a.sql': FIRST,
    '0002_b.sql': `CREATE TABLE half (); ${SECOND}; SELECT 1 / 0`,
  });
  await expect(migrate({ url, log, directory })).rejects.toThrow('division by zero');
  expect(await listTables()).toEqual(['schema_migrations', 'steps']);
  expect(await query('SELECT name FROM steps')).toEqual([{ name: 'first' }]);
  expect(await listApplied()).toEqual(['0001_a.sql']);

  writeMigration(directory, '0002_b.sql', SECOND);
  await migrate({ url, log, directory });
  expect(await listApplied()).toEqual(['0001_a.sql', '0002_b.sql']);
});

describe('a database migrated by a newer program', () => {
  const MIGRATION = /Database migrated from (\d{4}) to (\d{4}) in \d+\.\d s/;

  /** A database at version 2, left by a program that knows one more migration than the one that starts now. */
  async function leave(oldest: string): Promise<string> {
    const newer = folderOf({ '0001_a.sql': FIRST });
    writeMigration(newer, '0002_b.sql', SECOND, oldest);
    await migrate({ url, log, directory: newer });
    return folderOf({ '0001_a.sql': FIRST });
  }

  test('is refused with one sentence and left unchanged when it requires that program', async () => {
    const directory = await leave('0002');
    await expect(migrate({ url, log, directory })).rejects.toThrow(
      'The database has version 0002 and needs a Drydock of version 0002 or later; this one has version 0001. ' +
        'Start the newer Drydock; nothing was changed.',
    );
    expect(await listApplied()).toEqual(['0001_a.sql', '0002_b.sql']);
  });

  test('is accepted when the newest migration allows the program before it', async () => {
    const directory = await leave('0001');
    await migrate({ url, log, directory });
    expect(await listApplied()).toEqual(['0001_a.sql', '0002_b.sql']);
  });

  test('is refused when an earlier migration requires a newer program than the newest one does', async () => {
    const newer = folderOf({ '0001_a.sql': FIRST });
    writeMigration(newer, '0002_b.sql', SECOND, '0002');
    writeMigration(newer, '0003_c.sql', SECOND, '0001');
    await migrate({ url, log, directory: newer });
    const directory = folderOf({ '0001_a.sql': FIRST });
    await expect(migrate({ url, log, directory })).rejects.toThrow(
      'needs a Drydock of version 0002 or later',
    );
  });

  test('is accepted by the real program without its newest migration, as in a rolling upgrade', async () => {
    await migrate({ url, log });
    const all = await readMigrations();
    const newest = all.at(-1);
    const before = folderOf({});
    for (const { name, sql, oldestProgram } of all.slice(0, -1))
      writeMigration(before, name, sql, String(oldestProgram).padStart(4, '0'));
    const started = migrate({ url, log, directory: before });
    if ((newest?.oldestProgram ?? 0) < all.length) await started;
    else await expect(started).rejects.toThrow('or later; this one has version');
  });

  test('gets the versions filled in when it was created before they were compared', async () => {
    const directory = folderOf({ '0001_a.sql': FIRST });
    writeMigration(directory, '0002_b.sql', SECOND, '0002');
    await migrate({ url, log, directory });
    await query('ALTER TABLE schema_migrations DROP COLUMN oldest_program');
    await migrate({ url, log, directory });
    const older = folderOf({ '0001_a.sql': FIRST });
    await expect(migrate({ url, log, directory: older })).rejects.toThrow('needs a Drydock of version 0002');
  });

  test('migrate logs one line with both versions, and none when there is nothing to do', async () => {
    const lines: string[] = [];
    const watched = pino({ base: null }, { write: (line: string) => void lines.push(line) });
    const directory = folderOf({ '0001_a.sql': FIRST, '0002_b.sql': SECOND });
    await migrate({ url, log: watched, directory });
    await migrate({ url, log: watched, directory });
    expect(lines.map((line) => MIGRATION.exec(line)?.slice(1))).toEqual([['0000', '0002']]);
  });

  test.each(['SELECT 1', '-- oldest program: 0002\nSELECT 1', '-- oldest program: 1\nSELECT 1'])(
    'migrate refuses a migration without a valid header before it changes anything (%j)',
    async (text) => {
      const directory = folderOf({});
      writeFileSync(join(directory, '0001_a.sql'), text);
      await expect(migrate({ url, log, directory })).rejects.toThrow(
        'must begin with "-- oldest program: NNNN"',
      );
      expect(await listTables()).toEqual([]);
    },
  );

  test('every migration of Drydock has the header', async () => {
    const migrations = await readMigrations();
    expect(migrations.length).toBeGreaterThan(16);
    for (const { version, oldestProgram } of migrations) expect(oldestProgram).toBeLessThanOrEqual(version);
  });
});

describe('a lock timeout of the migrations', () => {
  async function whileHolding(statement: string, work: () => Promise<void>): Promise<void> {
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    try {
      await holder.query('BEGIN');
      await holder.query(statement);
      await work();
    } finally {
      await holder.end();
    }
  }

  async function expectTimeout(directory: string): Promise<void> {
    const failed = migrate({ url, log, directory, lockTimeoutMs: 100 });
    await expect(failed).rejects.toBeInstanceOf(ApiError);
    await expect(failed).rejects.toMatchObject({ type: 'migration_lock_timeout_error', status: 500 });
  }

  test('says that another process migrates', async () => {
    const directory = folderOf({ '0001_a.sql': FIRST });
    const key = 0x6d69_6772; // The same key as in migrate.ts, since a process of another release must use the same lock.
    await whileHolding(`SELECT pg_advisory_xact_lock(${key})`, () => expectTimeout(directory));
    expect(await listTables()).toEqual([]);
    await migrate({ url, log, directory, lockTimeoutMs: 100 });
  });

  test('says that a transaction holds a table', async () => {
    const directory = folderOf({ '0001_a.sql': FIRST });
    await migrate({ url, log, directory });
    writeMigration(directory, '0002_b.sql', 'ALTER TABLE steps ADD COLUMN more text');
    await whileHolding('SELECT FROM steps', () => expectTimeout(directory));
    expect(await listApplied()).toEqual(['0001_a.sql']);
    await migrate({ url, log, directory });
    expect(await listApplied()).toEqual(['0001_a.sql', '0002_b.sql']);
  });
});

describe('the time limits of the database role', () => {
  const SETTINGS = `SELECT current_setting('statement_timeout') AS statement,
    current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('TimeZone') AS zone`;

  test('apply to every new connection to this database, and to no other', async () => {
    await migrate({ url, log, directory: folderOf({}) });
    expect(await query(SETTINGS)).toEqual([{ statement: '30s', idle: '15s', zone: 'UTC' }]);
    url = inject('databaseUrl');
    expect(await query(SETTINGS)).not.toMatchObject([{ statement: '30s' }]);
  });

  test('do not apply to the migrations themselves', async () => {
    await migrate({ url, log, directory: folderOf({}) });
    const directory = folderOf({
      '0001_a.sql': `CREATE TABLE limits AS ${SETTINGS}`,
    });
    await migrate({ url, log, directory });
    expect(await query('SELECT statement FROM limits')).toEqual([{ statement: '0' }]);
  });

  test('are restored after they were changed', async () => {
    const directory = folderOf({});
    await migrate({ url, log, directory });
    const name = new URL(url).pathname.slice(1);
    await query(`ALTER ROLE CURRENT_USER IN DATABASE ${name} SET statement_timeout = '1h'`);
    expect(await query(SETTINGS)).toMatchObject([{ statement: '1h' }]);
    await migrate({ url, log, directory });
    expect(await query(SETTINGS)).toMatchObject([{ statement: '30s' }]);
  });
});
