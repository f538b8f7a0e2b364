import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ShortMemory } from './short-memory.ts';

/** Counts its look-ups. */
function source() {
  let asked = 0;
  return { ask: async () => ++asked, count: () => asked };
}

test('concurrent callers share one look-up, which is repeated after the lifetime', async () => {
  const memory = new ShortMemory<number>(30);
  const { ask, count } = source();
  expect(await Promise.all([memory.get('a', ask), memory.get('a', ask)])).toEqual([1, 1]);
  expect(await memory.get('b', ask)).toBe(2);
  await sleep(40);
  expect(await memory.get('a', ask)).toBe(3);
  expect(count()).toBe(3);
});

test('a failure is not cached', async () => {
  const memory = new ShortMemory<number>();
  await expect(memory.get('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await memory.get('a', async () => 7)).toBe(7);
});

test('forget also discards look-ups that are still running', async () => {
  const memory = new ShortMemory<number>();
  const { promise, resolve } = Promise.withResolvers<number>();
  const old = memory.get('a', () => promise);
  memory.clear();
  resolve(1);
  expect(await old).toBe(1);
  expect(await memory.get('a', async () => 2)).toBe(2);
});

test('the cache does not grow without bound', async () => {
  const memory = new ShortMemory<number>(60_000, 3);
  const { ask, count } = source();
  for (const key of ['a', 'b', 'c', 'd']) await memory.get(key, ask);
  await memory.get('a', ask);
  expect(count()).toBe(5);
});
