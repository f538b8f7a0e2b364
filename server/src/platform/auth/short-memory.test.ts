import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ShortMemory } from './short-memory.ts';

/** Counts how often it is asked. */
function source() {
  let asked = 0;
  return { ask: async () => ++asked, count: () => asked };
}

test('asks once for all who come together, and again when time has passed', async () => {
  const memory = new ShortMemory<number>(30);
  const { ask, count } = source();
  expect(await Promise.all([memory.get('a', ask), memory.get('a', ask)])).toEqual([1, 1]);
  expect(await memory.get('b', ask)).toBe(2);
  await sleep(40);
  expect(await memory.get('a', ask)).toBe(3);
  expect(count()).toBe(3);
});

test('a failure is not remembered', async () => {
  const memory = new ShortMemory<number>();
  await expect(memory.get('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await memory.get('a', async () => 7)).toBe(7);
});

test('what was being looked up when it was told to forget is not remembered', async () => {
  const memory = new ShortMemory<number>();
  const { promise, resolve } = Promise.withResolvers<number>();
  const old = memory.get('a', () => promise);
  memory.clear();
  resolve(1);
  expect(await old).toBe(1);
  expect(await memory.get('a', async () => 2)).toBe(2);
});

test('it does not grow without end', async () => {
  const memory = new ShortMemory<number>(60_000, 3);
  const { ask, count } = source();
  for (const key of ['a', 'b', 'c', 'd']) await memory.get(key, ask);
  await memory.get('a', ask);
  expect(count()).toBe(5);
});
