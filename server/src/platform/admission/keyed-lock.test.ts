import { setImmediate as settle } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { KeyedLock, Mutex } from './keyed-lock.ts';

/** Starts work that ends when the test says so, and logs both. */
function startWork() {
  const log: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => async () => {
    log.push(`${name} begins`);
    await new Promise<void>((resolve) => ends.set(name, resolve));
    log.push(`${name} ends`);
    if (name.startsWith('failing')) throw new Error(name);
    return name;
  };
  const end = async (name: string) => {
    await settle();
    ends.get(name)?.();
    await settle();
  };
  return { log, work, end };
}

test('KeyedLock runs work of one key in order, also after a failure, and work of other keys beside it', async () => {
  const lock = new KeyedLock();
  const { log, work, end } = startWork();
  const all = Promise.allSettled([
    lock.run('a', work('first')),
    lock.run('a', work('failing')),
    lock.run('a', work('third')),
    lock.run('b', work('other')),
  ]);
  for (const name of ['other', 'first', 'failing', 'third']) await end(name);
  expect((await all).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
  expect(log).toEqual([
    'first begins',
    'other begins',
    'other ends',
    'first ends',
    'failing begins',
    'failing ends',
    'third begins',
    'third ends',
  ]);
});

test('Mutex runs work in the order of the calls, also after a failure', async () => {
  const mutex = new Mutex();
  const { log, work, end } = startWork();
  const all = Promise.allSettled([mutex.run(work('failing')), mutex.run(work('second'))]);
  for (const name of ['failing', 'second']) await end(name);
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(log).toEqual(['failing begins', 'failing ends', 'second begins', 'second ends']);
});
