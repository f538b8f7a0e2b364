import { sql } from 'kysely';
import { afterAll, expect, inject, test } from 'vitest';
import { createDatabase } from '../../../test/databases.ts';
import { connect } from '../db/connect.ts';
import { createLog } from '../log.ts';
import {
  forgetOldWindows,
  giveBack,
  remainingOf,
  secondsUntilAll,
  secondsUntilMore,
  takeRequests,
} from './windows.ts';

const database = await createDatabase(inject('databaseUrl'));
const db = connect({ url: database.url, poolSize: 4, namedStatements: true, log: createLog('fatal') });
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

let count = 0;
const newCounter = () => ({ subject: `key:${count++}`, class: 'write' as const });
type Counter = ReturnType<typeof newCounter>;

const take = (counter: Counter, needed: number, { limit = 100, wanted = needed } = {}) =>
  takeRequests(db, counter, { limit, needed, wanted });

/** Moves all recorded requests the given number of seconds into the past. */
const age = ({ subject }: Counter, seconds: number) =>
  sql`UPDATE rate_limits SET step_started_at = step_started_at - make_interval(secs => ${seconds})
       WHERE subject = ${subject}`.execute(db);

const sum = (used: readonly number[]) => used.reduce((total, step) => total + step, 0);

test.each([
  { used: [0, 0, 0, 0, 0, 0], remaining: 10 },
  { used: [1, 0, 2, 0, 0, 1], remaining: 6 },
  { used: [0, 0, 0, 0, 0, 10], remaining: 0 },
  { used: [9, 9, 0, 0, 0, 0], remaining: 0 },
])('$remaining of 10 requests remain after $used', ({ used, remaining }) => {
  expect(remainingOf({ used, elapsed: 0 }, 10)).toBe(remaining);
});

test.each([
  { used: [0, 0, 0, 0, 0, 10], elapsed: 0, more: 60, all: 60 },
  { used: [0, 0, 0, 0, 0, 10], elapsed: 9.5, more: 50.5, all: 50.5 },
  { used: [10, 0, 0, 0, 0, 0], elapsed: 4, more: 6, all: 6 },
  { used: [1, 0, 4, 0, 5, 0], elapsed: 3, more: 7, all: 47 },
  { used: [3, 0, 20, 0, 0, 1], elapsed: 3, more: 27, all: 57 },
])('a window with $used used and $elapsed s elapsed frees some in $more s and all in $all s', (row) => {
  expect(secondsUntilMore(row, 10)).toBe(row.more);
  expect(secondsUntilAll(row)).toBe(row.all);
});

test('needed requests are granted up to the limit, and extra ones only while plenty remain', async () => {
  const counter = newCounter();
  const takeAll = async (needed: number, wanted?: number) => {
    const { granted, used } = await take(counter, needed, wanted === undefined ? {} : { wanted });
    return [granted, sum(used)];
  };
  expect(await takeAll(1, 20)).toEqual([12, 12]);
  expect(await takeAll(1, 5)).toEqual([5, 17]);
  expect(await takeAll(80)).toEqual([80, 97]);
  expect(await takeAll(1, 20)).toEqual([1, 98]);
  expect(await takeAll(10)).toEqual([2, 100]);
  expect(await takeAll(1)).toEqual([0, 100]);
});

test('a first call that needs more than the limit is granted the limit', async () => {
  expect(await take(newCounter(), 150)).toMatchObject({ granted: 100, used: [0, 0, 0, 0, 0, 100] });
});

test('requests of a step count until six more steps have begun', async () => {
  const counter = newCounter();
  await take(counter, 40);
  await age(counter, 25);
  expect(await take(counter, 50)).toMatchObject({ granted: 50, used: [0, 0, 0, 40, 0, 50] });
  await age(counter, 30);
  expect(await take(counter, 100)).toMatchObject({ granted: 10, used: [40, 0, 50, 0, 0, 10] });
  await age(counter, 10);
  expect(await take(counter, 100)).toMatchObject({ granted: 40, used: [0, 50, 0, 0, 10, 40] });
  await age(counter, 100);
  expect(await take(counter, 100)).toMatchObject({ granted: 100, used: [0, 0, 0, 0, 0, 100] });
});

test.each([
  ['evenly', 1, 6, 30],
  ['all at once every minute', 10, 61, 5],
  ['in two halves', 5, 30, 8],
])('a caller who sends ten a minute %s is never refused', async (_name, atOnce, seconds, rounds) => {
  const counter = newCounter();
  const granted: number[] = [];
  for (let round = 0; round < rounds; round++) {
    granted.push((await take(counter, atOnce, { limit: 10 })).granted);
    await age(counter, seconds);
  }
  expect(granted).toEqual(Array.from({ length: rounds }, () => atOnce));
});

test('no 50 seconds exceed the limit, whatever a caller does', async () => {
  const counter = newCounter();
  const grants: { at: number; granted: number }[] = [];
  for (let at = 0; at < 400; ) {
    const { granted } = await take(counter, 1 + Math.floor(Math.random() * 80));
    grants.push({ at, granted });
    // 49 instead of 50 seconds, less the time that the test itself takes.
    const recent = grants.filter((one) => one.at > at - 49);
    expect(sum(recent.map((one) => one.granted)), JSON.stringify(grants)).toBeLessThanOrEqual(100);
    const pause = Math.random() * 15;
    await age(counter, pause);
    at += pause;
  }
});

test('twenty concurrent takers get no more than the limit', async () => {
  const counter = newCounter();
  const taken = await Promise.all(Array.from({ length: 20 }, () => take(counter, 7)));
  expect(taken.reduce((sum, { granted }) => sum + granted, 0)).toBe(100);
});

test('returned requests can be taken again, also after the step has changed', async () => {
  const [same, later, other] = [newCounter(), newCounter(), newCounter()];
  for (const counter of [same, later, other]) await take(counter, 100);
  await age(later, 12);
  expect(await take(later, 1)).toMatchObject({ granted: 0, used: [0, 0, 0, 0, 100, 0] });
  await giveBack(db, [
    { ...same, count: 20 },
    { ...same, count: 10 },
    { ...later, count: 30 },
    { ...newCounter(), count: 30 },
  ]);
  expect(await take(same, 100)).toMatchObject({ granted: 30 });
  expect(await take(later, 100)).toMatchObject({ granted: 30, used: [0, 0, 0, 0, 70, 30] });
  expect(await take(other, 100)).toMatchObject({ granted: 0 });
});

test('old windows are deleted, and no others', async () => {
  await sql`DELETE FROM rate_limits`.execute(db);
  await sql`INSERT INTO rate_limits (subject, class, step_started_at, used, granted)
            SELECT 'key:old' || n, 'read', now() - interval '181 s', '{0,0,0,0,0,1}', 1 FROM generate_series(1, 2500) n`.execute(
    db,
  );
  const counter = newCounter();
  await take(counter, 1);
  await age(counter, 119);
  expect(await forgetOldWindows(db)).toBe(2_500);
  const left = await db.selectFrom('rate_limits').select('subject').execute();
  expect(left).toEqual([{ subject: counter.subject }]);
});
