/** An iteration of reflections: parents are evaluated on minibatches, their texts are rewritten, and improvements are kept. */
import { contentKey } from './cache-evaluation.ts';
import { selectCandidate } from './candidate-selection-strategy.ts';
import { selectComponents } from './module-selector.ts';
import { type Member, sum } from './pool.ts';
import {
  type Candidate,
  type CandidateRejected,
  type EvaluationResult,
  type Event,
  ReflectionFailed,
  type ReflectionRecord,
  type RejectionReason,
} from './ports.ts';
import { extractText, renderPrompt } from './reflection-prompt.ts';
import { count, evaluate, type Found, keep, type Run, settled, toScored } from './run.ts';

const MAX_FAILED_REFLECTIONS = 3;

interface Draw {
  readonly proposal: number;
  readonly parent: number;
  readonly member: Member;
  readonly minibatch: readonly number[];
}

interface Prepared extends Draw {
  readonly parent_scores: readonly number[];
  readonly skipped?: 'no_traces' | 'perfect_score';
  /** The components to rewrite; omitted if the proposal is skipped. */
  readonly components?: readonly string[];
  readonly records: readonly ReflectionRecord[];
}

interface Outcome extends Prepared {
  readonly child?: { readonly candidate: Candidate; readonly result: EvaluationResult };
  readonly failed?: ReflectionFailed;
}

export async function* propose(run: Run): AsyncGenerator<Event> {
  const { iteration } = run;
  const draws = Array.from({ length: run.settings.concurrency }, (_, proposal) => draw(run, proposal));
  const proposals = draws.map(({ parent, minibatch }) => ({ parent, minibatch }));
  yield { type: 'iteration_start', iteration, proposals };

  const { results, metricCalls } = await evaluateParents(run, draws);
  yield count(run, metricCalls);
  // Prepares in the order of the draws, because draws of one parent share its pointer to the next component.
  const prepared = draws.map((drawn, at) => prepare(run, drawn, results[at] as EvaluationResult));
  const outcomes = await settled(prepared.map((outcome) => complete(run, outcome)));

  const children = outcomes.filter(({ child }) => child !== undefined);
  for (const { child, minibatch } of children)
    if (child) run.cache?.write(child.candidate, 'train', toScored(minibatch, child.result));
  if (children.length > 0) yield count(run, sum(children.map(({ minibatch }) => minibatch.length)));
  for (const { child, failed } of outcomes) countFailures(run, child !== undefined, failed);
  yield* judge(run, outcomes);
}

/** Selects the parent first, then the minibatch: both use one random generator. */
function draw(run: Run, proposal: number): Draw {
  const parent = selectCandidate(run.settings.candidate_selection_strategy, run);
  const minibatch = run.sampler.next(run.iteration, proposal);
  return { proposal, parent, member: run.pool.at(parent), minibatch };
}

/** Draws of the same texts on the same minibatch share one evaluation, which counts once. */
async function evaluateParents(run: Run, draws: readonly Draw[]) {
  const { iteration } = run;
  const evaluations = new Map<string, Promise<EvaluationResult>>();
  let metricCalls = 0;
  const shared = draws.map(({ proposal, member: { candidate }, minibatch }) => {
    const key = `${contentKey(candidate)} ${minibatch.join()}`;
    const running = evaluations.get(key);
    if (running) return running;
    const purpose = 'parent';
    const request = { iteration, proposal, purpose, candidate, split: 'train', ids: minibatch } as const;
    const started = evaluate(run, request);
    evaluations.set(key, started);
    metricCalls += minibatch.length;
    return started;
  });
  const results = await settled(shared);
  for (const [at, { member, minibatch }] of draws.entries())
    run.cache?.write(member.candidate, 'train', toScored(minibatch, results[at] as EvaluationResult));
  return { results, metricCalls };
}

function prepare(run: Run, drawn: Draw, { scores, records = [] }: EvaluationResult): Prepared {
  const { skip_perfect_score, perfect_score, module_selector } = run.settings;
  const judged = { ...drawn, parent_scores: scores, records };
  if (records.length === 0) return { ...judged, skipped: 'no_traces' };
  if (skip_perfect_score && scores.every((score) => score >= perfect_score))
    return { ...judged, skipped: 'perfect_score' };
  return { ...judged, components: selectComponents(module_selector, drawn.member) };
}

