/** Rounds of kills while 50 samples run, 15 of them by a program; the nightly file has twenty rounds. */
import { afterAll, beforeAll, test } from 'vitest';
import { KilledEvaluations } from './evaluation-kills.ts';

const evaluations = new KilledEvaluations();
beforeAll(() => evaluations.start());
afterAll(() => evaluations.stop());

test('every sample ends once when the worker and PostgreSQL are killed', { timeout: 600_000 }, () =>
  evaluations.round(['worker', 'PostgreSQL']),
);

test('every sample ends once when the server is killed', { timeout: 600_000 }, () =>
  evaluations.round(['server']),
);

test(
  'every sample of a program ends once when the worker and the server are killed',
  { timeout: 600_000 },
  () => evaluations.round(['worker', 'server'], { agent: 'program', items: 15 }),
);
