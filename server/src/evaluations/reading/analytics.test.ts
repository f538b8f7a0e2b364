import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { insertEvaluation, openEvaluations } from '../../../test/evaluation-rows.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { wilsonInterval } from '../../platform/wilson-interval.ts';
import { getAnalytics, saveSnapshot } from './analytics.ts';
import { EvaluationAnalyticsResponse } from './analytics-schema.ts';

const { db, place } = await openEvaluations();

const TASKS = [
  { name: 'alpha', tags: ['math', 'short'], difficulty: 'easy' },
  { name: 'beta', tags: ['math'], difficulty: 'hard' },
  { name: 'gamma' },
];

test('getAnalytics counts results by task, tag and difficulty, with repetitions as clusters', async () => {
  const of = (source: number, status: string, sample: number) => ({
    task: TASKS[source]?.name,
    source,
    sample,
    status,
    score: status === 'passed' ? 1 : 0.25,
    stopReason: status === 'timed_out' ? 'timeout' : 'finished',
    turns: sample,
    durationMs: sample * 1_000,
    inputTokens: 10,
  });
  const { id } = await insertEvaluation(db, place, {
    tasks: TASKS,
    costUsd: 1.5,
    items: [
      of(0, 'passed', 1),
      of(1, 'failed', 1),
      { task: 'gamma', source: 2, status: 'infra_error', error: 'no host' },
      of(0, 'passed', 2),
      of(1, 'timed_out', 2),
      { task: 'gamma', source: 2, sample: 2, status: 'cancelled' },
    ],
  });
  const analytics = await getAnalytics(db, place, id);
  expect(EvaluationAnalyticsResponse.parse(analytics)).toEqual(analytics);
  const whole = { total: 2, errors: 0 };
  const alpha = {
    ...whole,
    passed: 2,
    failed: 0,
    pass_rate: 1,
    pass_rate_interval: wilsonInterval(1, 2),
    mean_score: 1,
  };
  const beta = {
    ...whole,
    passed: 0,
    failed: 2,
    pass_rate: 0,
    pass_rate_interval: wilsonInterval(0, 2),
    mean_score: 0.25,
  };
  const gamma = {
    total: 2,
    passed: 0,
    failed: 0,
    errors: 1,
    pass_rate: null,
    pass_rate_interval: null,
    mean_score: null,
  };
  expect(analytics).toEqual({
    evaluation_id: id,
    total_samples: 6,
    passed_count: 2,
    failed_count: 2,
    error_count: 1,
    pass_rate: 0.5,
    pass_rate_interval: wilsonInterval(0.5, 2),
    pass_at_k: { 1: 0.5, 2: 0.5 },
    mean_score: 0.625,
    contaminated_count: 0,
    uncontaminated: {
      total_samples: 6,
      passed_count: 2,
      failed_count: 2,
      error_count: 1,
      pass_rate: 0.5,
      pass_rate_interval: wilsonInterval(0.5, 2),
      mean_score: 0.625,
    },
    by_task: [
      { task_name: 'alpha', ...alpha },
      { task_name: 'beta', ...beta },
      { task_name: 'gamma', ...gamma },
    ],
    by_tag: [
      // The samples of each task agree, so that four samples say as much as two.
      {
        tag: 'math',
        total: 4,
        errors: 0,
        passed: 2,
        failed: 2,
        pass_rate: 0.5,
        pass_rate_interval: wilsonInterval(0.5, 2),
        mean_score: 0.625,
      },
      { tag: 'short', ...alpha },
    ],
    by_difficulty: [
      { difficulty: 'easy', ...alpha },
      { difficulty: 'hard', ...beta },
    ],
    stop_reasons: { finished: 3, timeout: 1 },
    cost_usd: 1.5,
    cost_per_sample_usd: 0.375,
    tokens: { input: 40, output: 0, cache_read: 0, cache_creation: 0 },
    turns: { p50: 1.5, p95: 2 },
    durations_ms: { p50: 1_500, p95: 2_000 },
  });
});

test('getAnalytics takes the rows of a dataset as clusters', async () => {
  const items = [0, 1, 0, 1].map((source, index) => ({
    source,
    sample: 1 + (index >> 1),
    status: source ? 'failed' : 'passed',
  }));
  const { id } = await insertEvaluation(db, place, { tasks: [{ name: 'unrelated' }], items });
  expect(await getAnalytics(db, place, id)).toMatchObject({
    pass_rate: 0.5,
    pass_rate_interval: wilsonInterval(0.5, 2),
    pass_at_k: { 1: 0.5, 2: 0.5 },
    by_task: [],
    by_tag: [],
    by_difficulty: [],
  });
});

test('getAnalytics has no rates before the first result', async () => {
  const { id } = await insertEvaluation(db, place, {
    items: [{ status: 'queued' }, { status: 'infra_error' }],
  });
  expect(await getAnalytics(db, place, id)).toMatchObject({
    total_samples: 2,
    error_count: 1,
    pass_rate: null,
    pass_rate_interval: null,
    pass_at_k: {},
    mean_score: null,
    cost_per_sample_usd: null,
    turns: { p50: null, p95: null },
    durations_ms: { p50: null, p95: null },
  });
});

test('getAnalytics answers 404 for an evaluation of another workspace or organization', async () => {
  const { id } = await insertEvaluation(db, place, { items: [{}] });
  for (const other of [
    { ...place, workspaceId: uuidv7() },
    { ...place, organizationId: uuidv7() },
  ])
    await expect(getAnalytics(db, other, id)).rejects.toMatchObject({ type: 'not_found_error' });
});

test('saveSnapshot stores the analytics as they are', async () => {
  const { id } = await insertEvaluation(db, place, {
    items: [{ score: 0.5 }, { status: 'failed', score: 0 }],
  });
  const { organizationId } = place;
  await transaction(db, (trx) => saveSnapshot(trx, { organizationId, id }));
  const { rows } = await sql<{ analytics_snapshot: unknown }>`
    SELECT analytics_snapshot FROM evaluations WHERE organization_id = ${organizationId} AND id = ${id}`.execute(
    db,
  );
  expect(rows[0]?.analytics_snapshot).toEqual(await getAnalytics(db, place, id));
});

test('getAnalytics gives the rates with and without contaminated samples', async () => {
  const results = { alpha: 'passed', beta: 'failed', gamma: 'passed' };
  const { id } = await insertEvaluation(db, place, {
    tasks: TASKS,
    items: Object.entries(results).map(([task, status], source) => ({
      task,
      source,
      status,
      score: status === 'passed' ? 1 : 0,
    })),
  });
  const source = { kind: 'training_job', id: uuidv7(), name: null, version: null };
  await sql`
    UPDATE evaluation_tasks SET contaminated_by = ${JSON.stringify(source)}::jsonb
     WHERE organization_id = ${place.organizationId} AND evaluation_id = ${id} AND task_name = 'alpha'`.execute(
    db,
  );
  expect(await getAnalytics(db, place, id)).toMatchObject({
    pass_rate: 2 / 3,
    mean_score: 2 / 3,
    contaminated_count: 1,
    uncontaminated: {
      total_samples: 2,
      passed_count: 1,
      failed_count: 1,
      error_count: 0,
      pass_rate: 0.5,
      pass_rate_interval: wilsonInterval(0.5, 2),
      mean_score: 0.5,
    },
  });
});
