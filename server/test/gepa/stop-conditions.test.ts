import { describe, expect, test } from 'vitest';
import type { Event } from '../../src/platform/optimizer/ports.ts';
import { idle, numbered, options, scored } from './scripted-task.ts';
import { ofType, record } from './synthetic-task.ts';

describe('optimize stops', () => {
  const iterations = (events: readonly Event[]) => ofType(events, 'iteration_start').length;

  test('for the reason of the callback, which is called between iterations', async () => {
    let asked = 0;
    const { events } = await record(options(), () => (asked++ === 2 ? 'cancelled' : undefined));
    expect(iterations(events)).toBe(2);
    expect(events.at(-1)).toMatchObject({ stop_reason: 'cancelled' });
  });

  test('for a reason that is awaited', async () => {
    const { events } = await record(options({}, { stop: () => Promise.resolve('credits') }));
    expect([iterations(events), events.at(-1)]).toEqual([
      0,
      expect.objectContaining({ stop_reason: 'credits' }),
    ]);
  });

  test('after max_trials iterations, skipped ones and merges too', async () => {
    const skipping = await record(options({}, { max_trials: 4, perfect_score: 0.5, ...idle }));
    expect(ofType(skipping.events, 'candidate_rejected').map(({ reason }) => reason)).toEqual(
      Array.from({ length: 4 }, () => 'perfect_score'),
    );
    const merging = await record(options({ max_metric_calls: 1000 }, { max_trials: 40 }));
    expect(iterations(merging.events)).toBe(40);
    expect(ofType(merging.events, 'iteration_start').some(({ merge }) => merge)).toBe(true);
    expect(merging.events.at(-1)).toMatchObject({ stop_reason: 'max_trials' });
  });

  test('after max_trials_without_improvement iterations since the best mean last rose', async () => {
    let validated = 0;
    const twice = scored(({ purpose }) => {
      if (purpose === 'validation') return Math.min(validated++, 2) / 4;
      return purpose === 'parent' ? 0 : 0.5;
    });
    const { events } = await record(
      options({ use_merge: false }, { max_trials_without_improvement: 3, ...twice, ...numbered() }),
    );
    // Candidates 1 and 2 improve; 3, 4 and 5 are kept but are not better.
    expect([iterations(events), events.at(-1)]).toEqual([
      5,
      expect.objectContaining({
        stop_reason: 'max_trials_without_improvement',
        best_index: 2,
        best_score: 0.5,
      }),
    ]);
  });

  test('after max_metric_calls are used, even by the seed alone', async () => {
    const { events } = await record(options({ max_metric_calls: 6 }));
    expect(events.map(({ type }) => type)).toEqual([
      'optimization_start',
      'candidate_accepted',
      'valset_evaluated',
      'budget_updated',
      'pareto_front_updated',
      'optimization_end',
    ]);
    expect(events.at(-1)).toMatchObject({ stop_reason: 'max_metric_calls', best_index: 0, metric_calls: 6 });
  });
});
