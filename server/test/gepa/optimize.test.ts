/** Behaviour that the reference lacks or leaves open: parallel proposals, replays, failures, limits. */
import { describe, expect, test } from 'vitest';
import { optimize } from '../../src/platform/optimizer/optimize.ts';
import {
  type EvaluationRequest,
  type EvaluationResult,
  ObjectivesMissing,
  type OptimizeOptions,
  ReflectionFailed,
  type ReflectionRequest,
} from '../../src/platform/optimizer/ports.ts';
import { hasPlaceholders } from '../../src/platform/optimizer/reflection-prompt-template.ts';
import { idle, improving, numbered, options, TEMPLATE } from './scripted-task.ts';
import { ofType, record } from './synthetic-task.ts';

/** Resolves waiting requests in reverse order, after all possible requests have been made. */
function inReverse(options: OptimizeOptions): OptimizeOptions {
  const waiting: (() => void)[] = [];
  const later = <In, Out>(call: (request: In) => Promise<Out>) => {
    return (request: In) =>
      new Promise<Out>((resolve, reject) => {
        if (waiting.length === 0)
          setImmediate(() =>
            waiting
              .splice(0)
              .toReversed()
              .forEach((answer) => answer()),
          );
        waiting.push(() => void call(request).then(resolve, reject));
      });
  };
  return { ...options, evaluate: later(options.evaluate), reflect: later(options.reflect) };
}

const keyOf = ({ iteration, proposal, ...rest }: EvaluationRequest | ReflectionRequest) =>
  `${iteration} ${proposal} ${'purpose' in rest ? rest.purpose : `reflect ${rest.component}`}`;

describe('optimize with concurrency', () => {
  test('yields the same events in any order of completion', async () => {
    const inOrder = await record(options({}, { concurrency: 4 }));
    const reversed = await record(inReverse(options({}, { concurrency: 4 })));
    expect(reversed.events).toEqual(inOrder.events);
    expect(ofType(inOrder.events, 'candidate_accepted').length).toBeGreaterThan(3);
  });

  test('gives every draw the next slice of the epoch without a new shuffle', async () => {
    const { events } = await record(
      options({ train: 6, reflection_minibatch_size: 2 }, { concurrency: 4, max_trials: 1, ...idle }),
    );
    const slices = ofType(events, 'iteration_start')[0]?.proposals?.map(({ minibatch }) => minibatch) ?? [];
    expect(new Set(slices.slice(0, 3).flat())).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    expect(slices[3]).toEqual(slices[0]);
  });

  test('evaluates and counts equal parents on equal minibatches once, and advances the component for each draw', async () => {
    const { events, evaluations, reflections } = await record(
      options({ train: 3 }, { concurrency: 3, max_trials: 1, ...idle }),
    );
    const parents = evaluations.filter(({ purpose }) => purpose === 'parent');
    expect(parents.map(({ proposal, ids }) => [proposal, ids.length])).toEqual([[0, 3]]);
    expect(reflections.map(({ component }) => component)).toEqual(['c0', 'c1', 'c2']);
    expect(ofType(events, 'budget_updated').map(({ metric_calls }) => metric_calls)).toEqual([6, 9, 18]);
  });

  test('keeps all improvements, and the first of equal children', async () => {
    const answers = ['same', 'same', 'other'];
    const { events } = await record(
      options(
        { components: 1, train: 3, use_merge: false },
        {
          concurrency: 3,
          max_trials: 1,
          ...improving(),
          reflect: ({ proposal }) => Promise.resolve(answers[proposal] ?? ''),
        },
      ),
    );
    const rejected = ofType(events, 'candidate_rejected');
    expect(rejected.map(({ proposal, reason }) => [proposal, reason])).toEqual([[1, 'duplicate']]);
    const accepted = ofType(events, 'candidate_accepted').slice(1);
    expect(accepted.map(({ proposal, index, candidate }) => [proposal, index, candidate])).toEqual([
      [0, 1, { c0: 'same' }],
      [2, 2, { c0: 'other' }],
    ]);
    // 6 of the seed, 3 of the parents, 9 of the children; then 6 of the first that was kept.
    expect(accepted.map((event) => event.metric_calls_at_discovery)).toEqual([18, 24]);
  });

  test('waits for the evaluations beside one that fails, and throws its error', async () => {
    let ended = 0;
    const base = options({}, { concurrency: 3 });
    const failing = inReverse({
      ...base,
      evaluate: async (request) => {
        ended++;
        if (request.purpose === 'parent' && request.proposal > 0) throw new Error(`no ${request.proposal}`);
        return base.evaluate(request);
      },
    });
    // An unhandled rejection would fail the test run.
    await expect(record(failing)).rejects.toThrow('no 1');
    expect(ended).toBe(4);
  });
});

