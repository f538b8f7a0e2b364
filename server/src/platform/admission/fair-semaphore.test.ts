import { setImmediate as settle } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ApiError } from '../errors.ts';
import { FairSemaphore } from './fair-semaphore.ts';

const { signal } = new AbortController();

/** Starts work that ends when the test says so, and lists what has begun. */
function startWork(semaphore: FairSemaphore) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const take = (name: string, options: { weight?: number; maxWaitMs?: number; signal?: AbortSignal } = {}) =>
    semaphore.take({ owner: name[0] ?? '', signal, ...options }, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const endNext = async () => {
    ends.shift()?.();
    await settle();
  };
  return { begun, take, endNext };
}

test('take serves owners in rotation, whichever came first', async () => {
  const { begun, take, endNext } = startWork(new FairSemaphore(2));
  const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1'].map((name) => take(name));
  await settle();
  expect(begun).toEqual(['a1', 'a2']);
  for (const _ of all) await endNext();
  await Promise.all(all);
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']);
});

test('take gives one owner its share at most, and lets others pass an owner that waits for its own', async () => {
  const { begun, take, endNext } = startWork(new FairSemaphore(3, { maxPerOwner: 2 }));
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => take(name));
  await settle();
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  await endNext(); // a1
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  await endNext(); // a2
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
  for (let left = 5; left > 0; left--) await endNext();
  await Promise.all(all);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'c1', 'a4']);
});

test('take refuses with the text of the semaphore after maxWaitMs', async () => {
  const { take, endNext } = startWork(new FairSemaphore(1, { busy: 'Too many cakes are being baked.' }));
  const first = take('a1');
  await expect(take('a2', { maxWaitMs: 20 })).rejects.toThrow(
    'Too many cakes are being baked. Try again in a moment.',
  );
  await endNext();
  await first;
});

test('take passes the permit on after a failure, and stops waiting on abort', async () => {
  const semaphore = new FairSemaphore(1);
  const { begun, take, endNext } = startWork(semaphore);
  const leaving = new AbortController();
  const failing = semaphore.take({ owner: 'x', signal }, async () => {
    await settle();
    throw new Error('failed');
  });
  const left = take('a', { signal: leaving.signal });
  const last = take('b');
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  await expect(failing).rejects.toThrow('failed');
  await settle();
  await endNext();
  await last;
  expect(begun).toEqual(['b']);
});

test('take lets a heavy permit wait for capacity without being overtaken', async () => {
  const { begun, take, endNext } = startWork(new FairSemaphore(10));
  const all = [take('a', { weight: 6 }), take('b', { weight: 50 }), take('c', { weight: 1 })];
  await settle();
  expect(begun).toEqual(['a']);
  await endNext();
  expect(begun).toEqual(['a', 'b']);
  await endNext();
  expect(begun).toEqual(['a', 'b', 'c']);
  await endNext();
  await Promise.all(all);
});

test('take refuses as 429 when a request would wait too long or behind too many', async () => {
  const { begun, take, endNext } = startWork(new FairSemaphore(1));
  const first = take('a1');
  const waiting = Array.from({ length: 64 }, (_, index) => take(`a${index + 2}`, { maxWaitMs: 200 }));
  const refusals = Promise.allSettled(waiting);
  const error: unknown = await take('a', { maxWaitMs: 200 }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 429, headers: { 'retry-after': '5' } });
  const other = take('b', { maxWaitMs: 60_000 });
  expect(new Set((await refusals).map(({ status }) => status))).toEqual(new Set(['rejected']));
  await endNext();
  await first;
  await endNext();
  await other;
  expect(begun).toEqual(['a1', 'b']);
});