/** Reflects and evaluates the child, without waiting for the other proposals. */
async function complete(run: Run, prepared: Prepared): Promise<Outcome> {
  const { proposal, minibatch, components } = prepared;
  if (!components) return prepared;
  const candidate = await reflect(run, prepared, components).catch((error: unknown) => {
    if (error instanceof ReflectionFailed) return error;
    throw error;
  });
  if (candidate instanceof ReflectionFailed) return { ...prepared, failed: candidate };
  const { iteration } = run;
  const purpose = 'child';
  const request = { iteration, proposal, purpose, candidate, split: 'train', ids: minibatch } as const;
  return { ...prepared, child: { candidate, result: await evaluate(run, request) } };
}

/** Makes one reflection per component, all based on the texts of the parent. */
async function reflect(
  run: Run,
  { proposal, member, records }: Prepared,
  components: readonly string[],
): Promise<Candidate> {
  const { iteration, settings } = run;
  const answers = await settled(
    components.map(async (component) => {
      const text = member.candidate[component] as string;
      const prompt = renderPrompt(text, records, settings);
      return [
        component,
        extractText(await settings.reflect({ iteration, proposal, component, text, prompt })),
      ];
    }),
  );
  return { ...member.candidate, ...Object.fromEntries(answers) };
}

/** Counts consecutive failed reflections. A proposal without a reflection does not change the count. */
function countFailures(run: Run, hasChild: boolean, failed: ReflectionFailed | undefined): void {
  if (hasChild) run.failedReflectionsInARow = 0;
  if (!failed || ++run.failedReflectionsInARow < MAX_FAILED_REFLECTIONS) return;
  run.failure ??=
    `${MAX_FAILED_REFLECTIONS} reflections in a row failed, the last one with: ${failed.message} ` +
    'Check the model that reflects, then retry.';
}

/** Reports the rejected proposals in the order of their draws, then keeps the others; of equal children, the first. */
async function* judge(run: Run, outcomes: readonly Outcome[]): AsyncGenerator<Event> {
  const found = new Map<string, Found>();
  for (const outcome of outcomes) {
    const { proposal, parent, minibatch, parent_scores, components = [], child } = outcome;
    const rejection = rejectionOf(outcome);
    if (rejection !== undefined || !child) {
      yield rejected(run, outcome, rejection ?? 'reflection_failed');
      continue;
    }
    const { candidate, result } = child;
    const key = contentKey(candidate);
    if (found.has(key)) yield rejected(run, outcome, 'duplicate');
    else
      found.set(key, {
        proposal,
        parents: [parent],
        candidate,
        components,
        found_by: 'reflection',
        minibatch,
        parent_scores,
        child_scores: result.scores,
      });
  }
  if (found.size === 0) return;
  const { merges, settings } = run;
  yield* keep(run, [...found.values()]);
  merges.isTurn = true;
  if (merges.accepted < settings.max_merge_invocations) merges.due += found.size;
}

function rejectionOf({
  skipped,
  failed,
  child,
  parent_scores,
  member,
}: Outcome): RejectionReason | undefined {
  if (skipped) return skipped;
  if (failed || !child) return 'reflection_failed';
  if (sum(child.result.scores) > sum(parent_scores)) return undefined;
  return contentKey(child.candidate) === contentKey(member.candidate) ? 'unchanged' : 'not_better';
}

function rejected(run: Run, outcome: Outcome, reason: RejectionReason): CandidateRejected {
  const { proposal, parent, minibatch, parent_scores, components, child, failed } = outcome;
  return {
    type: 'candidate_rejected',
    iteration: run.iteration,
    proposal,
    parents: [parent],
    reason,
    ...(child && { candidate: child.candidate, child_scores: child.result.scores }),
    ...(components && { components }),
    minibatch,
    parent_scores,
    ...(failed && { error: failed.message }),
  };
}
