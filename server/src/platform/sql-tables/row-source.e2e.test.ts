/** Rows from PostgreSQL to a query, in this process and in a separate one: their delivery, and the order of ends. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../../../test/databases.ts';
import { commandOf, descendantsOf, isRunning } from '../../../test/descendants.ts';
import { numbers, somebody } from '../../../test/plain-rows.ts';
import { makeFolder, until } from '../../../test/processes.ts';
import { WAIT_TIMEOUT_MS } from '../../../test/wait-timeout.ts';
import { openTestWork } from '../../../test/work-folders.ts';
import { FairSemaphore } from '../admission/fair-semaphore.ts';
import { queryRows, SqlError, type SqlQuery, writeParquet } from '../analytics/sql-query.ts';
import { openRowSource, type RowSourceOptions } from './row-source.ts';
import { column, type SqlTable } from './sql-table.ts';
import type { RowSource } from './table-need.ts';

const PASSWORD = 'never-to-be-seen';
let database: TestDatabase;
let admin: pg.Client;
let url: string;
const work = await openTestWork();
const folder = makeFolder();
let files = 0;

beforeAll(async () => {
  database = await createDatabase(inject('databaseUrl'));
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  const withPassword = new URL(database.url);
  if (withPassword.password === '') withPassword.password = PASSWORD;
  url = withPassword.href;
});

afterAll(async () => {
  await admin.end();
  await database.drop();
});

const series = (name: string, count: number): SqlTable => ({
  ...numbers,
  name,
  rows: () => sql`FROM (SELECT generate_series(1, ${sql.lit(count)}) AS n) AS g WHERE true`,
});
const long: SqlTable = {
  ...series('long', 1),
  columns: [column('text', 'VARCHAR', sql`repeat('x', 70 * 1024 * 1024)`, 'Long.')],
};
const broken: SqlTable = {
  ...series('broken', 10),
  columns: [column('n', 'INTEGER', sql`1 / (g.n - 5)`, 'Divides by nothing.')],
};
const sorted: SqlTable = {
  ...numbers,
  name: 'sorted',
  rows: () =>
    sql`FROM (SELECT s.n FROM (SELECT generate_series(1, 2000000000) AS n) AS s ORDER BY md5(s.n::text)) AS g WHERE true`,
};
const TABLES = [series('few', 1000), series('many', 1_000_000), numbers, sorted, long, broken];

const open = (options: Partial<RowSourceOptions> = {}) =>
  openRowSource({
    url,
    turns: new FairSemaphore(2),
    tables: TABLES,
    viewer: somebody(),
    statementTimeoutMs: WAIT_TIMEOUT_MS,
    ...options,
  });

const unending = new AbortController().signal;

const ask = (query: string, isNiced: boolean, more: Partial<SqlQuery> = {}) =>
  queryRows({
    work,
    query,
    tables: TABLES,
    source: open(),
    maxRows: 10,
    signal: unending,
    isNiced,
    ...more,
  });

const exporters = () =>
  descendantsOf(process.pid).filter((pid) => isRunning(pid) && commandOf(pid).includes('exporter/main.ts'));

async function expectNoneLeft(): Promise<void> {
  const backends = async () => {
    const { rows } = await admin.query(
      `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'drydock%'`,
    );
    return rows;
  };
  await expect.poll(backends, { interval: 20 }).toEqual([]);
  expect(exporters()).toEqual([]);
}

const untilCopying = () =>
  until('PostgreSQL reads', async () => {
    const { rows } = await admin.query(
      `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'COPY%' AND application_name LIKE 'drydock%' AND state = 'active'`,
    );
    return rows.length > 0;
  });

describe.each([
  { isNiced: false, where: 'in this process' },
  { isNiced: true, where: 'in a separate process' },
])('row source $where', ({ isNiced }) => {
  test('delivers rows of several tables completely', async () => {
    const query = `SELECT count(*) AS c, sum(m.n)::BIGINT AS s, (SELECT count(*) FROM few) AS f FROM many AS m`;
    expect((await ask(query, isNiced)).rows).toBe('[[1000000,500000500000,1000]]');
    await expectNoneLeft();
  });

  test('stops reading when the reader has enough', async () => {
    expect((await ask('SELECT n FROM numbers LIMIT 2', isNiced)).rows).toBe('[[1],[2]]');
    await expectNoneLeft();
  });

  test('reports errors of PostgreSQL', async () => {
    await expect(ask('SELECT n FROM broken', isNiced)).rejects.toThrow('division by zero');
    await expectNoneLeft();
  });

  test('reports a row that is too long', async () => {
    const asking = ask('SELECT length(text) AS l FROM long', isNiced);
    await expect(asking).rejects.toThrow(SqlError);
    await expect(asking).rejects.toThrow(/longer than 32 MiB/);
    await expectNoneLeft();
  });

  test.each(['numbers', 'sorted'])('stops when the caller disconnects while %s are read', async (table) => {
    const leaving = new AbortController();
    const asking = ask(`SELECT max(n) AS n FROM ${table}`, isNiced, { signal: leaving.signal });
    await untilCopying();
    leaving.abort(new Error('gone'));
    await expect(asking).rejects.toThrow('gone');
    await expectNoneLeft();
  });

  test('refuses an unknown table before anything is read', async () => {
    const source = open({ tables: [] });
    await expect(ask('SELECT n FROM few', isNiced, { source })).rejects.toThrow('Table few does not exist');
    await expectNoneLeft();
  });
});

test('reports the number of rows during the transfer, and at the end', async () => {
  const reported: number[] = [];
  const { row_count } = await writeParquet({
    work,
    query: 'SELECT n FROM many',
    tables: TABLES,
    source: open(),
    maxRows: 1e9,
    signal: unending,
    isNiced: true,
    path: join(folder, `${files++}.parquet`),
    onProgress: (rows) => reported.push(rows),
  });
  expect(row_count).toBe(1_000_000);
  expect(reported.at(-1)).toBe(1_000_000);
  expect(reported).toEqual(reported.toSorted((a, b) => a - b));
});

test('a exporter process killed during the transfer is an error without a result', async () => {
  const asking = ask('SELECT count(*) AS n FROM numbers', true);
  await untilCopying();
  for (const pid of exporters()) process.kill(pid, 'SIGKILL');
  await expect(asking).rejects.toThrow(/moves rows ended with SIGKILL/);
  await expectNoneLeft();
});

test('the arguments and environment of the exporter do not reveal database access', async () => {
  const leaving = new AbortController();
  const asking = ask('SELECT count(*) AS n FROM numbers', true, { signal: leaving.signal });
  await untilCopying();
  const [exporter] = exporters();
  const seen = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${exporter}/${name}`, 'utf8')).join();
  expect(seen).toContain('exporter/main.ts');
  expect(seen).not.toContain(new URL(url).password);
  expect(seen).not.toContain(new URL(url).pathname);
  leaving.abort(new Error('enough'));
  await expect(asking).rejects.toThrow('enough');
  await expectNoneLeft();
});

test('queries beyond the limit wait for a turn, and can be aborted while waiting', async () => {
  const source: RowSource = open({ turns: new FairSemaphore(1) });
  const [first, second] = [new AbortController(), new AbortController()];
  const reading = ask('SELECT n FROM sorted', false, { source, signal: first.signal });
  await untilCopying();
  const waiting = ask('SELECT n FROM few', false, { source, signal: second.signal });
  const next = ask('SELECT count(*) AS n FROM few', false, { source });
  await sleep(500);
  second.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');
  first.abort(new Error('ended'));
  await expect(reading).rejects.toThrow('ended');
  expect((await next).rows).toBe('[[1000]]');
});
