import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { createLog } from '../log.ts';
import { sweep } from './sweeper.ts';

const { db } = await startTestServer();

test('every clean-up has its turn, also after one that failed', async () => {
  const done: string[] = [];
  const cleanUp = (name: string) => ({ name, run: async () => done.push(name) });
  const broken = { name: 'broken', run: () => Promise.reject(new Error('no such table')) };
  await sweep({
    db,
    log: createLog('silent'),
    cleanUps: [cleanUp('first'), broken, cleanUp('last')],
  });
  expect(done).toEqual(['first', 'last']);
});
