/** A worker in a separate process, for the tests that kill it. */
import { connect } from '../src/platform/db/connect.ts';
import { JobQueue } from '../src/platform/jobs/queue.ts';
import { JobWorker } from '../src/platform/jobs/worker.ts';
import { createLog } from '../src/platform/log.ts';
import { errands } from './job-rows.ts';

const url = process.env.DATABASE_URL ?? '';
const log = createLog('warn');
const db = connect({ url, poolSize: 6, namedStatements: true, log });
const kinds = [errands(db, { concurrency: Number(process.env.CONCURRENCY ?? 4) })];
const queue = new JobQueue({ url, db, log, isWorker: true });
const worker = new JobWorker({ queue, db, log, kinds });
await queue.start(kinds);
await worker.start();
console.log('working');
process.on('SIGTERM', () => {
  worker.stop();
  void queue.stop().then(() => process.exit());
});
