import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, expect, inject, test } from 'vitest';
import { createDatabase, execute } from '../../../test/databases.ts';
import { until } from '../../../test/processes.ts';
import { createLog } from '../log.ts';
import { connect, type Db } from './connect.ts';

const database = await createDatabase(inject('databaseUrl'));
const open: Db[] = [];

function openDb({ poolSize = 2, namedStatements = true } = {}): Db {
  const db = connect({ url: database.url, poolSize, namedStatements, log: createLog('silent') });
  open.push(db);
  return db;
}

afterAll(async () => {
  await Promise.all(open.map((db) => db.destroy()));
  await database.drop();
});

test('a result that was read is freed by minor garbage collections', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void;
  const db = openDb();
  const megabytes = () => process.memoryUsage().heapUsed / 1e6;
  const read = async () => {
    const { rows } = await sql<{ text: string }>`
      SELECT repeat(md5(n::text), 32) AS text FROM generate_series(1, 1000) AS n`.execute(db);
    collect({ type: 'minor' });
    return rows.length;
  };
  for (let time = 0; time < 5; time++) await read();
  const before = megabytes();
  for (let time = 0; time < 40; time++) expect(await read()).toBe(1_000);
  // All results together are 40 MB.
  expect(megabytes() - before).toBeLessThan(10);
});

const MOMENT = '2026-01-02 03:04:05.678901+00';

test.each(['UTC', 'Asia/Kolkata', 'America/St_Johns', 'Pacific/Kiritimati'])(
  'times are read in UTC to the millisecond, also in a session of %s',
  async (zone) => {
    await openDb()
      .connection()
      .execute(async (connection) => {
        await sql`SELECT set_config('TimeZone', ${zone}, false)`.execute(connection);
        const { rows } = await sql`
        SELECT ${MOMENT}::timestamptz AS given, '2026-07-01 00:00:00Z'::timestamptz AS summer,
               NULL::timestamptz AS missing`.execute(connection);
        const summer = '2026-07-01T00:00:00.000Z';
        expect(rows).toEqual([{ given: '2026-01-02T03:04:05.678Z', summer, missing: null }]);
      });
  },
);

test('a time is written as it is read', async () => {
  const { rows } = await sql<{
    again: string;
  }>`SELECT ${'2026-01-02T03:04:05.678Z'}::timestamptz AS again`.execute(openDb());
  expect(rows).toEqual([{ again: '2026-01-02T03:04:05.678Z' }]);
});

test('integers and decimals are read as numbers', async () => {
  const { rows } = await sql`
    SELECT 9007199254740991::int8 AS big, -1::int8 AS negative, 0.125::numeric AS decimal, 7::int4 AS small,
           count(*) AS none, NULL::int8 AS missing, sum(x)::numeric AS total
      FROM (SELECT 1.5 AS x WHERE false) AS nothing`.execute(openDb());
  const [row] = rows;
  const numbers = { big: 9_007_199_254_740_991, negative: -1, decimal: 0.125, small: 7, none: 0 };
  expect(row).toEqual({ ...numbers, missing: null, total: null });
});

/** Returns the statements that PostgreSQL has prepared on this connection, except this query itself. */
async function listPrepared(db: Db): Promise<{ name: string; statement: string }[]> {
  const { rows } = await sql<{ name: string; statement: string }>`
    SELECT name, statement FROM pg_prepared_statements WHERE statement NOT LIKE '%pg_prepared_statements%'`.execute(
    db,
  );
  return rows;
}

test('a statement is prepared once per connection, under a name made from its text', async () => {
  await openDb()
    .connection()
    .execute(async (connection) => {
      const find = (username: string) =>
        connection.selectFrom('users').select('id').where('username', '=', username).execute();
      expect(await find('owner')).toHaveLength(1);
      expect(await find('nobody-of-that-name')).toHaveLength(0);
      await connection.selectFrom('users').select('email_address').execute();
      const prepared = await listPrepared(connection);
      expect(prepared.map(({ statement }) => statement).toSorted()).toEqual([
        'select "email_address" from "users"',
        'select "id" from "users" where "username" = $1',
      ]);
      for (const { name } of prepared) expect(name).toMatch(/^[\w-]{27}$/);
    });
});

test('no statement is prepared behind a pooler', async () => {
  await openDb({ namedStatements: false })
    .connection()
    .execute(async (connection) => {
      const find = () =>
        connection.selectFrom('users').select('id').where('username', '=', 'owner').execute();
      expect(await find()).toHaveLength(1);
      expect(await find()).toHaveLength(1);
      expect(await listPrepared(connection)).toEqual([]);
    });
});

test('connections carry the name of the program', async () => {
  const { rows } = await sql`SELECT current_setting('application_name') AS name`.execute(openDb());
  expect(rows).toEqual([{ name: 'drydock' }]);
});

const endEveryConnection = () =>
  execute(
    database.url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );

test('the pool opens new connections after every idle one was ended, and the process survives', async () => {
  const db = openDb({ poolSize: 4 });
  /** No connection is released before all four queries have completed. */
  const askFourTimes = async () => {
    const all = Promise.withResolvers<void>();
    // If all four fail, nothing waits for it.
    all.promise.catch(() => undefined);
    let responses = 0;
    const ask = (connection: Db) =>
      sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(connection).then(async ({ rows }) => {
        if (++responses === 4) all.resolve();
        await all.promise;
        return rows[0]?.pid;
      });
    const asking = Array.from({ length: 4 }, () => db.connection().execute(ask));
    for (const each of asking) each.catch(all.reject);
    return new Set(await Promise.all(asking));
  };
  const before = await askFourTimes();
  expect(before.size).toBe(4);
  await endEveryConnection();
  // The error of an ended connection may arrive after the next query has been sent on it.
  const after = await until('the pool works again', () => askFourTimes().catch(() => false as const));
  expect(after.size).toBe(4);
  expect([...after].filter((pid) => before.has(pid))).toEqual([]);
});

test('ending a connection during a query fails only that query', async () => {
  const db = openDb();
  const slow = sql`SELECT pg_sleep(20)`.execute(db);
  const failed = expect(slow).rejects.toBeInstanceOf(pg.DatabaseError);
  await until('it is at work', async () => {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*) AS count FROM pg_stat_activity
       WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep(20)%' AND state = 'active'`.execute(
      db,
    );
    return rows[0]?.count === 1;
  });
  await endEveryConnection();
  await failed;
  await until('the pool works again', () => sql`SELECT 1`.execute(db).catch(() => false as const));
});

test('ending a connection between two statements fails the second one, and the process survives', async () => {
  const db = openDb();
  const failed = db.transaction().execute(async (trx) => {
    await sql`SELECT 1`.execute(trx);
    await endEveryConnection();
    await sleep(100);
    await sql`SELECT 2`.execute(trx);
  });
  await expect(failed).rejects.toThrow();
  expect((await sql<{ three: number }>`SELECT 3 AS three`.execute(db)).rows).toEqual([{ three: 3 }]);
});
