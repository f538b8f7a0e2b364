/** A kill while an assessment runs; the nightly file has five, and more trials. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KilledAssessments } from './airt-kills.ts';

const assessments = new KilledAssessments();
beforeAll(() => assessments.start());
afterAll(() => assessments.stop());

test('an assessment has the same trials, scores and rate when its worker is killed, and no duplicate trial', async () => {
  const whole = await assessments.run([], 2);
  expect(whole.trials.length).toBeGreaterThan(75);
  expect(await assessments.run(['worker'], 2)).toEqual(whole);
});
