/** Records a run of our engine in the format in which generate.py records a run of the reference. */
import type { Event } from '../../src/platform/optimizer/ports.ts';
import { ofType, type Recorded } from './synthetic-task.ts';

export type LogEntry = readonly unknown[];

const PURPOSES = ['parent', 'child', 'merge', 'validation'];

export function decisionsOf({ events, evaluations }: Recorded) {
  const accepted = ofType(events, 'candidate_accepted');
  const validated = ofType(events, 'valset_evaluated');
  const end = ofType(events, 'optimization_end')[0];
  return {
    candidates: accepted.map(({ candidate }) => candidate),
    parents: accepted.map(({ parents }) => parents),
    val: validated.map(({ mean }) => mean),
    subscores: validated.map(({ scores }) => scores),
    objectives: validated.map(({ objectives }) => objectives),
    best_idx: end?.best_index,
    total: end?.metric_calls,
    discovery: accepted.map((event) => event.metric_calls_at_discovery),
    adapter_calls: inOrder(evaluations).map(({ ids }) => ids.length),
    log: toLog(events),
    fronts: ofType(events, 'pareto_front_updated').map(({ front }) => front),
    bests: validated.filter(({ is_best }) => is_best).map(({ index }) => index),
    budget: ofType(events, 'budget_updated').map(({ metric_calls }) => metric_calls),
  };
}

/** The reference evaluates sequentially: in an iteration first the parents, then the children, then on all rows. */
function inOrder(evaluations: Recorded['evaluations']): Recorded['evaluations'] {
  return evaluations.toSorted(
    (a, b) =>
      a.iteration - b.iteration ||
      PURPOSES.indexOf(a.purpose) - PURPOSES.indexOf(b.purpose) ||
      a.proposal - b.proposal,
  );
}

/** The reference reports skipped proposals before rejected ones. */
function toLog(events: readonly Event[]): LogEntry[] {
  const log: LogEntry[] = [];
  let rejected: LogEntry[] = [];
  for (const event of events) {
    if (event.type === 'candidate_rejected' && event.reason !== 'merge_not_better') {
      if (event.reason === 'perfect_score' || event.reason === 'no_traces') log.push(['skip', event.reason]);
      else rejected.push(['rej']);
      continue;
    }
    if (event.type === 'iteration_start' || event.type === 'candidate_accepted') {
      log.push(...rejected);
      rejected = [];
    }
    log.push(...entriesOf(event));
  }
  return [...log, ...rejected];
}

function entriesOf(event: Event): LogEntry[] {
  if (event.type === 'iteration_start' && event.merge)
    return [
      ['merge', event.merge.parents],
      ['sub', event.merge.minibatch],
    ];
  if (event.type === 'iteration_start')
    return (event.proposals ?? []).flatMap(({ parent, minibatch }) => [
      ['sel', parent],
      ['mb', minibatch],
    ]);
  if (event.type === 'candidate_rejected') return [['merge-rej']];
  if (event.type === 'candidate_accepted' && event.found_by !== 'seed')
    return [['acc', event.index, event.parents]];
  return [];
}
