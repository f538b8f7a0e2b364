/** Rounds of kill -9 of server, worker and PostgreSQL, in every order, while 50 samples run. */
import { afterAll, beforeAll, test } from 'vitest';
import { KilledEvaluations } from './evaluation-kills.ts';
import type { Victim } from './killed-fleet.ts';

const ROUNDS = Number(process.env.DRYDOCK_TEST_ROUNDS ?? 20);
const ORDERS: readonly (readonly Victim[])[] = [
  ['worker', 'PostgreSQL', 'server'],
  ['server', 'worker'],
  ['PostgreSQL', 'PostgreSQL', 'worker'],
  ['worker', 'worker'],
  ['server', 'PostgreSQL'],
];

const evaluations = new KilledEvaluations();
beforeAll(() => evaluations.start(), 120_000);
afterAll(() => evaluations.stop());

test(`every sample ends once in ${ROUNDS} rounds, and nothing is left behind`, {
  timeout: (ROUNDS + 2) * 300_000,
}, async () => {
  for (let round = 0; round < ROUNDS; round++)
    await evaluations.round(ORDERS[round % ORDERS.length] ?? ['worker'], {
      agent: round % 2 === 0 ? 'basic' : 'program',
    });
  await evaluations.requireNothingLeft();
});
