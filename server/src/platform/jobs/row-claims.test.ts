/** Rows that belong to a job: claimed concurrently up to the limit, fenced, and claimed again after a lost worker. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createDatabase } from '../../../test/databases.ts';
import { createJobTables, ERRAND, sendErrand } from '../../../test/job-rows.ts';
import { connect } from '../db/connect.ts';
import { transaction } from '../db/transaction.ts';
import { createLog } from '../log.ts';
import { uuidv7 } from '../uuid.ts';
import { type ClaimedRow, completed, defineJob, type JobRef, type Work } from './job-kind.ts';
import { JobCancelled, requestCancel } from './job-row.ts';
import { JobQueue } from './queue.ts';
import { JobWorker } from './worker.ts';

const database = await createDatabase(inject('databaseUrl'));
const log = createLog('silent');
const db = connect({ url: database.url, poolSize: 10, namedStatements: true, log });

/** Work on the rows of the current test. */
let run: (row: ClaimedRow, work: Work<never>) => Promise<void>;
const OPEN = ['queued', 'running'];
/** Number of started rows by job. */
const begunOf = new Map<string, number>();
/** Called within the transaction of each claim. */
let beforeClaim: (begun: number) => Promise<void> = async () => undefined;

const job = defineJob(ERRAND, {
  maxFailures: 2,
  step: async (work) => {
    await work.claimRows({
      table: 'errand_parts',
      parent: 'errand_id',
      open: OPEN,
      concurrency: async (trx) => {
        await beforeClaim(begunOf.get(work.id) ?? 0);
        const { rows } = await sql<{ concurrency: number }>`
          SELECT concurrency FROM errands WHERE organization_id = ${work.organizationId} AND id = ${work.id}`.execute(
          trx,
        );
        return rows[0]?.concurrency ?? 0;
      },
      run: (row) => {
        begunOf.set(work.id, 1);
        return run(row, work);
      },
    });
    return completed();
  },
});
const queue = new JobQueue({ url: database.url, db, log, isWorker: true });
const worker = new JobWorker({ queue, db, log, kinds: [job] });

beforeAll(async () => {
  await createJobTables(db);
  await sql`ALTER TABLE errands ADD COLUMN concurrency integer NOT NULL DEFAULT 2`.execute(db);
  await sql`
    CREATE TABLE errand_parts (
      organization_id uuid NOT NULL,
      id              uuid NOT NULL,
      errand_id       uuid NOT NULL,
      status          text NOT NULL DEFAULT 'queued',
      job_attempt     integer NOT NULL DEFAULT 0,
      times           integer NOT NULL DEFAULT 0,
      PRIMARY KEY (organization_id, id))`.execute(db);
  await queue.start([job]);
  await worker.start();
});
afterAll(async () => {
  worker.stop();
  await queue.stop();
  await db.destroy();
  await database.drop();
});

async function send(parts: number): Promise<JobRef> {
  const organizationId = uuidv7();
  // The parts exist before a worker can see the job.
  const ids = Array.from({ length: parts }, () => uuidv7());
  const sent = await sendErrand(db, queue, organizationId, {}, async (trx, { id }) => {
    await sql`
      INSERT INTO errand_parts (organization_id, id, errand_id)
      SELECT ${organizationId}, part, ${id} FROM unnest(${ids}::uuid[]) AS part`.execute(trx);
  });
  return sent;
}

async function finish(row: ClaimedRow, { organizationId }: Pick<JobRef, 'organizationId'>): Promise<void> {
  await row.save((trx) =>
    sql`UPDATE errand_parts SET status = 'done', times = times + 1
         WHERE organization_id = ${organizationId} AND id = ${row.id}`.execute(trx),
  );
}

async function partsOf({ organizationId }: JobRef) {
  const { rows } = await sql<{ status: string; times: number; job_attempt: number }>`
    SELECT status, times, job_attempt FROM errand_parts WHERE organization_id = ${organizationId} ORDER BY id`.execute(
    db,
  );
  return rows;
}

async function jobOf({ organizationId, id }: JobRef) {
  const { rows } = await sql<{ status: string; attempt: number; error: string | null }>`
    SELECT status, attempt, error FROM errands WHERE organization_id = ${organizationId} AND id = ${id}`.execute(
    db,
  );
  return rows[0];
}

const statusOf = async (sent: JobRef) => (await jobOf(sent))?.status;

test('claimRows works on every row once, and on at most `concurrency` rows at a time', async () => {
  const counts = { running: 0, most: 0 };
  run = async (row, work) => {
    counts.most = Math.max(counts.most, ++counts.running);
    await new Promise(setImmediate);
    await finish(row, work);
    counts.running--;
  };
  const sent = await send(20);
  await expect.poll(() => statusOf(sent)).toBe('completed');
  expect(await partsOf(sent)).toEqual(
    Array.from({ length: 20 }, () => ({ status: 'done', times: 1, job_attempt: 1 })),
  );
  expect(counts.most).toBe(2);
});

