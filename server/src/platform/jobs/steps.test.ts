/** Limits and progress of a step. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createDatabase } from '../../../test/databases.ts';
import { createJobTables, ERRAND, sendErrand } from '../../../test/job-rows.ts';
import { connect } from '../db/connect.ts';
import { transaction } from '../db/transaction.ts';
import { createLog } from '../log.ts';
import { uuidv7 } from '../uuid.ts';
import { completed, defineJob, type JobDefinition, type JobRef, paused } from './job-kind.ts';
import { requestCancel, Superseded } from './job-row.ts';
import { JobQueue } from './queue.ts';
import { JobWorker } from './worker.ts';

const database = await createDatabase(inject('databaseUrl'));
const log = createLog('silent');
const db = connect({ url: database.url, poolSize: 6, namedStatements: true, log });

beforeAll(() => createJobTables(db));
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

async function startWorker(job: JobDefinition) {
  const queue = new JobQueue({ url: database.url, db, log, isWorker: true });
  const worker = new JobWorker({ queue, db, log, kinds: [job] });
  await queue.start([job]);
  await worker.start();
  const stop = async () => {
    worker.stop();
    await queue.stop();
  };
  return { queue, stop };
}

async function statusOf({ organizationId, id }: JobRef): Promise<string | undefined> {
  const { rows } = await sql<{ status: string }>`
    SELECT status FROM errands WHERE organization_id = ${organizationId} AND id = ${id}`.execute(db);
  return rows[0]?.status;
}

test('a step that exceeds the time limit of its kind is aborted, and its job fails', async () => {
  const reasons: unknown[] = [];
  const kind = defineJob(ERRAND, {
    maxFailures: 1,
    maxStepSeconds: 1,
    step: async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      reasons.push((signal.reason as Error).name);
      throw signal.reason;
    },
  });
  const { queue, stop } = await startWorker(kind);
  const job = await sendErrand(db, queue, uuidv7());
  await expect.poll(() => statusOf(job)).toBe('failed');
  expect(reasons).toEqual(['TimeoutError']);
  await stop();
});

test('a step that ignores its signal and returns too late counts as failed', async () => {
  const kind = defineJob(ERRAND, {
    maxFailures: 1,
    maxStepSeconds: 1,
    step: async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return completed();
    },
  });
  const { queue, stop } = await startWorker(kind);
  const job = await sendErrand(db, queue, uuidv7());
  await expect.poll(() => statusOf(job)).toBe('failed');
  await stop();
});

test.each([0, -1, 86_401, Number.NaN])('defineJob refuses a step limit of %d seconds', (maxStepSeconds) => {
  expect(() => defineJob(ERRAND, { maxStepSeconds, step: async () => completed() })).toThrow(
    'maxStepSeconds',
  );
});

test('follow saves progress while the work runs, and ends it when another attempt has taken over', async () => {
  const saved = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<unknown>();
  const kind = defineJob(ERRAND, {
    step: async (work) => {
      await work.follow(
        async () => saved.resolve(),
        async (signal) => {
          await saved.promise;
          // Another worker does this when it considers this one dead.
          await sql`UPDATE errands SET attempt = attempt + 1 WHERE organization_id = ${work.organizationId}`.execute(
            db,
          );
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          ended.resolve(signal.reason);
        },
      );
      return completed();
    },
  });
  const { queue, stop } = await startWorker(kind);
  const job = await sendErrand(db, queue, uuidv7());
  expect(await ended.promise).toBeInstanceOf(Superseded);
  await stop();
  expect(await statusOf(job)).toBe('running');
});

test('a paused job leaves the queue, and continues when its domain enqueues it again', async () => {
  let isPaused = true;
  let steps = 0;
  const kind = defineJob(ERRAND, {
    step: async () => {
      steps += 1;
      return isPaused ? paused(async () => isPaused) : completed();
    },
  });
  const { queue, stop } = await startWorker(kind);
  const job = await sendErrand(db, queue, uuidv7());
  await expect.poll(() => statusOf(job)).toBe('paused');
  expect(steps).toBe(1);
  isPaused = false;
  await transaction(db, async (trx) => {
    await sql`UPDATE errands SET status = 'running' WHERE organization_id = ${job.organizationId} AND id = ${job.id}`.execute(
      trx,
    );
    await queue.enqueue(trx, kind, job);
  });
  await expect.poll(() => statusOf(job)).toBe('completed');
  expect(steps).toBe(2);
  await stop();
});

test('a job that is resumed while its step ends continues with another step', async () => {
  let asked = 0;
  const kind = defineJob(ERRAND, {
    step: async () => (asked === 0 ? paused(async () => ++asked > 1) : completed()),
  });
  const { queue, stop } = await startWorker(kind);
  const job = await sendErrand(db, queue, uuidv7());
  await expect.poll(() => statusOf(job)).toBe('completed');
  expect(asked).toBe(1);
  await stop();
});

test('requestCancel ends a paused job at once', async () => {
  const kind = defineJob(ERRAND, { step: async () => paused(async () => true) });
  const { queue, stop } = await startWorker(kind);
  const job = await sendErrand(db, queue, uuidv7());
  await expect.poll(() => statusOf(job)).toBe('paused');
  await transaction(db, (trx) => requestCancel(trx, kind, job));
  expect(await statusOf(job)).toBe('cancelled');
  await stop();
});