describe('optimize, replayed', () => {
  test.each([1, 3])(
    'yields the same events from stored results with a concurrency of %i',
    async (concurrency) => {
      const stored = new Map<string, EvaluationResult | string>();
      const base = options({}, { concurrency });
      const first = await record({
        ...base,
        evaluate: async (request) => {
          const result = await base.evaluate(request);
          expect(stored.has(keyOf(request))).toBe(false);
          // This is how another process reads it.
          stored.set(keyOf(request), JSON.parse(JSON.stringify(result)) as EvaluationResult);
          return result;
        },
        reflect: async (request) => {
          const answer = await base.reflect(request);
          expect(stored.has(keyOf(request))).toBe(false);
          stored.set(keyOf(request), answer);
          return answer;
        },
      });
      const again = await record({
        ...base,
        evaluate: (request) => Promise.resolve(stored.get(keyOf(request)) as EvaluationResult),
        reflect: (request) => Promise.resolve(stored.get(keyOf(request)) as string),
      });
      expect(again).toEqual(first);
      expect(ofType(first.events, 'iteration_start').some(({ merge }) => merge)).toBe(true);
      expect(JSON.parse(JSON.stringify(first.events))).toEqual(first.events);
    },
  );
});

describe('optimize, when reflections fail', () => {
  const failingAt = (isFailing: (call: number) => boolean) => {
    let calls = 0;
    return {
      reflect: async () => {
        if (isFailing(calls++)) throw new ReflectionFailed(`call ${calls} failed.`);
        return `text ${calls}`;
      },
    };
  };

  test('drops the proposal and continues', async () => {
    const { events, evaluations } = await record(
      options({}, { max_trials: 6, ...idle, ...failingAt((call) => call % 3 > 0) }),
    );
    expect(ofType(events, 'candidate_rejected').map(({ reason }) => reason)).toEqual([
      'not_better',
      'reflection_failed',
      'reflection_failed',
      'not_better',
      'reflection_failed',
      'reflection_failed',
    ]);
    expect(ofType(events, 'candidate_rejected')[1]).toMatchObject({
      error: 'call 2 failed.',
      components: ['c1'],
    });
    expect(evaluations.filter(({ purpose }) => purpose === 'child')).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({ stop_reason: 'max_trials' });
  });

  test('ends after three in a row, across iterations, with all results so far', async () => {
    const { events } = await record(options({}, { ...improving(), ...failingAt((call) => call > 1) }));
    expect(events.slice(-2)).toEqual([
      { type: 'optimization_error', message: expect.stringContaining('call 5 failed.') },
      {
        type: 'optimization_end',
        stop_reason: 'reflection_failed',
        best_index: expect.any(Number),
        best_score: expect.any(Number),
        metric_calls: expect.any(Number),
      },
    ]);
    expect(ofType(events, 'candidate_rejected').map(({ reason }) => reason)).toEqual(
      Array.from({ length: 3 }, () => 'reflection_failed'),
    );
    expect(ofType(events, 'candidate_accepted').length).toBeGreaterThanOrEqual(3);
  });

  test('finishes the iteration in which the third fails', async () => {
    const { events } = await record(
      options({}, { concurrency: 4, ...improving(), ...failingAt((call) => call < 3) }),
    );
    expect(ofType(events, 'candidate_accepted').map(({ proposal }) => proposal)).toEqual([0, 3]);
    expect(events.at(-1)).toMatchObject({ stop_reason: 'reflection_failed', best_index: 1 });
  });

  test('throws any other error immediately', async () => {
    const broken = options({}, { reflect: () => Promise.reject(new TypeError('broken')) });
    await expect(record(broken)).rejects.toThrow(TypeError);
  });
});

