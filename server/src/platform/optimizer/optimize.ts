/**
 * Improves the texts of a candidate by reflecting on its results: the published GEPA algorithm. It requests evaluations and reflections and
 * has no other side effects: with the same options and results it yields the same events, so another process continues a run by replaying
 * it with the stored results.
 */
import { tryMerge } from './merge.ts';
import type { Event, OptimizeOptions } from './ports.ts';
import { propose } from './propose.ts';
import { keep, type Run, startRun } from './run.ts';
import { stopReason } from './stop-conditions.ts';

export async function* optimize(options: OptimizeOptions): AsyncGenerator<Event, void, undefined> {
  const run = startRun(options);
  const { pool } = run;
  yield { type: 'optimization_start' };
  yield* keepSeed(run);
  let reason = await stopReason(run);
  while (reason === undefined) {
    run.iteration++;
    const before = pool.best;
    yield* iterate(run);
    run.iterationsWithoutImprovement = pool.best === before ? run.iterationsWithoutImprovement + 1 : 0;
    reason = await stopReason(run);
  }
  if (run.failure !== undefined) yield { type: 'optimization_error', message: run.failure };
  yield {
    type: 'optimization_end',
    stop_reason: reason,
    best_index: pool.best,
    best_score: pool.meanOf(pool.best),
    metric_calls: run.metricCalls,
  };
}

async function* keepSeed(run: Run): AsyncGenerator<Event> {
  const { seed_candidate } = run.settings;
  const seed = {
    proposal: 0,
    parents: [null],
    candidate: seed_candidate,
    components: Object.keys(seed_candidate),
    found_by: 'seed',
    minibatch: [],
    parent_scores: [],
    child_scores: [],
  } as const;
  yield* keep(run, [seed]);
}

async function* iterate(run: Run): AsyncGenerator<Event> {
  const { merges } = run;
  const isMergeDue = merges.due > 0 && merges.isTurn;
  merges.isTurn = false;
  if (isMergeDue && (yield* tryMerge(run))) return;
  yield* propose(run);
}
