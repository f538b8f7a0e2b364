/** Workers are killed and frozen during jobs: each job still takes effect exactly once. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { connect } from '../src/platform/db/connect.ts';
import type { JobRef } from '../src/platform/jobs/job-kind.ts';
import { JobQueue } from '../src/platform/jobs/queue.ts';
import { createLog } from '../src/platform/log.ts';
import { uuidv7 } from '../src/platform/uuid.ts';
import { createDatabase } from './databases.ts';
import { createJobTables, errands, sendErrand } from './job-rows.ts';
import { until } from './processes.ts';

const ROUNDS = Number(process.env.DRYDOCK_TEST_ROUNDS ?? 20);
const JOBS_PER_ROUND = 10;
const TAKE_OVER_MS = 20_000;
const WAIT_TIMEOUT_MS = 60_000;

const database = await createDatabase(inject('databaseUrl'));
const log = createLog('silent');
const db = connect({ url: database.url, poolSize: 4, namedStatements: true, log });
const queue = new JobQueue({ url: database.url, db, log, isWorker: false });
const organizationId = uuidv7();
const workers: ChildProcess[] = [];

beforeAll(async () => {
  await createJobTables(db);
  await queue.start([errands(db)]);
  await Promise.all([startWorker(), startWorker()]);
});

afterAll(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await queue.stop();
  await db.destroy();
  await database.drop();
});

async function startWorker(): Promise<void> {
  const worker = spawn(process.execPath, [join(import.meta.dirname, 'job-worker.ts')], {
    env: { PATH: process.env.PATH, DATABASE_URL: database.url, CONCURRENCY: '5' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  workers.push(worker);
  await once(worker.stdout, 'data');
}

async function count(what: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM errands WHERE organization_id = ${organizationId} AND ${sql.raw(what)}
  `.execute(db);
  return rows[0]?.count ?? 0;
}

const isAllDone = async () => (await count("status <> 'completed'")) === 0;

async function effects() {
  const { rows } = await sql<{ errand_id: string; times: number; attempt: number; pid: number }>`
    SELECT errand_id, count(*) AS times, max(attempt) AS attempt, max(pid) AS pid
      FROM effects WHERE organization_id = ${organizationId} GROUP BY errand_id
  `.execute(db);
  return rows;
}

test(`${ROUNDS} rounds of kill -9 lose no job and duplicate none`, { timeout: ROUNDS * 60_000 }, async () => {
  const takeOvers: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < JOBS_PER_ROUND; i++)
      await sendErrand(db, queue, organizationId, { stepsMs: [1_500] });
    await until('both work', async () => (await count("status = 'running'")) >= 8, WAIT_TIMEOUT_MS);
    workers.shift()?.kill('SIGKILL');
    const killed = performance.now();
    await startWorker();
    await until('every job is done', isAllDone, WAIT_TIMEOUT_MS);
    takeOvers.push(performance.now() - killed);
  }
  const done = await effects();
  expect(done).toHaveLength(ROUNDS * JOBS_PER_ROUND);
  expect(done.filter(({ times }) => times !== 1)).toEqual([]);
  // The kills took effect: some jobs were completed by a second attempt.
  expect(done.filter(({ attempt }) => attempt > 1).length).toBeGreaterThanOrEqual(ROUNDS);
  console.log(`killed → all done (ms): ${takeOvers.map(Math.round).join(' ')}`);
  // The last job of a round restarted within the limit, and took 1.5 s.
  expect(Math.max(...takeOvers)).toBeLessThan(TAKE_OVER_MS + 1_500);
});

test('a worker that was frozen while others took over writes nothing when it resumes', async () => {
  await sql`DELETE FROM effects WHERE organization_id = ${organizationId}`.execute(db);
  const jobs: JobRef[] = [];
  for (let i = 0; i < JOBS_PER_ROUND; i++)
    jobs.push(await sendErrand(db, queue, organizationId, { stepsMs: [2_000], isDeaf: true }));
  await until('both work', async () => (await count("status = 'running'")) >= 8, WAIT_TIMEOUT_MS);
  const [frozen] = workers;
  frozen?.kill('SIGSTOP');
  try {
    await until('the others have done everything', isAllDone, WAIT_TIMEOUT_MS);
  } finally {
    frozen?.kill('SIGCONT');
  }
  const attempts = await count('attempt > 1');
  expect(attempts).toBeGreaterThan(0);
  // After it resumes, it tries to write its pending result; this gives it the time.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const done = await effects();
  expect(done).toHaveLength(JOBS_PER_ROUND);
  expect(done.filter(({ times }) => times !== 1)).toEqual([]);
  expect(done.filter(({ pid, attempt }) => attempt > 1 && pid === frozen?.pid)).toEqual([]);
  expect(jobs).toHaveLength(JOBS_PER_ROUND);
});
