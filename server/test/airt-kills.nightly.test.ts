/** Five kills of a worker, a server and PostgreSQL while an assessment of 12 attacks with 10 trials each runs. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KilledAssessments } from './airt-kills.ts';

const assessments = new KilledAssessments();
beforeAll(() => assessments.start());
afterAll(() => assessments.stop());

test('an assessment has the same trials, scores and rate regardless of which processes are killed', {
  timeout: 900_000,
}, async () => {
  const whole = await assessments.run([], 10);
  const victims = ['worker', 'PostgreSQL', 'worker', 'server', 'worker'] as const;
  expect(await assessments.run(victims, 10)).toEqual(whole);
});
