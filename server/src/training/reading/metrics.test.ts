/** Curves of jobs: what is kept of long ones, and how they are read. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { explainWork } from '../../../test/query-plans.ts';
import { insertTrainingJobOf } from '../../../test/training-rows.ts';
import { readMetrics, readSeries } from './metrics.ts';

const server = await startTestServer();
const { db, owner } = server;

/** A job whose points are those of the statement: name, step, attempt, value. */
async function addJob(lastStep: number, points: ReturnType<typeof sql>) {
  const id = await insertTrainingJobOf(db, owner.id);
  const { rows } = await sql<{ organization_id: string }>`
    UPDATE training_jobs /* of every organization */ SET step = ${lastStep} WHERE id = ${id} RETURNING organization_id`.execute(
    db,
  );
  const organizationId = rows[0]?.organization_id as string;
  await sql`DELETE FROM training_metrics WHERE organization_id = ${organizationId} AND job_id = ${id}`.execute(
    db,
  );
  await sql`
    INSERT INTO training_metrics (organization_id, job_id, name, step, attempt, value)
    SELECT ${organizationId}::uuid, ${id}::uuid, p.* FROM (${points}) AS p`.execute(db);
  return { organizationId, id };
}

test('readSeries keeps extremes, ends and counts when a curve is thinned out', async () => {
  const job = await addJob(
    10_000,
    sql`SELECT 'train/loss', step, 1, CASE step WHEN 7001 THEN 50 WHEN 3003 THEN -50 ELSE 1 END
          FROM generate_series(1, 10000) AS step`,
  );
  const { 'train/loss': loss } = await readSeries(db, job, { names: undefined, maxPoints: 100 });
  expect(loss?.total).toBe(10_000);
  expect(loss?.mean).toBeCloseTo(9_998 / 10_000);
  expect(loss?.steps.length).toBeLessThanOrEqual(100);
  expect([loss?.steps[0], loss?.steps.at(-1)]).toEqual([1, 10_000]);
  expect(loss?.values[loss.steps.indexOf(7_001)]).toBe(50);
  expect(loss?.values[loss.steps.indexOf(3_003)]).toBe(-50);
  expect(loss?.steps).toEqual(loss?.steps.toSorted((a, b) => a - b));
  expect(await readMetrics(db, job)).toMatchObject({ 'train/loss_best': -50, 'train/loss_last': 1 });
});

test('readSeries keeps all points of a curve that has no more than are asked for, wherever they lie', async () => {
  const job = await addJob(
    100_000,
    sql`SELECT 'eval/loss', step, 1, step FROM generate_series(1, 98) AS step
        UNION ALL SELECT 'eval/loss', 99999, 1, 0 UNION ALL SELECT 'eval/loss', 100000, 1, 0`,
  );
  const { 'eval/loss': loss } = await readSeries(db, job, { names: ['eval/loss', 'none'], maxPoints: 100 });
  expect(loss?.steps).toEqual([...Array.from({ length: 98 }, (_, index) => index + 1), 99_999, 100_000]);
});

test('readSeries takes the newest attempt of each step, and hides steps that are to be trained again', async () => {
  const job = await addJob(
    3,
    sql`SELECT 'train/loss', step, 1, 1 FROM generate_series(1, 5) AS step
        UNION ALL SELECT 'train/loss', step, 2, 2 FROM generate_series(2, 3) AS step`,
  );
  const series = await readSeries(db, job, { names: undefined, maxPoints: 100 });
  expect(series).toEqual({
    'train/loss': { steps: [1, 2, 3], values: [1, 2, 2], total: 3, mean: 5 / 3 },
  });
});

test('readSeries reads the primary key alone and sorts no points when a job has many', async () => {
  const job = await addJob(
    20_000,
    sql`SELECT name, step, 1, random() FROM unnest('{eval/loss, train/grad_norm, train/loss}'::text[]) AS name,
               generate_series(1, 20000) AS step`,
  );
  await sql`VACUUM ANALYZE training_metrics`.execute(db);
  for (const names of [undefined, ['train/loss', 'eval/loss']]) {
    const plans = await explainWork(server, (on) => readSeries(on, job, { names, maxPoints: 1_000 }));
    for (const plan of plans) {
      expect(plan).toContain('Index Only Scan Backward using training_metrics_pkey');
      expect(plan).not.toMatch(/Sort|Seq Scan on training_metrics|WindowAgg/);
    }
  }
});
