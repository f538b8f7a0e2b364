import { sql } from 'kysely';
import { afterAll, expect, inject, test } from 'vitest';
import { createDatabase } from '../../../test/databases.ts';
import { connect } from '../db/connect.ts';
import { createLog } from '../log.ts';
import {
  forgetOldWindows,
  giveBack,
  remainingOf,
  secondsUntilMore,
  secondsUntilNextWindow,
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

/** As if everything had happened so many seconds earlier. */
const age = ({ subject }: Counter, seconds: number) =>
  sql`UPDATE rate_limits SET window_started_at = window_started_at - make_interval(secs => ${seconds})
       WHERE subject = ${subject}`.execute(db);

test.each([
  { used: 0, used_before: 0, elapsed: 0, remaining: 10 },
  { used: 4, used_before: 0, elapsed: 30, remaining: 6 },
  { used: 10, used_before: 0, elapsed: 59, remaining: 0 },
  { used: 0, used_before: 10, elapsed: 0, remaining: 0 },
  { used: 0, used_before: 10, elapsed: 0.1, remaining: 1 },
  { used: 0, used_before: 10, elapsed: 30, remaining: 5 },
  { used: 5, used_before: 10, elapsed: 30.1, remaining: 1 },
  { used: 12, used_before: 0, elapsed: 0, remaining: 0 },
])(
  'of 10, $remaining remain after $used and $used_before before, $elapsed s in',
  ({ remaining, ...window }) => {
    expect(remainingOf(window, 10)).toBe(remaining);
  },
);

test.each([
  { used: 10, used_before: 0, elapsed: 0 },
  { used: 10, used_before: 0, elapsed: 59.5 },
  { used: 10, used_before: 10, elapsed: 20 },
  { used: 5, used_before: 10, elapsed: 12 },
  { used: 0, used_before: 10, elapsed: 0 },
  { used: 1, used_before: 40, elapsed: 3 },
  { used: 25, used_before: 3, elapsed: 3 },
])('with $used and $used_before before, $elapsed s in, more is allowed just when it is said', (window) => {
  const seconds = secondsUntilMore(window, 10);
  const later = (elapsed: number) =>
    elapsed < 60 ? { ...window, elapsed } : { used: 0, used_before: window.used, elapsed: elapsed - 60 };
  expect(remainingOf(window, 10)).toBe(0);
  expect(remainingOf(later(window.elapsed + seconds - 0.01), 10)).toBe(0);
  expect(remainingOf(later(window.elapsed + seconds + 0.01), 10)).toBe(1);
});

test('the window ends a minute after it began', () => {
  expect(secondsUntilNextWindow({ used: 1, used_before: 0, elapsed: 12.5 })).toBe(47.5);
});

test('what is needed is granted up to the limit, what is wanted ahead only while there is plenty', async () => {
  const counter = newCounter();
  expect(await take(counter, 1, { wanted: 20 })).toMatchObject({ granted: 12, used: 12 });
  expect(await take(counter, 1, { wanted: 5 })).toMatchObject({ granted: 5, used: 17 });
  expect(await take(counter, 80)).toMatchObject({ granted: 80, used: 97 });
  expect(await take(counter, 1, { wanted: 20 })).toMatchObject({ granted: 1, used: 98 });
  expect(await take(counter, 10)).toMatchObject({ granted: 2, used: 100 });
  expect(await take(counter, 1)).toMatchObject({ granted: 0, used: 100 });
});

test('a first request that needs more than the limit gets the limit', async () => {
  expect(await take(newCounter(), 150)).toMatchObject({ granted: 100, used: 100, used_before: 0 });
});

test('the window before counts for the part that still lies within a minute, and then not at all', async () => {
  const counter = newCounter();
  const { window_started_at } = await take(counter, 100);
  await age(counter, 75);
  const taken = await take(counter, 100);
  expect(taken).toMatchObject({ used_before: 100 });
  // A quarter of the window has passed, and the moment that the test took.
  expect(taken.granted).toBeGreaterThanOrEqual(25);
  expect(taken.granted).toBeLessThan(35);
  expect(Date.parse(taken.window_started_at)).toBe(Date.parse(window_started_at) - 15_000);
  await age(counter, 120);
  expect(await take(counter, 100)).toMatchObject({ granted: 100, used_before: 0 });
});

test('a caller who keeps to the limit is never refused', async () => {
  const counter = newCounter();
  const granted: number[] = [];
  for (let request = 0; request < 30; request++) {
    granted.push((await take(counter, 1, { limit: 10 })).granted);
    await age(counter, 6);
  }
  expect(granted).toEqual(Array.from({ length: 30 }, () => 1));
});

test('twenty takers at once get no more than the limit', async () => {
  const counter = newCounter();
  const taken = await Promise.all(Array.from({ length: 20 }, () => take(counter, 7)));
  expect(taken.reduce((sum, { granted }) => sum + granted, 0)).toBe(100);
});

test('what is given back can be taken again, also when its window is the one before', async () => {
  const [same, before, gone] = [newCounter(), newCounter(), newCounter()];
  const taken = await Promise.all([same, before, gone].map((counter) => take(counter, 100)));
  await age(before, 60);
  await take(before, 1);
  const window_started_at = new Date(Date.parse(taken[1]?.window_started_at ?? '') - 60_000).toISOString();
  await giveBack(db, [
    { ...same, count: 30, window_started_at: taken[0]?.window_started_at ?? '' },
    { ...before, count: 30, window_started_at },
    { ...gone, count: 30, window_started_at: '2020-01-01T00:00:00.000Z' },
    { ...newCounter(), count: 30, window_started_at: '2020-01-01T00:00:00.000Z' },
  ]);
  expect(await take(same, 100)).toMatchObject({ granted: 30 });
  expect(await take(before, 1)).toMatchObject({ used_before: 70 });
  expect(await take(gone, 100)).toMatchObject({ granted: 0 });
});

test('old windows are forgotten, and no others', async () => {
  await sql`DELETE FROM rate_limits`.execute(db);
  await sql`INSERT INTO rate_limits (subject, class, window_started_at, used, used_before, granted)
            SELECT 'key:old' || n, 'read', now() - interval '181 s', 1, 0, 1 FROM generate_series(1, 2500) n`.execute(
    db,
  );
  const counter = newCounter();
  await take(counter, 1);
  await age(counter, 119);
  expect(await forgetOldWindows(db)).toBe(2_500);
  const left = await db.selectFrom('rate_limits').select('subject').execute();
  expect(left).toEqual([{ subject: counter.subject }]);
});
