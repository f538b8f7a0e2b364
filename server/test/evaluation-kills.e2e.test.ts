/** One round of kills for the built-in agent and one for a program; the nightly file has twenty rounds of 50 samples. */
import { afterAll, beforeAll, test } from 'vitest';
import { KilledEvaluations } from './evaluation-kills.ts';

const evaluations = new KilledEvaluations();
beforeAll(() => evaluations.start());
afterAll(() => evaluations.stop());

test(
  'every sample ends once when the worker, PostgreSQL and the server are killed',
  { timeout: 600_000 },
  () => evaluations.round(['worker', 'PostgreSQL', 'server'], { items: 25 }),
);

test(
  'every sample of a program ends once when the worker and the server are killed',
  { timeout: 600_000 },
  () => evaluations.round(['worker', 'server'], { agent: 'program', items: 10 }),
);
