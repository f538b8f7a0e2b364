import { sql } from 'kysely';
import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { createDatabase } from '../../../test/databases.ts';
import { createLog } from '../log.ts';
import { connect } from './connect.ts';
import { type Trx, transaction, transactionFor } from './transaction.ts';

const database = await createDatabase(inject('databaseUrl'), 'template0');
const db = connect({ url: database.url, poolSize: 4, namedStatements: true, log: createLog('fatal') });
await sql`CREATE TABLE counters (name text PRIMARY KEY, value integer NOT NULL)`.execute(db);

afterAll(async () => {
  await db.destroy();
  await database.drop();
});

beforeEach(async () => {
  await sql`TRUNCATE counters`.execute(db);
  await sql`INSERT INTO counters VALUES ('a', 0), ('b', 0)`.execute(db);
});

const add = (trx: Trx, name: string) =>
  sql`UPDATE counters SET value = value + 1 WHERE name = ${name}`.execute(trx);

async function readCounters(trx: Trx | typeof db = db): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; value: number }>`SELECT name, value FROM counters`.execute(trx);
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

/** Resolves when `count` callers have arrived; later callers pass immediately. */
function meetingOf(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let come = 0;
  return () => {
    if (++come === count) resolve();
    return promise;
  };
}

test('transaction returns the result of its work and commits the writes', async () => {
  const result = await transaction(db, async (trx) => {
    await add(trx, 'a');
    return 'done';
  });
  expect(result).toBe('done');
  expect(await readCounters()).toEqual({ a: 1, b: 0 });
});

test('transaction rolls back work that throws', async () => {
  const failure = new Error('no');
  const failed = transaction(db, async (trx) => {
    await add(trx, 'a');
    await add(trx, 'b');
    throw failure;
  });
  await expect(failed).rejects.toBe(failure);
  expect(await readCounters()).toEqual({ a: 0, b: 0 });
});

test('a transaction that PostgreSQL ends because of a deadlock runs again', async () => {
  const bothHoldOne = meetingOf(2);
  let attempts = 0;
  const addBoth = (first: string, second: string) =>
    transaction(db, async (trx) => {
      attempts++;
      await add(trx, first);
      await bothHoldOne();
      await add(trx, second);
    });
  await Promise.all([addBoth('a', 'b'), addBoth('b', 'a')]);
  expect(attempts).toBe(3);
  expect(await readCounters()).toEqual({ a: 2, b: 2 });
});

test('a transaction with a serialization failure runs again on the result of the other one', async () => {
  const bothHaveRead = meetingOf(2);
  let attempts = 0;
  /** Each sets one counter to the sum of both, plus one. */
  const sumInto = (name: string) =>
    transaction(db, async (trx) => {
      attempts++;
      await sql`SET TRANSACTION ISOLATION LEVEL SERIALIZABLE`.execute(trx);
      const { a = 0, b = 0 } = await readCounters(trx);
      await bothHaveRead();
      await sql`UPDATE counters SET value = ${a + b + 1}::integer WHERE name = ${name}`.execute(trx);
    });
  await Promise.all([sumInto('a'), sumInto('b')]);
  expect(attempts).toBe(3);
  expect(Object.values(await readCounters()).toSorted((x, y) => x - y)).toEqual([1, 2]);
});

const fail = (trx: Trx, code: string) =>
  sql.raw(`DO $$ BEGIN RAISE 'asked for' USING ERRCODE = '${code}'; END $$`).execute(trx);

test.each([
  ['40001', 5],
  ['40P01', 5],
  ['23505', 1],
  ['22012', 1],
  ['57014', 1],
  ['55P03', 1],
])('transaction work that always fails with %s is given up after %i attempts', async (code, expected) => {
  let attempts = 0;
  const failed = transaction(db, async (trx) => {
    attempts++;
    await add(trx, 'a');
    await fail(trx, code);
  });
  await expect(failed).rejects.toMatchObject({ code });
  expect(attempts).toBe(expected);
  expect(await readCounters()).toEqual({ a: 0, b: 0 });
});

test('transaction does not retry errors of the program', async () => {
  let attempts = 0;
  const failed = transaction(db, () => {
    attempts++;
    return Promise.reject(Object.assign(new Error('no'), { code: '40001' }));
  });
  await expect(failed).rejects.toThrow('no');
  expect(attempts).toBe(1);
});

test('every connection is free again after the retries', async () => {
  const held = Array.from({ length: 4 }, () => transaction(db, (trx) => add(trx, 'a')));
  await Promise.all(held);
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM pg_stat_activity
     WHERE datname = current_database() AND state LIKE 'idle in transaction%'`.execute(db);
  expect(rows).toEqual([{ count: 0 }]);
});

test('transactionFor ends with the record of the effect, and transaction does not', async () => {
  const recordEffect = async (trx: Trx) => void (await add(trx, 'b'));
  await transaction(db, (trx) => add(trx, 'a'));
  expect(await readCounters()).toEqual({ a: 1, b: 0 });
  await transactionFor(db, { recordEffect }, (trx) => add(trx, 'a'));
  expect(await readCounters()).toEqual({ a: 2, b: 1 });
  await transactionFor(db, {}, (trx) => add(trx, 'a'));
  expect(await readCounters()).toEqual({ a: 3, b: 1 });
});

test('transactionFor records the effect once when it is part of another transactionFor', async () => {
  const request = { recordEffect: async (trx: Trx) => void (await add(trx, 'b')) };
  await transactionFor(db, request, (outer) => transactionFor(outer, request, (trx) => add(trx, 'a')));
  expect(await readCounters()).toEqual({ a: 1, b: 1 });
});

test('transactionFor keeps nothing when the effect cannot be recorded', async () => {
  const request = { recordEffect: () => Promise.reject(new Error('too late')) };
  await transaction(db, (trx) => add(trx, 'a'));
  await expect(transactionFor(db, request, (trx) => add(trx, 'b'))).rejects.toThrow('too late');
  expect(await readCounters()).toEqual({ a: 1, b: 0 });
});

test('a row is written again when its own partition was attached while it waited in the default partition', async () => {
  await sql`CREATE TABLE parted (n integer PRIMARY KEY) PARTITION BY RANGE (n)`.execute(db);
  await sql`CREATE TABLE parted_default PARTITION OF parted DEFAULT`.execute(db);
  const isHeld = Promise.withResolvers<void>();
  const attached = transaction(db, async (trx) => {
    await sql`LOCK TABLE parted_default IN SHARE MODE`.execute(trx);
    isHeld.resolve();
    await sql`SELECT pg_sleep(0.2)`.execute(trx);
    await sql`CREATE TABLE parted_ten (LIKE parted INCLUDING ALL)`.execute(trx);
    await sql`ALTER TABLE parted ATTACH PARTITION parted_ten FOR VALUES FROM (10) TO (20)`.execute(trx);
  });
  await isHeld.promise;
  let attempts = 0;
  await transaction(db, async (trx) => {
    attempts++;
    await sql`INSERT INTO parted (n) VALUES (15)`.execute(trx);
  });
  await attached;
  expect(attempts).toBe(2);
  const { rows } = await sql`SELECT n, tableoid::regclass::text AS place FROM parted`.execute(db);
  expect(rows).toEqual([{ n: 15, place: 'parted_ten' }]);
});