test('claimRows follows a raised and a lowered concurrency while it runs', async () => {
  const begun: string[] = [];
  const held = Promise.withResolvers<void>();
  run = async (row, work) => {
    begun.push(row.id);
    await held.promise;
    await finish(row, work);
  };
  const sent = await send(6);
  const setConcurrency = (value: number) =>
    sql`UPDATE errands SET concurrency = ${value} WHERE organization_id = ${sent.organizationId}`.execute(db);
  await expect.poll(() => begun.length).toBe(2);
  await setConcurrency(4);
  await expect.poll(() => begun.length).toBe(4);
  await setConcurrency(5);
  held.resolve();
  await expect.poll(() => statusOf(sent)).toBe('completed');
  expect(new Set(begun).size).toBe(6);
});

test('claimRows ends without the remaining rows when the concurrency is 0', async () => {
  run = (row, work) => finish(row, work);
  const organizationId = uuidv7();
  const sent = await sendErrand(db, queue, organizationId, {}, async (trx, { id }) => {
    await sql`UPDATE errands SET concurrency = 0 WHERE organization_id = ${organizationId} AND id = ${id}`.execute(
      trx,
    );
    await sql`INSERT INTO errand_parts (organization_id, id, errand_id) VALUES (${organizationId}, ${uuidv7()}, ${id})`.execute(
      trx,
    );
  });
  await expect.poll(() => statusOf(sent)).toBe('completed');
  expect(await partsOf(sent)).toEqual([{ status: 'queued', times: 0, job_attempt: 0 }]);
});

test('claimRows claims open rows again in the next attempt, and fails the job when its steps keep throwing', async () => {
  const attempts: number[] = [];
  run = async (row, work) => {
    attempts.push(work.attempt);
    await row.save((trx) =>
      sql`UPDATE errand_parts SET status = 'running' WHERE organization_id = ${work.organizationId} AND id = ${row.id}`.execute(
        trx,
      ),
    );
    throw new Error('out of order');
  };
  const sent = await send(1);
  await expect.poll(() => statusOf(sent)).toBe('failed');
  expect(attempts).toEqual([1, 2]);
  expect(await partsOf(sent)).toEqual([{ status: 'running', times: 0, job_attempt: 2 }]);
});

test('claimRows waits for the other rows, whose signal is aborted, when one throws', async () => {
  const left: unknown[] = [];
  run = async (row, work) => {
    if (work.attempt > 1) return finish(row, work);
    if (left.length === 0) left.push(row.id);
    else throw new Error('out of order');
    await new Promise((resolve) => row.signal.addEventListener('abort', resolve, { once: true }));
    left.push('aborted');
  };
  const sent = await send(2);
  await expect.poll(() => statusOf(sent)).toBe('completed');
  expect(left[1]).toBe('aborted');
  expect((await partsOf(sent)).map(({ times }) => times)).toEqual([1, 1]);
});

test('claimRows aborts its rows with JobCancelled when its job is cancelled, whether a claim or the worker notices it', async () => {
  const reasons: unknown[] = [];
  run = async (row) => {
    await new Promise((resolve) => row.signal.addEventListener('abort', resolve, { once: true }));
    reasons.push(row.signal.reason);
  };
  // Claims look for rows every second, as the worker looks for cancelled jobs: with several jobs, either of the two is first for some.
  const sent = await Promise.all(Array.from({ length: 2 }, () => send(1)));
  for (const one of sent) {
    await expect.poll(() => begunOf.get(one.id)).toBe(1);
    await transaction(db, (trx) => requestCancel(trx, ERRAND, one));
    await expect.poll(() => statusOf(one)).toBe('cancelled');
  }
  expect(reasons.every((reason) => reason instanceof JobCancelled)).toBe(true);
  expect(reasons).toHaveLength(2);
});

test('save of a claimed row writes nothing after its job was cancelled, and the job ends as cancelled', async () => {
  const claimed = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  run = async (row, work) => {
    claimed.resolve();
    await cancelled.promise;
    await finish(row, work);
  };
  const sent = await send(1);
  await claimed.promise;
  await transaction(db, (trx) => requestCancel(trx, ERRAND, sent));
  cancelled.resolve();
  await expect.poll(() => statusOf(sent)).toBe('cancelled');
  expect(await partsOf(sent)).toEqual([{ status: 'queued', times: 0, job_attempt: 1 }]);
});

test('save of a claimed row writes nothing once another attempt has claimed the row', async () => {
  const outcomes: string[] = [];
  run = async (row, work) => {
    if (work.attempt === 1)
      await sql`UPDATE errand_parts SET job_attempt = 99 WHERE organization_id = ${work.organizationId}`.execute(
        db,
      );
    await finish(row, work).catch((error: unknown) => outcomes.push((error as Error).constructor.name));
  };
  const sent = await send(1);
  await expect.poll(() => statusOf(sent)).toBe('completed');
  expect(outcomes).toEqual(['Superseded']);
  expect(await partsOf(sent)).toEqual([{ status: 'queued', times: 0, job_attempt: 99 }]);
});

