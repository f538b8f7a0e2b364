import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inTurn } from './one-writer.ts';

test('writers with one key run one after the other, even after errors; writers with other keys do not wait', async () => {
  const log: string[] = [];
  const work = (name: string, ms: number) => async () => {
    log.push(`${name} begins`);
    await sleep(ms);
    log.push(`${name} ends`);
    if (name === 'second') throw new Error('refused');
    return name;
  };
  const answers = await Promise.allSettled([
    inTurn('a', work('first', 30)),
    inTurn('a', work('second', 5)),
    inTurn('a', work('third', 1)),
    inTurn('b', work('other', 1)),
  ]);
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(log).toEqual([
    'first begins',
    'other begins',
    'other ends',
    'first ends',
    'second begins',
    'second ends',
    'third begins',
    'third ends',
  ]);
});
