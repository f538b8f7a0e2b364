import { once } from 'node:events';
import { connect as connectSocket, createServer, type Server } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { createDatabase } from '../../../test/databases.ts';
import { connect, type Db } from '../db/connect.ts';
import { transaction } from '../db/transaction.ts';
import { ApiError } from '../errors.ts';
import { createLog } from '../log.ts';
import { Batcher, type BatcherOptions } from './batcher.ts';

const database = await createDatabase(inject('databaseUrl'), 'template0');
const log = createLog('fatal');
const db = connect({ url: database.url, poolSize: 4, namedStatements: true, log });
await sql`CREATE TABLE readings (place integer PRIMARY KEY, value integer NOT NULL)`.execute(db);

afterAll(async () => {
  await db.destroy();
  await database.drop();
});

beforeEach(() => sql`TRUNCATE readings`.execute(db));

interface Reading {
  readonly place: number;
  /** Text, so that PostgreSQL rejects values that are not numbers. */
  readonly value: string;
}

const reading = (place: number, value = String(place * 10)): Reading => ({ place, value });
const readings = (count: number) => Array.from({ length: count }, (_, place) => reading(place));

/** Inserts in one statement and records the places of every batch that it receives. */
function newBatcher(options: Partial<BatcherOptions<Reading, string>> = {}, on: Db = db) {
  const batches: number[][] = [];
  const write = async (items: Reading[]) => {
    batches.push(items.map(({ place }) => place));
    return transaction(on, async (trx) => {
      await sql`
        INSERT INTO readings
        SELECT place, value::integer
          FROM unnest(${items.map(({ place }) => place)}::integer[], ${items.map(({ value }) => value)}::text[])
               AS item (place, value)`.execute(trx);
      return items.map(({ value }) => `wrote ${value}`);
    });
  };
  return { batches, write, batcher: new Batcher({ write, ...options }) };
}

async function stored(): Promise<number[]> {
  const { rows } = await sql<{ place: number }>`SELECT place FROM readings ORDER BY place`.execute(db);
  return rows.map(({ place }) => place);
}

/** A gate at which writes wait. */
function newGate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

test('each caller gets its own result after its row has become visible', async () => {
  const { batcher } = newBatcher();
  const settled = await Promise.all(
    readings(50).map(async (item) => {
      const result = await batcher.add(item);
      return { result, isStored: (await stored()).includes(item.place) };
    }),
  );
  expect(settled).toEqual(readings(50).map(({ value }) => ({ result: `wrote ${value}`, isStored: true })));
});

test('a batch holds only items that fit together, and a larger item gets a batch of its own', async () => {
  const { batcher, batches } = newBatcher({
    maxInFlight: 1,
    shareOf: ({ place }) => [0.5, 0.5, 0.1, 3, 0.2][place] ?? 0,
  });
  await Promise.all(readings(7).map((one) => batcher.add(one)));
  expect(batches).toEqual([[0, 1], [2], [3], [4, 5, 6]]);
});

test('items added in one turn are sent together, in order, in batches of at most the maximum size', async () => {
  const { batches, batcher } = newBatcher({ maxBatch: 40 });
  await Promise.all(readings(100).map((item) => batcher.add(item)));
  expect(batches.map(({ length }) => length)).toEqual([40, 40, 20]);
  expect(batches.flat()).toEqual(readings(100).map(({ place }) => place));
});

test('a single item is written without waiting for others', async () => {
  const { batches, batcher } = newBatcher();
  const added = batcher.add(reading(1));
  await nextTurn();
  await nextTurn();
  expect(batches).toEqual([[1]]);
  await added;
});

