/** Assessments of an organization that runs out of credits. */
import { expect, test } from 'vitest';
import { startAirtWorld } from '../../../test/airt-world.ts';
import { addProvider } from '../../../test/evaluation-world.ts';
import { answers } from '../../../test/model-provider.ts';

const environment = { DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1', DRYDOCK_CREDITS: 'enforced' };
const world = await startAirtWorld({ environment, credits: 'enforced' });
const { me } = world;
const provider = await addProvider(me);

test('an assessment fails with the reason credits and keeps its trials when credits run out', async () => {
  provider.always(answers({ text: 'no' }));
  const { body } = await me.get('/org/main/credits');
  const change = { amount: 400 - body.balance, reason: 'test' };
  expect((await me.post('/org/main/credits/adjust', change)).status).toBe(201);
  const assessment = await world.run({
    target_model: 'acme/large',
    judge_model: 'sim/judge',
    attacker_config: { concurrency: 1 },
    attack_manifest: [{ attack: 'baseline', goals: ['a'], trials: 100, params: { exhaustive: true } }],
  });
  expect(assessment).toMatchObject({ status: 'failed', stop_reason: 'credits' });
  expect(assessment.error).toContain('credit');
  const trials = await world.listTrials(assessment.id);
  expect(trials.length).toBeGreaterThan(0);
  expect(trials.length).toBeLessThan(100);
  expect(assessment).toMatchObject({ overall_asr: 0, progress: { trials: trials.length } });
});
