/** One kill while a job runs; the nightly file has five. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KilledOptimizations } from './optimization-kills.ts';

const optimizations = new KilledOptimizations();
beforeAll(() => optimizations.start());
afterAll(() => optimizations.stop());

test('a job produces the same tree when its worker is killed', { timeout: 600_000 }, async () => {
  const whole = await optimizations.run([]);
  expect(whole.candidates.length).toBeGreaterThan(2);
  expect(await optimizations.run(['worker'])).toEqual(whole);
});
