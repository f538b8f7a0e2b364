/** Kills of the worker, PostgreSQL and the server at random moments of one job, in rounds. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KilledOptimizations } from './optimization-kills.ts';

const ROUNDS = Number(process.env.DRYDOCK_TEST_ROUNDS ?? 5);

const optimizations = new KilledOptimizations();
beforeAll(() => optimizations.start(), 120_000);
afterAll(() => optimizations.stop());

test(`a job produces the same tree in ${ROUNDS} rounds of five kills`, {
  timeout: (ROUNDS + 1) * 600_000,
}, async () => {
  const whole = await optimizations.run([]);
  for (let round = 0; round < ROUNDS; round++)
    expect(await optimizations.run(['worker', 'PostgreSQL', 'worker', 'server', 'worker'])).toEqual(whole);
});
