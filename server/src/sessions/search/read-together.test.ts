import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { connect, poolOf } from '../../platform/db/connect.ts';
import { createLog } from '../../platform/log.ts';
import { readTogether } from './read-together.ts';

const server = await startTestServer();

interface Seen {
  readonly connection: number;
  readonly count: number;
}

/** Counts the users after a delay. */
const countUsers = (seconds: number) => sql<Seen>`
  SELECT pg_backend_pid() AS connection, (SELECT count(*) FROM users) AS count FROM pg_sleep(${seconds})`;

function connectWith(poolSize: number) {
  const db = connect({ url: server.url, poolSize, namedStatements: true, log: createLog('fatal') });
  onTestFinished(() => db.destroy());
  return db;
}

test('both statements see the same snapshot, even when others commit in between', async () => {
  const db = connectWith(2);
  for (let round = 0; round < 5; round++) {
    // Long enough for the second statement to begin on a busy machine.
    const reading = readTogether(db, countUsers(0.5), countUsers(0.02));
    await server.addPerson(`person-${round}`);
    const [one, other] = await reading;
    expect(one?.connection).not.toBe(other?.connection);
    expect(one?.count).toBe(other?.count);
  }
});

test('many concurrent reads with few connections do not deadlock', async () => {
  const db = connectWith(2);
  const pairs = await Promise.all(
    Array.from({ length: 12 }, () => readTogether(db, countUsers(0.01), countUsers(0.01))),
  );
  for (const [one, other] of pairs) expect(one?.count).toBe(other?.count);
  expect(pairs.map(({ length }) => length)).toEqual(Array(12).fill(2));
  // Every connection has been released.
  const pool = poolOf(db);
  await expect.poll(() => pool?.idleCount).toBe(pool?.totalCount);
});

test('one connection is enough for both statements', async () => {
  const [one, other] = await readTogether(connectWith(1), countUsers(0), countUsers(0));
  expect(one).toEqual(other);
});

test('an error in either statement is reported', async () => {
  const db = connectWith(2);
  const wrong = sql<Seen>`SELECT 1 / (SELECT count(*) - count(*) FROM users)`;
  await expect(readTogether(db, wrong, countUsers(0))).rejects.toThrow('division by zero');
  await expect(readTogether(db, countUsers(0.05), wrong)).rejects.toThrow('division by zero');
});
