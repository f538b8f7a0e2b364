/** Jobs under adverse conditions: a lost database, a frozen worker, other organizations, a pause. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Job } from 'pg-boss';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createDatabase } from '../../../test/databases.ts';
import { createJobTables, ERRAND, errands, type Plan, sendErrand } from '../../../test/job-rows.ts';
import { startPostgresProxy } from '../../../test/postgres-proxy.ts';
import { until } from '../../../test/processes.ts';
import { connect, type Db } from '../db/connect.ts';
import { transaction } from '../db/transaction.ts';
import { createLog } from '../log.ts';
import { uuidv7 } from '../uuid.ts';
import { completed, defineJob, type JobDefinition, type JobRef, unfinished } from './job-kind.ts';
import { beginAttempt, requestCancel } from './job-row.ts';
import { JobQueue, type WakeUp } from './queue.ts';
import { JobWorker } from './worker.ts';

const database = await createDatabase(inject('databaseUrl'));
const log = createLog('silent');
const db = connect({ url: database.url, poolSize: 10, namedStatements: true, log });
const ends: (() => Promise<void>)[] = [];

beforeAll(() => createJobTables(db));
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
  await db.destroy();
  await database.drop();
});

/** Starts a worker that runs until the end of the test file, unless the test stops it. */
async function startWorker(kind: JobDefinition, on: Db = db) {
  const queue = new JobQueue({ url: database.url, db: on, log, isWorker: true });
  const worker = new JobWorker({ queue, db: on, log, kinds: [kind] });
  await queue.start([kind]);
  await worker.start();
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    worker.stop();
    await queue.stop();
  };
  ends.push(stop);
  return { queue, stop };
}

async function statusOf({ organizationId, id }: JobRef): Promise<string | undefined> {
  const { rows } = await sql<{ status: string }>`
    SELECT status FROM errands WHERE organization_id = ${organizationId} AND id = ${id}`.execute(db);
  return rows[0]?.status;
}

async function countEffects(organizationId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM effects WHERE organization_id = ${organizationId}`.execute(db);
  return rows[0]?.count ?? 0;
}

test('no job is lost when the database connection is lost for seconds, although the queue has its own', async () => {
  const proxy = await startPostgresProxy(database.url);
  const through = connect({ url: proxy.url, poolSize: 4, namedStatements: true, log });
  const { queue, stop } = await startWorker(errands(through, { concurrency: 3 }), through);
  const organizationId = uuidv7();
  proxy.isAway = true;
  proxy.cutAll();
  for (let i = 0; i < 12; i++) await sendErrand(db, queue, organizationId);
  await sleep(3_000);
  proxy.isAway = false;
  await until('all are done', async () => (await countEffects(organizationId)) === 12);
  const { rows } = await sql`
    SELECT 1 FROM errands WHERE organization_id = ${organizationId} AND status <> 'completed'`.execute(db);
  expect(rows).toEqual([]);
  await stop();
  await through.destroy();
});

test('a worker whose claim has lapsed cannot take the row from its current worker', async () => {
  const kind = errands(db);
  const queue = new JobQueue({ url: database.url, db, log, isWorker: false });
  ends.push(() => queue.stop());
  await queue.start([kind]);
  const job = await sendErrand(db, queue, uuidv7());
  const fetch = async () => (await queue.boss.fetch<WakeUp>(kind.kind))[0] as Job<WakeUp>;
  const frozen = await fetch();
  await queue.boss.fail(kind.kind, frozen.id);
  const healthy = await fetch();
  expect(await beginAttempt(db, kind, job, healthy)).toMatchObject({ attempt: 1 });
  expect(await beginAttempt(db, kind, job, frozen)).toBeUndefined();
  await queue.boss.complete(kind.kind, healthy.id);
  await sql`UPDATE errands SET status = 'completed'`.execute(db);
});

test('an organization runs no more steps at once than its kind allows, across several workers', async () => {
  const counts = { running: 0, most: 0 };
  const kind = defineJob(ERRAND, {
    concurrency: 5,
    maxPerOrganization: 2,
    step: async () => {
      counts.most = Math.max(counts.most, ++counts.running);
      await sleep(60);
      counts.running--;
      return completed();
    },
  });
  const [first, second] = [await startWorker(kind), await startWorker(kind)];
  const organizationId = uuidv7();
  const jobs: JobRef[] = [];
  for (let i = 0; i < 24; i++) jobs.push(await sendErrand(db, first.queue, organizationId));
  for (const job of jobs) await until('done', async () => (await statusOf(job)) === 'completed');
  expect(counts.most).toBe(2);
  await first.stop();
  await second.stop();
});

test('a job that pauses between two steps is cancelled within seconds, not at the end of its pause', async () => {
  const kind = defineJob<number>(ERRAND, {
    step: async () => unfinished(1, { afterSeconds: 3_600 }),
  });
  const { queue, stop } = await startWorker(kind);
  const job = await sendErrand(db, queue, uuidv7());
  await until('it pauses', async () => {
    const { rows } = await sql`SELECT 1 FROM pgboss.job WHERE data ->> 'id' = ${job.id} AND state = 'created'
                                  AND start_after > now()`.execute(db);
    return rows.length > 0;
  });
  await transaction(db, (trx) => requestCancel(trx, kind, job));
  await until('it is cancelled', async () => (await statusOf(job)) === 'cancelled');
  await stop();
});

test('a delayed wake-up does not let newcomers overtake all other organizations', async () => {
  const kind = errands(db);
  const queue = new JobQueue({ url: database.url, db, log, isWorker: false });
  ends.push(() => queue.stop());
  await queue.start([kind]);
  const [waiting, busy, newcomer] = [uuidv7(), uuidv7(), uuidv7()];
  const send = (organizationId: string, plan?: Plan) => sendErrand(db, queue, organizationId, plan);
  const { id } = await send(waiting);
  await sql`UPDATE pgboss.job SET start_after = now() + interval '1 hour' WHERE data ->> 'id' = ${id}`.execute(
    db,
  );
  for (let i = 0; i < 4; i++) await send(busy);
  // Two of them are completed.
  await sql`UPDATE pgboss.job SET state = 'completed' WHERE group_id = ${busy} AND priority > -2`.execute(db);
  await send(newcomer);
  await send(newcomer);
  const { rows } = await sql<{ group_id: string }>`
    SELECT group_id FROM pgboss.job WHERE name = ${kind.kind} AND state < 'active' AND start_after <= now()
     ORDER BY priority DESC, created_on`.execute(db);
  expect(rows.map(({ group_id }) => group_id)).toEqual([busy, newcomer, busy, newcomer]);
});

test('two kinds cannot share a table', async () => {
  const queue = new JobQueue({ url: database.url, db, log, isWorker: false });
  const kinds = [errands(db), { ...errands(db), kind: 'errands.again' as const }];
  await expect(queue.start(kinds)).rejects.toThrow('a table of its own');
});
