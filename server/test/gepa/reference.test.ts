/** Our engine makes the same decisions as the reference engine, PyPI gepa 0.1.4 under Python 3.11. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decisionsOf } from './decisions.ts';
import { ofType, record, type TaskConfig, taskOptions } from './synthetic-task.ts';

interface Trace {
  readonly config: TaskConfig;
  readonly subscores: readonly Readonly<Record<string, number>>[];
}

interface ReferenceRun {
  readonly config: TaskConfig & { readonly concurrency: number };
  readonly candidates: readonly unknown[];
  readonly log: readonly (readonly unknown[])[];
}

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
const { template } = JSON.parse(read('reference-template.json')) as { template: string };
const traces = JSON.parse(read('traces.json')) as readonly Trace[];
const [head = '', ...lines] = read('reference-runs.jsonl').trimEnd().split('\n');
const runs = lines.map((line) => JSON.parse(line) as ReferenceRun);

/** generate.py stops before a ninth candidate, since up to eight the order of Python's sets is ascending. */
const MAX_CANDIDATES = 8;

describe('optimize', () => {
  test.each(traces)(
    'makes the decisions of the recorded run with the seed $config.seed',
    async ({ config, subscores, ...expected }) => {
      const found = decisionsOf(await record(taskOptions(config, template)));
      expect(found).toMatchObject(expected);
      expect(found.subscores).toEqual(subscores.map((scores) => Object.values(scores)));
    },
  );

  test('makes the decisions of the reference in 200 random configurations', async () => {
    expect(runs).toHaveLength(200);
    expect(JSON.parse(head)).toEqual({ left_out: { zero_weights: 0, hash_seed: 0 } });
    for (const { config, ...expected } of runs) {
      const found = decisionsOf(
        await record(taskOptions(config, template), (events) =>
          ofType(events, 'candidate_accepted').length + config.concurrency > MAX_CANDIDATES
            ? 'candidates'
            : undefined,
        ),
      );
      // The reference reports its budget from the first iteration on, and no front for the seed.
      const compared = { ...found, budget: found.budget.slice(1), fronts: found.fronts.slice(1) };
      expect(compared, JSON.stringify(config)).toEqual(expected);
    }
  });
});
