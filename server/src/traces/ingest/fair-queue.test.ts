import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

test('owners take turns, each with what came first; whose turn it may not be is passed over', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.add(item.charAt(0), item);
  const taken: (string | undefined)[] = [];
  for (let at = 0; at < 3; at++) taken.push(queue.take(() => true));
  queue.add('d', 'd1');
  taken.push(queue.take((owner) => owner !== 'a'));
  for (let at = 0; at < 4; at++) taken.push(queue.take(() => true));
  expect(taken).toEqual(['a1', 'b1', 'c1', 'b2', 'a2', 'd1', 'a3', undefined]);
});
