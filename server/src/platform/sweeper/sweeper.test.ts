import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { createLog } from '../log.ts';
import { sweep } from './sweeper.ts';

const { db } = await startTestServer();

test('each clean-up goes on until nothing is left, and one that fails does not stop the next', async () => {
  const left = { first: 3, last: 2 };
  const countDown = (name: keyof typeof left) => async () => (left[name] > 0 ? left[name]-- : 0);
  const cleanUps = [
    { name: 'first', run: countDown('first') },
    { name: 'broken', run: () => Promise.reject(new Error('no such table')) },
    { name: 'last', run: countDown('last') },
  ];
  await sweep({ db, log: createLog('silent'), cleanUps });
  expect(left).toEqual({ first: 0, last: 0 });
});
