import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { createDatabase } from '../../../test/databases.ts';
import { createJobTables, ERRAND, errands, type Plan, sendErrand } from '../../../test/job-rows.ts';
import { until } from '../../../test/processes.ts';
import { connect, IDLE_CONNECTION_MS } from '../db/connect.ts';
import { transaction } from '../db/transaction.ts';
import { createLog } from '../log.ts';
import { uuidv7 } from '../uuid.ts';
import type { JobRef } from './job-kind.ts';
import { requestCancel } from './job-row.ts';
import { wakeForgotten } from './missing-wake-ups.ts';
import { JobQueue } from './queue.ts';
import { JobWorker } from './worker.ts';

const database = await createDatabase(inject('databaseUrl'));
const log = createLog('silent');
const db = connect({ url: database.url, poolSize: 8, namedStatements: true, log });
const kind = errands(db, { concurrency: 2 });
const queue = new JobQueue({ url: database.url, db, log, isWorker: true });
const worker = new JobWorker({ queue, db, log, kinds: [kind] });

beforeAll(async () => {
  await createJobTables(db);
  await queue.start([kind]);
  await worker.start();
});

afterAll(async () => {
  worker.stop();
  await queue.stop();
  await db.destroy();
  await database.drop();
});

interface Errand {
  readonly status: string;
  readonly attempt: number;
  readonly error: string | null;
  readonly checkpoint: unknown;
}

async function read({ organizationId, id }: JobRef): Promise<Errand> {
  const { rows } = await sql<Errand>`
    SELECT status, attempt, error, checkpoint FROM errands
     WHERE organization_id = ${organizationId} AND id = ${id}`.execute(db);
  if (!rows[0]) throw new Error('no such errand');
  return rows[0];
}

async function effectsOf({ organizationId, id }: JobRef) {
  const { rows } = await sql<{ attempt: number }>`
    SELECT attempt FROM effects WHERE organization_id = ${organizationId} AND errand_id = ${id}`.execute(db);
  return rows;
}

const hasStatus = (job: JobRef, status: string) => async () => (await read(job)).status === status;

const send = (plan?: Plan, organizationId = uuidv7()) => sendErrand(db, queue, organizationId, plan);

test('JobQueue keeps idle connections as long as the database pool does', async () => {
  const pools = vi.spyOn(pg, 'Pool');
  const other = new JobQueue({ url: database.url, db, log, isWorker: false });
  try {
    await other.start([]);
    const opened = pools.mock.results.map(({ value }) => value as pg.Pool);
    expect(opened.map(({ options }) => options.idleTimeoutMillis)).toEqual([IDLE_CONNECTION_MS]);
  } finally {
    pools.mockRestore();
    await other.stop();
  }
});

test('a job runs once, soon after its transaction has committed', async () => {
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const started = performance.now();
    const job = await send();
    await until('done', hasStatus(job, 'completed'));
    times.push(performance.now() - started);
    expect(await read(job)).toMatchObject({ attempt: 1, error: null });
    expect(await effectsOf(job)).toEqual([{ attempt: 1 }]);
  }
  // If notifications did not arrive, each job would wait for the next poll, 2 s after the one that found the job before it.
  expect(Math.min(...times)).toBeLessThan(1_500);
});

test('a failed transaction leaves neither a row nor a wake-up', async () => {
  const job = { organizationId: uuidv7(), id: uuidv7() };
  const failure = transaction(db, async (trx) => {
    await queue.enqueue(trx, ERRAND, job);
    throw new Error('changed my mind');
  });
  await expect(failure).rejects.toThrow('changed my mind');
  const { rows } = await sql`SELECT 1 FROM pgboss.job WHERE data ->> 'id' = ${job.id}`.execute(db);
  expect(rows).toEqual([]);
});

test("a user's mistake becomes the job's result and is not retried", async () => {
  const job = await send({ mistake: 'No such column.' });
  await until('failed', hasStatus(job, 'failed'));
  expect(await read(job)).toMatchObject({ attempt: 1, error: 'No such column.' });
  expect(await effectsOf(job)).toEqual([]);
});

test('a step that throws is retried after a pause, and the job continues', async () => {
  const job = await send({ throws: 1 });
  await until('done', hasStatus(job, 'completed'));
  expect(await effectsOf(job)).toEqual([{ attempt: 2 }]);
});

test('a step that always throws fails its job without revealing internals to the user', async () => {
  const job = await send({ throws: 99 });
  await until('failed', hasStatus(job, 'failed'));
  expect(await read(job)).toMatchObject({
    attempt: 3,
    error: 'Something went wrong on our side, 3 times in a row.',
  });
});

test('a long job is a chain of steps, each of which starts from the checkpoint of the previous one', async () => {
  const job = await send({ stepsMs: [1, 1, 1, 1] });
  await until('done', hasStatus(job, 'completed'));
  expect(await read(job)).toMatchObject({ attempt: 4, checkpoint: { done: 3 } });
  expect(await effectsOf(job)).toEqual([{ attempt: 4 }]);
});