test('release lets the same attempt claim the row again', async () => {
  let tries = 0;
  run = async (row, work) => {
    if (++tries === 3) return finish(row, work);
    return row.save((trx) => row.release(trx));
  };
  const sent = await send(1);
  await expect.poll(() => statusOf(sent)).toBe('completed');
  expect([tries, await partsOf(sent)]).toEqual([3, [{ status: 'done', times: 1, job_attempt: 1 }]]);
});

test('claimRows leaves no row behind when the only row ends while the next ones are claimed', async () => {
  const looking = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let begun = 0;
  beforeClaim = async (count) => {
    if (count === 0) return;
    looking.resolve();
    await ended.promise;
  };
  run = async (row, work) => {
    if (++begun > 1) return finish(row, work);
    await looking.promise;
    await finish(row, work);
    setImmediate(ended.resolve);
  };
  const organizationId = uuidv7();
  const sent = await sendErrand(db, queue, organizationId, {}, async (trx, { id }) => {
    await sql`UPDATE errands SET concurrency = 1 WHERE organization_id = ${organizationId} AND id = ${id}`.execute(
      trx,
    );
    for (let part = 0; part < 3; part++)
      await sql`INSERT INTO errand_parts (organization_id, id, errand_id) VALUES (${organizationId}, ${uuidv7()}, ${id})`.execute(
        trx,
      );
  });
  await expect
    .poll(async () => (await partsOf(sent)).filter(({ status }) => status === 'done').length)
    .toBe(3);
  await expect.poll(() => statusOf(sent)).toBe('completed');
  beforeClaim = async () => undefined;
});

test('claimRows ends its step with the error of a row that threw while the next ones were claimed', async () => {
  const looking = Promise.withResolvers<void>();
  const thrown = Promise.withResolvers<void>();
  beforeClaim = async (taken) => {
    if (taken === 0) return;
    looking.resolve();
    await thrown.promise;
  };
  let attempts = 0;
  run = async (row, work) => {
    if (++attempts > 1) return finish(row, work);
    await looking.promise;
    thrown.resolve();
    throw new Error('out of order');
  };
  const sent = await send(1);
  await expect.poll(() => statusOf(sent)).toBe('completed');
  beforeClaim = async () => undefined;
  expect([attempts, (await jobOf(sent))?.attempt]).toEqual([2, 2]);
});

test('claimRows waits for a row that another transaction holds', async () => {
  run = (row, work) => finish(row, work);
  const organizationId = uuidv7();
  const part = uuidv7();
  let job: JobRef | undefined;
  let claims = 0;
  beforeClaim = async () => void claims++;
  await transaction(db, async (trx) => {
    job = await sendErrand(db, queue, organizationId, {}, async (sending, { id }) => {
      await sql`INSERT INTO errand_parts (organization_id, id, errand_id) VALUES (${organizationId}, ${part}, ${id})`.execute(
        sending,
      );
    });
    await sql`SELECT id FROM errand_parts WHERE organization_id = ${organizationId} FOR UPDATE`.execute(trx);
    // claimRows has claimed twice without ending.
    await expect.poll(() => claims).toBeGreaterThan(1);
    expect(await statusOf(job)).toBe('running');
  });
  beforeClaim = async () => undefined;
  await expect.poll(() => statusOf(job as JobRef)).toBe('completed');
  expect((await partsOf(job as JobRef)).map(({ status }) => status)).toEqual(['done']);
});

test('claimRows begins no row after its job was cancelled', async () => {
  const begun: string[] = [];
  const cancelled = Promise.withResolvers<void>();
  run = async (row, work) => {
    begun.push(row.id);
    if (begun.length === 1) {
      await transaction(db, (trx) => requestCancel(trx, ERRAND, { ...work }));
      cancelled.resolve();
    }
    // No row of the first claim ends before the cancel; otherwise a second claim before the cancel could rightly start another row.
    await cancelled.promise;
    await finish(row, work).catch(() => undefined);
  };
  const sent = await send(8);
  await expect.poll(() => statusOf(sent)).toBe('cancelled');
  expect(begun).toHaveLength(2);
});

test('save of a claimed row may change the row of its job', async () => {
  run = (row, work) =>
    row.save(async (trx) => {
      await sql`UPDATE errands SET plan = jsonb_build_object('n', coalesce((plan ->> 'n')::int, 0) + 1)
                 WHERE organization_id = ${work.organizationId} AND id = ${work.id}`.execute(trx);
      await sql`UPDATE errand_parts SET status = 'done' WHERE organization_id = ${work.organizationId} AND id = ${row.id}`.execute(
        trx,
      );
    });
  const sent = await send(24);
  await expect.poll(() => statusOf(sent)).toBe('completed');
  const { rows } = await sql<{ n: number }>`
    SELECT (plan ->> 'n')::int AS n FROM errands WHERE organization_id = ${sent.organizationId}`.execute(db);
  expect(rows).toEqual([{ n: 24 }]);
});