test('at most the allowed number of batches is written at a time, and items that arrive in between share the next batch', async () => {
  const gate = newGate();
  let running = 0;
  let most = 0;
  const sizes: number[] = [];
  const batcher = new Batcher<number, number>({
    write: async (items) => {
      sizes.push(items.length);
      most = Math.max(most, ++running);
      await gate.passed;
      running--;
      return items;
    },
  });
  const added: Promise<number>[] = [];
  for (let item = 0; item < 10; item++) {
    added.push(batcher.add(item));
    await nextTurn();
    await nextTurn();
  }
  gate.open();
  expect(await Promise.all(added)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(most).toBe(2);
  expect(sizes).toEqual([1, 1, 8]);
});

test.each([
  ['is not a number', reading(3, 'many'), { code: '22P02' }],
  ['breaks a constraint', reading(7), { code: '23505' }],
])('a row that %s fails alone', async (_what, bad, error) => {
  const { batcher } = newBatcher();
  await batcher.add(reading(7));
  const results = await Promise.allSettled([reading(1), bad, reading(2)].map((item) => batcher.add(item)));
  expect(results).toMatchObject([{ value: 'wrote 10' }, { reason: error }, { value: 'wrote 20' }]);
  expect(await stored()).toEqual([1, 2, 7]);
});

test('the first of two conflicting rows is stored, and the second fails', async () => {
  const { batcher } = newBatcher();
  const results = await Promise.allSettled(
    [reading(1, '1'), reading(1, '2')].map((item) => batcher.add(item)),
  );
  expect(results).toMatchObject([{ value: 'wrote 1' }, { reason: { code: '23505' } }]);
});

test('an item that our own code refuses fails alone', async () => {
  const { batcher } = newBatcher({
    write: async (items) => {
      if (items.some(({ place }) => place === 2))
        throw new ApiError('not_found_error', 'Place 2 is unknown.');
      return items.map(({ value }) => value);
    },
  });
  const results = await Promise.allSettled([1, 2, 3].map((place) => batcher.add(reading(place))));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test.each([
  ['a database that goes away', loseConnection],
  ['a failure of ours', () => Promise.reject(new ApiError('database_error', 'away'))],
  ['a bug', () => Promise.reject(new TypeError('bug'))],
])('%s fails the whole batch without a retry', async (_what, fail) => {
  let writes = 0;
  const batcher = new Batcher<number, number>({
    write: async (items) => {
      writes++;
      await fail();
      return items;
    },
  });
  const results = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(writes).toBe(1);
});

async function loseConnection(): Promise<void> {
  const doomed = connect({ url: database.url, poolSize: 1, namedStatements: true, log });
  try {
    await sql`SELECT pg_terminate_backend(pg_backend_pid())`.execute(doomed);
  } finally {
    await doomed.destroy();
  }
}

test('a database loss between single rows fails the remaining rows without trying them', async () => {
  const tried: number[][] = [];
  const batcher = new Batcher<number, number>({
    write: async (items) => {
      tried.push(items);
      if (items.length > 1) throw new ApiError('validation_error', 'one of them');
      if (items[0] === 2) throw new Error('Connection terminated unexpectedly');
      return items;
    },
  });
  const results = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
  expect(results).toMatchObject([
    { value: 1 },
    { reason: { message: 'Connection terminated unexpectedly' } },
    { reason: { message: 'Connection terminated unexpectedly' } },
  ]);
  expect(tried).toEqual([[1, 2, 3], [1], [2]]);
});

test('a connection that is lost during COMMIT fails all callers and writes no row twice', async () => {
  const proxy = await listen(losesConnectionAtCommit());
  const url = new URL(database.url);
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  url.searchParams.delete('host');
  const lossy = connect({ url: url.href, poolSize: 2, namedStatements: true, log });
  const { batches, batcher } = newBatcher({}, lossy);
  const results = await Promise.allSettled([1, 2, 3].map((place) => batcher.add(reading(place))));
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(batches).toEqual([[1, 2, 3]]);
  expect(await stored()).toEqual([1, 2, 3]);
  await lossy.destroy();
  proxy.server.close();
});

/** Forwards COMMIT to PostgreSQL, and cuts the connection instead of returning its response. */
function losesConnectionAtCommit(): Server {
  return createServer((client) => {
    const postgres = connectSocket(socketOf(database.url));
    let isCommitting = false;
    client.on('data', (bytes) => {
      isCommitting ||= /commit/i.test(bytes.toString('latin1'));
      postgres.write(bytes);
    });
    postgres.on('data', (bytes) => (isCommitting ? client.destroy() : client.write(bytes)));
    client.on('close', () => postgres.destroy()).on('error', () => undefined);
    postgres.on('error', () => undefined);
  });
}

async function listen(server: Server): Promise<{ server: Server; port: number }> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return { server, port: address.port };
}

function socketOf(url: string): string {
  return `${new URL(url).searchParams.get('host')}/.s.PGSQL.5432`;
}

test('add is refused with 429 when the queue is full', async () => {
  const gate = newGate();
  const batcher = new Batcher<number, number>({
    write: async (items) => {
      await gate.passed;
      return items;
    },
    maxBatch: 1,
    maxInFlight: 1,
    maxWaiting: 3,
  });
  const writing = batcher.add(0);
  await nextTurn();
  await nextTurn();
  const waiting = [1, 2, 3].map((item) => batcher.add(item));
  await expect(batcher.add(4)).rejects.toMatchObject({
    type: 'usage_limit_exceeded_error',
    headers: { 'retry-after': '1' },
  });
  gate.open();
  expect(await Promise.all([writing, ...waiting])).toEqual([0, 1, 2, 3]);
  expect(await batcher.add(5)).toBe(5);
});

test('drain writes the queued items and accepts no more', async () => {
  const { batches, batcher } = newBatcher({ maxBatch: 10 });
  const added = readings(45).map((item) => batcher.add(item));
  const drained = batcher.drain();
  await expect(batcher.add(reading(99))).rejects.toMatchObject({ type: 'usage_limit_exceeded_error' });
  await drained;
  expect(await stored()).toHaveLength(45);
  expect(batches).toHaveLength(5);
  await Promise.all(added);
  await batcher.drain();
});
