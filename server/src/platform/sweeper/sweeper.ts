/** Clean-ups on a schedule: every minute one worker of the fleet goes through the list. */

import type { CleanUp } from '../clean-up.ts';
import type { Db } from '../db/connect.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { Log } from '../log.ts';

const QUEUE = 'platform.sweep';
const EVERY_MINUTE = '* * * * *';

export interface SweeperOptions {
  readonly queue: JobQueue;
  readonly db: Db;
  readonly log: Log;
  readonly cleanUps: readonly CleanUp[];
}

export async function startSweeper({ queue: { boss }, db, log, cleanUps }: SweeperOptions): Promise<void> {
  await boss.createQueue(QUEUE, { policy: 'exclusive' });
  await boss.updateQueue(QUEUE, {
    retryLimit: 0,
    expireInSeconds: 3_600,
    heartbeatSeconds: 60,
    notify: true,
    deleteAfterSeconds: 3_600,
  });
  await boss.schedule(QUEUE, EVERY_MINUTE);
  await boss.work(QUEUE, { pollingIntervalSeconds: 10, notifyPollingIntervalSeconds: 30 }, () =>
    sweep({ db, log, cleanUps }),
  );
}

/** A failing clean-up does not keep the others from their turn. */
export async function sweep({ db, log, cleanUps }: Omit<SweeperOptions, 'queue'>): Promise<void> {
  for (const { name, run } of cleanUps) {
    try {
      const rows = await run(db);
      if (rows > 0) log.info({ cleanUp: name, rows }, 'cleaned up');
    } catch (error) {
      log.error({ err: error, cleanUp: name }, 'a clean-up failed');
    }
  }
}
