/** Evaluations of an organization that runs out of credits. */
import { expect, test } from 'vitest';
import { addProvider, startEvaluationWorld, W } from '../../../test/evaluation-world.ts';
import { answers } from '../../../test/model-provider.ts';

const environment = { DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1', DRYDOCK_CREDITS: 'enforced' };
const { me, publishTask, evaluate, get, ended, listLeftovers } = await startEvaluationWorld({
  environment,
  credits: 'enforced',
});
const provider = await addProvider(me);
const adjust = (amount: number) => me.post('/org/main/credits/adjust', { amount, reason: 'test' });

test('evaluationJob pauses with a reason when credits run out, and goes on once there are some', async () => {
  provider.always(answers({ text: 'yes' }));
  await publishTask('task', 'unused', { manifest: { verification: { method: 'exact', expected: 'yes' } } });
  const { body: credits } = await me.get('/org/main/credits');
  if (credits.balance > 0) await adjust(-credits.balance);
  const id = await evaluate({ model: 'acme/large', task_names: ['task'], repetitions: 2, concurrency: 1 });
  await expect.poll(async () => (await get(id)).status).toBe('paused');
  expect((await get(id)).pause_reason).toMatch(/credit.* Add credits and resume\.$/i);
  expect((await get(id)).item_counts).toMatchObject({ queued: 2, infra_error: 0 });
  await adjust(1_000_000);
  expect(await me.patch(`${W}/evaluation/${id}`, { paused: false })).toMatchObject({ status: 200 });
  expect(await ended(id)).toMatchObject({ status: 'completed', passed_count: 2 });
  await expect.poll(listLeftovers).toEqual([]);
});
