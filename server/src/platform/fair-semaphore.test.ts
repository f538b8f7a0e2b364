import { setImmediate as settle } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ApiError } from './errors.ts';
import { FairSemaphore } from './fair-semaphore.ts';

const { signal } = new AbortController();

/** Work that goes on until it is told to end, and what has begun of it so far. */
function startWork(turns: FairSemaphore) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const take = (name: string, options: { weight?: number; maxWaitMs?: number; signal?: AbortSignal } = {}) =>
    turns.take({ owner: name[0] ?? '', signal, ...options }, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const endNext = async () => {
    ends.shift()?.();
    await settle();
  };
  return { begun, take, endNext };
}

test('owners take turns, whoever came first', async () => {
  const { begun, take, endNext } = startWork(new FairSemaphore(2));
  const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1'].map((name) => take(name));
  await settle();
  expect(begun).toEqual(['a1', 'a2']);
  for (const _ of all) await endNext();
  await Promise.all(all);
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']);
});

test('one owner has no more than its share, and who waits for that keeps nobody waiting', async () => {
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

test('what there is too much of is told', async () => {
  const { take, endNext } = startWork(new FairSemaphore(1, { busy: 'Too many cakes are being baked.' }));
  const first = take('a1');
  await expect(take('a2', { maxWaitMs: 20 })).rejects.toThrow(
    'Too many cakes are being baked. Try again in a moment.',
  );
  await endNext();
  await first;
});

test('who fails gives the turn on, and who leaves waits no more', async () => {
  const turns = new FairSemaphore(1);
  const { begun, take, endNext } = startWork(turns);
  const leaving = new AbortController();
  const failing = turns.take({ owner: 'x', signal }, async () => {
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

test('what is heavy waits for room, and is not overtaken', async () => {
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

test('who would wait too long, or behind too many, is told to come back', async () => {
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
