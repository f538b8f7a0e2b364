/** Evaluations of an organization that runs out of credits. */
import { expect, test } from 'vitest';
import { atEndOfFile } from '../../../test/end-of-file.ts';
import { startEvaluationWorld, W } from '../../../test/evaluation-world.ts';
import { answers, startModelProvider } from '../../../test/model-provider.ts';

const environment = { DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1', DRYDOCK_CREDITS: 'enforced' };
const { me, publishTask, evaluate, get, ended, listLeftovers } = await startEvaluationWorld({
  environment,
  credits: 'enforced',
});
const provider = await startModelProvider();
atEndOfFile(() => provider.close());
const adjust = (amount: number) => me.post('/org/main/credits/adjust', { amount, reason: 'test' });

test('evaluationJob pauses with a reason when credits run out, and goes on once there are some', async () => {
  await me.put('/org/main/inference/providers', {
    providers: [
      {
        name: 'acme',
        kind: 'openai_compatible',
        base_url: provider.baseUrl,
        api_key: 'sk-secret',
        models: [{ name: 'large', input_price: 1_000, output_price: 1_000, max_output_tokens: 100 }],
      },
    ],
  });
  provider.always(answers({ text: 'yes' }));
  await publishTask('task', 'unused', { manifest: { verification: { method: 'exact', expected: 'yes' } } });
  const { body: credits } = await me.get('/org/main/credits');
  if (credits.balance > 0) await adjust(-credits.balance);
  const id = await evaluate({ model: 'acme/large', task_names: ['task'], repetitions: 2, concurrency: 1 });
  await expect.poll(async () => (await get(id)).status, { timeout: 30_000 }).toBe('paused');
  expect((await get(id)).pause_reason).toMatch(/credit.* Add credits and resume\.$/i);
  expect((await get(id)).item_counts).toMatchObject({ queued: 2, infra_error: 0 });
  await adjust(1_000_000);
  expect(await me.patch(`${W}/evaluation/${id}`, { paused: false })).toMatchObject({ status: 200 });
  expect(await ended(id)).toMatchObject({ status: 'completed', passed_count: 2 });
  await expect.poll(listLeftovers, { timeout: 20_000 }).toEqual([]);
});
