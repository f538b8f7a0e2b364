/** Optimization jobs of an organization that runs out of credits. */
import { expect, test } from 'vitest';
import { sampleRows } from '../../../../scripts/demo/sample-rows.ts';
import { addProvider } from '../../../test/evaluation-world.ts';
import { answers } from '../../../test/model-provider.ts';
import { JOBS, publishRows, startOptimizationWorld } from '../../../test/optimization-world.ts';

const environment = { DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1', DRYDOCK_CREDITS: 'enforced' };
const { me, create, jobEnded, listCandidates } = await startOptimizationWorld({
  environment,
  credits: 'enforced',
});
const provider = await addProvider(me);
await publishRows(me, 'few', sampleRows(4));

/** 4 calls for the seed and 6 for each iteration. A call costs 12 credits, and holds more while it runs. */
const request = {
  model: 'acme/large',
  dataset_ref: { name: 'few', version: '1.0.0' },
  config: { max_metric_calls: undefined, max_trials: 8 },
};
const ALL_CALLS = 4 + 8 * 6;

async function setBalance(balance: number) {
  const { body } = await me.get('/org/main/credits');
  const change = { amount: balance - body.balance, reason: 'test' };
  expect((await me.post('/org/main/credits/adjust', change)).status).toBe(201);
}

test('createOptimizationJob ends with everything kept when credits run out, and its retry goes on', async () => {
  provider.always(answers({ text: 'x' }));
  await setBalance(12 * ALL_CALLS - 1);
  const id = await create(request);
  const job = await jobEnded(id);
  expect(job).toMatchObject({
    status: 'completed',
    error: null,
    summary: { best_score: 0, metadata: { stop_reason: 'credits' } },
  });
  expect(job.summary.metadata.budget.cost_usd).toBeCloseTo(0.012 * provider.requests.length);
  expect(await listCandidates(id)).toHaveLength(1);
  await setBalance(1_000_000);
  const { body } = await me.post(`${JOBS}/${id}/retry`);
  expect(await jobEnded(body.id)).toMatchObject({
    status: 'completed',
    summary: { metadata: { stop_reason: 'max_trials' } },
  });
  expect(provider.requests).toHaveLength(ALL_CALLS);
});

test('createOptimizationJob fails when credits do not pay for the seed', async () => {
  await setBalance(0);
  const id = await create(request);
  expect(await jobEnded(id)).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/credit.*add credits and retry/is),
  });
});
