import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { JobQueue } from '../jobs/queue.ts';
import { createLog } from '../log.ts';
import { startSweeper, sweep } from './sweeper.ts';

const { db, url } = await startTestServer();

test('every clean-up has its turn, even after one that failed', async () => {
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

test('the queue starts the sweeper and keeps its schedule', async () => {
  const queue = new JobQueue({ url, db, log: createLog('silent'), isWorker: true });
  await queue.start([]);
  const swept = Promise.withResolvers<void>();
  const cleanUp = {
    name: 'rooms',
    run: async () => {
      swept.resolve();
      return 0;
    },
  };
  await startSweeper({ queue, db, log: createLog('silent'), cleanUps: [cleanUp] });
  expect(await queue.boss.getSchedules('platform.sweep')).toMatchObject([{ cron: '* * * * *' }]);
  await queue.boss.send('platform.sweep');
  await swept.promise;
  await queue.stop();
});
