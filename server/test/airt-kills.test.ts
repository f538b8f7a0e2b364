/** Two kills while an assessment runs. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KilledAssessments } from './airt-kills.ts';

const assessments = new KilledAssessments();
beforeAll(() => assessments.start());
afterAll(() => assessments.stop());

test('an assessment has the same trials, scores and rate when its worker is killed twice, and no duplicate trial', async () => {
  const whole = await assessments.run([], 4);
  expect(whole.trials.length).toBeGreaterThan(150);
  expect(await assessments.run(['worker', 'worker'], 4)).toEqual(whole);
});
