/** A server with a worker that runs optimization jobs, a capability with a vague prompt, and rows that `sim/instructed` can solve. */
import { expect } from 'vitest';
import { type SampleRow, sampleRows } from '../../scripts/demo/sample-rows.ts';
import { bundle } from './bundles.ts';
import { publishCapability } from './capabilities.ts';
import { type EvaluationWorldOptions, startEvaluationWorld, W } from './evaluation-world.ts';
import type { Client } from './harness.ts';
import { until } from './processes.ts';

export const JOBS = `${W}/optimization/jobs`;
const ENDED = new Set(['completed', 'failed', 'cancelled']);

export async function startOptimizationWorld(options: EvaluationWorldOptions = {}) {
  const world = await startEvaluationWorld(options);
  await publishAssistant(world.me);
  await publishRows(world.me, 'questions', sampleRows(30));
  return { ...world, ...optimizationTools(world.me) };
}

/** Test helpers for the optimization jobs of a server. */
export function optimizationTools(me: Client) {
  /** @param change of a valid request; undefined omits a field */
  const toRequest = (change: object = {}) => ({
    target_kind: 'capability_agent',
    model: 'sim/instructed',
    capability_ref: { name: 'assistant', version: '1.0.0' },
    dataset_ref: { name: 'questions', version: '1.0.0' },
    reward_recipe: { name: 'exact_match_v1' },
    ...change,
    config: {
      reflection_lm: 'sim/reflector',
      max_metric_calls: 60,
      ...('config' in change ? (change.config as object) : {}),
    },
  });

  async function create(change?: object) {
    const { status, body } = await me.post(JOBS, toRequest(change));
    expect({ status, body }).toMatchObject({ status: 201 });
    return body.id as string;
  }

  const getJob = async (id: string) => (await me.get(`${JOBS}/${id}`)).body;

  /** Waits for the end of a job. */
  async function jobEnded(id: string) {
    return until('the job has ended', async () => {
      const job = await getJob(id);
      return ENDED.has(job.status) ? job : undefined;
    });
  }

  const listCandidates = async (id: string) =>
    (await me.get(`${JOBS}/${id}/candidates?page_size=100`)).body.items;
  const listProposals = async (id: string) =>
    (await me.get(`${JOBS}/${id}/proposals?page_size=100`)).body.items;

  return { toRequest, create, getJob, jobEnded, listCandidates, listProposals };
}

export const publishAssistant = (me: Client, version = '1.0.0') =>
  publishCapability(me, {
    name: 'assistant',
    version,
    files: {
      'agents/helper.md':
        '---\nname: helper\ndescription: Answers questions\n---\nYou are a helpful assistant.\n',
    },
  });

export async function publishRows(
  me: Client,
  name: string,
  rows: readonly (SampleRow | object)[],
): Promise<void> {
  const manifest = 'summary: small questions\n';
  const lines = rows.map((row) => JSON.stringify(row)).join('\n');
  const content = bundle({ 'dataset.yaml': manifest, 'train.jsonl': `${lines}\n` });
  const { status, body } = await me.put(`/org/main/datasets/${name}/1.0.0`, content);
  expect({ status, body }).toMatchObject({ status: 201 });
}