describe('requestCancel', () => {
  const cancel = (job: JobRef) => transaction(db, (trx) => requestCancel(trx, kind, job));

  test('ends a running step', async () => {
    const job = await send({ stepsMs: [3_600_000] });
    await until('running', hasStatus(job, 'running'));
    await cancel(job);
    await until('cancelled', hasStatus(job, 'cancelled'));
    expect(await effectsOf(job)).toEqual([]);
  });

  test('ends a job between two steps when a step ignores its signal', async () => {
    const job = await send({ stepsMs: [1_500, 60_000], isDeaf: true });
    await until('running', hasStatus(job, 'running'));
    await cancel(job);
    await until('cancelled', hasStatus(job, 'cancelled'));
  });

  test('immediately ends a job that has not started, and refuses one that has ended', async () => {
    const organizationId = uuidv7();
    const blocking = await Promise.all([send({ stepsMs: [3_600_000] }), send({ stepsMs: [3_600_000] })]);
    await Promise.all(blocking.map((one) => until('running', hasStatus(one, 'running'))));
    const job = await send({}, organizationId);
    await cancel(job);
    expect(await read(job)).toMatchObject({ status: 'cancelled', attempt: 0 });
    await expect(cancel(job)).rejects.toMatchObject({ type: 'conflict_error' });
    await expect(cancel({ organizationId, id: uuidv7() })).rejects.toMatchObject({ type: 'not_found_error' });
    for (const one of blocking) await cancel(one);
    await Promise.all(blocking.map((one) => until('cancelled', hasStatus(one, 'cancelled'))));
    await sleep(300);
    expect(await read(job)).toMatchObject({ status: 'cancelled', attempt: 0 });
  });

  test('does not reach jobs of another organization', async () => {
    const job = await send({ stepsMs: [500] });
    await expect(cancel({ organizationId: uuidv7(), id: job.id })).rejects.toMatchObject({
      type: 'not_found_error',
    });
    await until('done', hasStatus(job, 'completed'));
  });
});

test('an attempt that was superseded writes nothing more', async () => {
  const job = await send({ stepsMs: [5_000], isDeaf: true });
  await until('running', hasStatus(job, 'running'));
  // Simulates a lapsed claim and another worker's start: the row is on its next attempt.
  await sql`UPDATE errands SET attempt = attempt + 1
             WHERE organization_id = ${job.organizationId} AND id = ${job.id}`.execute(db);
  await sleep(5_500);
  expect(await read(job)).toMatchObject({ status: 'running', attempt: 2 });
  expect(await effectsOf(job)).toEqual([]);
});

test('a second wake-up for the same row changes nothing', async () => {
  const job = await send({ stepsMs: [700] });
  await until('running', hasStatus(job, 'running'));
  await transaction(db, (trx) => queue.enqueue(trx, ERRAND, job));
  await until('done', hasStatus(job, 'completed'));
  await sleep(300);
  expect(await read(job)).toMatchObject({ attempt: 1 });
  expect(await effectsOf(job)).toEqual([{ attempt: 1 }]);
});

test('organizations take turns, however many jobs one of them enqueues', async () => {
  const [busy, modest] = [uuidv7(), uuidv7()];
  for (let i = 0; i < 60; i++) await send({ stepsMs: [40] }, busy);
  const few = [await send({ stepsMs: [40] }, modest), await send({ stepsMs: [40] }, modest)];
  await Promise.all(few.map((job) => until('done', hasStatus(job, 'completed'))));
  const { rows } = await sql<{ done: number }>`
    SELECT count(*) AS done FROM effects WHERE organization_id = ${busy}
       AND at <= (SELECT max(at) FROM effects WHERE organization_id = ${modest})`.execute(db);
  expect(rows[0]?.done).toBeLessThan(40);
  await until('all are done', async () => {
    const all = await sql<{ done: number }>`
      SELECT count(*) AS done FROM effects WHERE organization_id = ${busy}`.execute(db);
    return all.rows[0]?.done === 60;
  });
});

test('a row with a lost wake-up is found and processed, and no other is woken twice', async () => {
  const organizationId = uuidv7();
  const waiting = await send({ stepsMs: [1_000] }, organizationId);
  await until('running', hasStatus(waiting, 'running'));
  const forgotten = { organizationId, id: uuidv7() };
  await sql`INSERT INTO errands (organization_id, id, plan)
            VALUES (${organizationId}, ${forgotten.id}, '{}')`.execute(db);
  const { run } = wakeForgotten(queue, [kind]);
  expect(await run(db)).toBeGreaterThanOrEqual(1);
  await until('done', hasStatus(forgotten, 'completed'));
  await until('done', hasStatus(waiting, 'completed'));
  expect((await read(waiting)).attempt).toBe(1);
});

test('a job whose workers keep dying is given up with an explanation', async () => {
  const job = await send({ stepsMs: [60_000], isDeaf: true });
  await until('running', hasStatus(job, 'running'));
  // Simulates that four workers had died and a fifth just now: its heartbeat is old.
  await sql`UPDATE pgboss.job SET heartbeat_on = now() - interval '1 hour', retry_count = 4
             WHERE data ->> 'id' = ${job.id} AND state = 'active'`.execute(db);
  await until('failed', hasStatus(job, 'failed'));
  expect(await read(job)).toMatchObject({ error: 'Its workers stopped several times.' });
});
