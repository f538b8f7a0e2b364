/** One of each resource of the engines, for tests that need a resource behind every path. No worker runs, so all of them wait. */
import { expect } from 'vitest';
import { W } from './evaluation-world.ts';
import type { Client } from './harness.ts';

/**
 * Requires a capability, a dataset and a task set with the name `canary`.
 * @returns ids by the names of path parameters
 */
export async function seedEngines(me: Client): Promise<Record<string, string>> {
  return {
    capability: 'canary',
    ...(await seedEvaluation(me)),
    ...(await seedOptimizationJob(me)),
    ...(await seedAssessment(me)),
    ...(await seedGate(me)),
  };
}

/** All members of the workspace see it, and the owner may change it. It waits, since no worker runs. */
async function seedEvaluation(me: Client) {
  const dataset = { name: 'canary', version: '1.0.0', input: 'a', expected: 'a' };
  const request = { name: 'canary', model: 'sim/echo', dataset, scorers: [{ type: 'exact' }] };
  const evaluation = await me.post(`${W}/evaluation`, request);
  expect(evaluation).toMatchObject({ status: 201 });
  const evaluation_id = evaluation.body.id as string;
  const { body } = await me.get(`${W}/evaluation/${evaluation_id}/items`);
  return { evaluation_id, item_id: body.items[0].id as string };
}

/** All members of the workspace see it, and only the owner may change it. It stays queued, since no worker runs. */
async function seedOptimizationJob(me: Client) {
  const job = await me.post(`${W}/optimization/jobs`, {
    name: 'canary',
    target_kind: 'capability_agent',
    model: 'sim/instructed',
    capability_ref: { name: 'canary', version: '1.0.0' },
    dataset_ref: { name: 'canary', version: '1.0.0' },
    reward_recipe: { name: 'row_reward_v1' },
  });
  expect(job).toMatchObject({ status: 201 });
  return { job_id: job.body.id as string };
}

/** All members of the workspace see it with its finding, and only the owner may change it. */
async function seedAssessment(me: Client) {
  const { body: project } = await me.get(`${W}/projects/default`);
  const path = `${W}/airt/assessments`;
  const assessment = await me.post(`${path}?project_id=${project.id}`, {
    name: 'canary',
    target_model: 'sim/guarded',
    attack_manifest: [{ attack: 'baseline', goals: ['canary'], trials: 1 }],
  });
  expect(assessment).toMatchObject({ status: 201 });
  const assessment_id = assessment.body.id as string;
  expect(await me.post(`${path}/${assessment_id}/start`)).toMatchObject({ status: 200 });
  const { body } = await me.get(`${path}/${assessment_id}/findings`);
  const finding_id = body.items[0].id as string;
  const report = { report_type: 'markdown', content: 'canary' };
  const { body: stored } = await me.post(`${path}/${assessment_id}/reports`, report);
  return { assessment_id, finding_id, report_id: stored.id as string };
}

/** All members of the workspace see it with its check. */
async function seedGate(me: Client) {
  const attack_manifest = [{ attack: 'baseline', goals: ['canary'], trials: 1 }];
  const gate = await me.post(`${W}/gates`, {
    name: 'canary',
    rules: [{ kind: 'asr', attack_manifest, bound: 0 }],
  });
  expect(gate).toMatchObject({ status: 201 });
  const check = await me.post(`${W}/gates/canary/check`, { model: 'sim/guarded' });
  expect(check).toMatchObject({ status: 201 });
  return { gate: gate.body.id as string, check_id: check.body.id as string };
}
