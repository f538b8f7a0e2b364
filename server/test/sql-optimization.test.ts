/** The SQL tables of optimization jobs match the operations of jobs. */
import { beforeAll, expect, test } from 'vitest';
import { SQL_TABLES } from '../src/sql-tables.ts';
import { type AskedRow, askRows, toMoment } from './asked-rows.ts';
import { startTestServer } from './harness.ts';
import { insertOptimizationJob } from './optimization-rows.ts';
import { findOrganizationId } from './other-organization.ts';

const W = '/org/main/ws/main';
const server = await startTestServer();
const { owner, url, db } = server;
const reader = await server.addPerson('reader', { role: 'member', workspaceRole: 'reader' });
const me = server.as(reader);
const organizationId = await findOrganizationId(server, 'main');
const workspaceId: string = (await me.get(W)).body.id;
const { body: lab } = await server.as(owner).post(`${W}/projects`, { name: 'Lab' });

beforeAll(async () => {
  const place = { organizationId, workspaceId, createdBy: owner.id };
  await insertOptimizationJob(db, place, { text: 'a "quoted", text\nof two lines', projectId: null });
  await insertOptimizationJob(db, place, { text: 'second', projectId: lab.id });
});

async function ask(name: string): Promise<AskedRow[]> {
  const table = SQL_TABLES.find((one) => one.name === name);
  if (!table) throw new Error(`There is no table ${name}.`);
  const viewer = { organizationId, workspaceId, userId: reader.id, seesAllUsage: false, projectId: null };
  const rows = await askRows({ url, viewer, table });
  return rows.map((row) => Object.assign(row, { created_at: toMoment(row['created_at']) }));
}

const listJobs = async (): Promise<AskedRow[]> => (await me.get(`${W}/optimization/jobs`)).body.items;

test('optimization_jobs has the figures of listOptimizationJobs', async () => {
  const jobs = await listJobs();
  expect(jobs).toHaveLength(2);
  const rows = new Map((await ask('optimization_jobs')).map((row) => [row['id'], row]));
  expect(rows.size).toBe(2);
  for (const { id, name, status, capability, project, tags, created_by, created_at, summary } of jobs) {
    const { metadata, best_score, train_size, val_size } = summary;
    const { budget, holdout_size, seed_score, seed_holdout_score, candidate_count } = metadata;
    const row = rows.get(id);
    expect(row).toMatchObject({
      name,
      status,
      capability: capability.name,
      capability_version: capability.version,
      reflection_model: 'sim/reflector',
      project_key: project,
      tags,
      created_by,
      created_by_username: 'owner',
      train_size,
      val_size,
      holdout_size,
      candidate_count,
      seed_score,
      best_score,
      seed_holdout_score,
      best_holdout_score: metadata.holdout_score,
      metric_calls: budget.metric_calls_used,
      metric_calls_limit: budget.metric_calls_limit,
      reflection_calls: budget.reflection_calls,
      running_seconds: metadata.running_seconds,
      created_at,
    });
    expect([Number(row?.['cost_usd']), budget.cost_usd]).toEqual([0.375, 0.375]);
  }
});

test('optimization_candidates has the rows of listOptimizationCandidates', async () => {
  const rows = await ask('optimization_candidates');
  expect(rows).toHaveLength(4);
  for (const { id } of await listJobs()) {
    const { items } = (await me.get(`${W}/optimization/jobs/${id}/candidates`)).body;
    for (const { index, mean_score, parents, texts, scores, holdout_score, is_on_frontier } of items)
      expect(rows).toContainEqual(
        expect.objectContaining({
          job_id: id,
          candidate_index: index,
          score: mean_score,
          parents,
          texts,
          scores,
          holdout_score,
          is_on_frontier,
          is_best: index === 1,
        }),
      );
  }
});

test('optimization_proposals has the rows of listOptimizationProposals', async () => {
  const rows = await ask('optimization_proposals');
  expect(rows).toHaveLength(4);
  for (const { id } of await listJobs()) {
    const { items } = (await me.get(`${W}/optimization/jobs/${id}/proposals`)).body;
    for (const { iteration, status, reason, candidate_index, components, texts, error } of items)
      expect(rows).toContainEqual(
        expect.objectContaining({
          job_id: id,
          iteration,
          status,
          reason,
          candidate_index,
          components,
          texts,
          error,
          parent_sum: 0.5,
          child_sum: iteration === 0 ? 1.5 : null,
        }),
      );
  }
});

test('evaluations names the job whose candidate an evaluation scores', async () => {
  const ids = (await ask('evaluations')).map(({ optimization_job_id }) => optimization_job_id);
  expect(new Set(ids)).toEqual(new Set((await listJobs()).map(({ id }) => id)));
  expect((await me.get(`${W}/evaluations`)).body.total).toBe(0);
});