describe('optimize', () => {
  test('reports a child with the texts of its parent as unchanged', async () => {
    const echo = { reflect: ({ text }: ReflectionRequest) => Promise.resolve(text) };
    const { events } = await record(options({}, { max_trials: 1, ...echo }));
    expect(ofType(events, 'candidate_rejected')).toMatchObject([{ reason: 'unchanged', parents: [0] }]);
  });

  test('refuses a frontier of objectives without objective scores', async () => {
    await expect(record(options({ frontier_type: 'hybrid' }))).rejects.toThrow(ObjectivesMissing);
  });

  test.each([
    ['a score too few', (result: EvaluationResult) => ({ ...result, scores: result.scores.slice(1) })],
    [
      'a score that is not a number',
      (result: EvaluationResult) => ({ ...result, scores: result.scores.map(() => Number.NaN) }),
    ],
    ['objectives too few', (result: EvaluationResult) => ({ ...result, objectives: [{ o: 1 }] })],
  ])('refuses %s', async (_, change) => {
    const base = options();
    const changed = {
      ...base,
      evaluate: async (request: EvaluationRequest) => change(await base.evaluate(request)),
    };
    await expect(record(changed)).rejects.toThrow('Return one finite score per id');
  });

  test('merges through the first ancestor when all of them have a mean of zero', async () => {
    let validated = 0;
    const { events } = await record(
      options(
        {},
        {
          // Three children of the seed, then a merge.
          concurrency: 3,
          max_trials: 2,
          ...numbered(),
          // The seed has nothing but zeros; every other candidate is the only one to solve some row.
          evaluate: ({ purpose, ids }) => {
            const solved = purpose === 'validation' ? validated++ - 1 : 0;
            const scores = ids.map((id) =>
              purpose === 'validation' ? Number(solved === id) : Number(purpose !== 'parent'),
            );
            return Promise.resolve({ scores, records: ids.map((id) => ({ Inputs: id })) });
          },
        },
      ),
    );
    const [merge] = ofType(events, 'iteration_start').flatMap(({ merge }) => merge ?? []);
    expect(merge).toMatchObject({ ancestor: 0 });
    const accepted = ofType(events, 'candidate_accepted').find(({ found_by }) => found_by === 'merge');
    expect(accepted).toMatchObject({ parents: merge?.parents, child_scores: [1, 1, 1, 1, 1] });
  });

  test('evaluates only what the cache does not contain when both sets are the same', async () => {
    const { evaluations, events } = await record(
      options({ val: null, train: 6, use_merge: false }, { ...improving(), ...numbered() }),
    );
    const validations = evaluations
      .filter(({ purpose }) => purpose === 'validation')
      .map(({ ids }) => ids.length);
    expect(validations[0]).toBe(6);
    expect(new Set(validations.slice(1))).toEqual(new Set([3]));
    expect(evaluations.every(({ split }) => split === 'train')).toBe(true);
    for (const { scores } of ofType(events, 'valset_evaluated')) expect(scores).toHaveLength(6);
  });

  test('makes no more requests when its reader stops', async () => {
    let asked = 0;
    const base = options();
    const counting = { ...base, evaluate: (request: EvaluationRequest) => (asked++, base.evaluate(request)) };
    for await (const event of optimize(counting)) if (event.type === 'iteration_start') break;
    expect(asked).toBe(1);
  });

  test('has a template of its own with both placeholders', async () => {
    const { reflections } = await record(
      options({}, { max_trials: 1, reflection_prompt_template: undefined }),
    );
    expect(reflections[0]?.prompt).toContain('seed0');
    expect(reflections[0]?.prompt).toContain('# Example 3\n## Inputs\n');
    expect([
      hasPlaceholders('<curr_param>'),
      hasPlaceholders('<side_info>'),
      hasPlaceholders(TEMPLATE),
    ]).toEqual([false, false, true]);
  });
});
