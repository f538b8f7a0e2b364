/** The state of a run between its iterations, and the functions that evaluate and add candidates. */
import { PythonRandom } from '../random/python-random.ts';
import { EpochShuffled } from './batch-sampler.ts';
import { EvaluationCache } from './cache-evaluation.ts';
import { Frontiers } from './frontier-type.ts';
import { objectiveMeans, Pool, type ScoredExample } from './pool.ts';
import {
  type CandidateAccepted,
  type EvaluationRequest,
  type EvaluationResult,
  type Event,
  ObjectivesMissing,
  type OptimizeOptions,
  type ReflectionRequest,
  type Split,
} from './ports.ts';
import { DEFAULT_TEMPLATE } from './reflection-prompt-template.ts';

export type Settings = ReturnType<typeof withDefaults>;

export interface Run {
  readonly settings: Settings;
  readonly random: PythonRandom;
  readonly pool: Pool;
  readonly frontiers: Frontiers;
  readonly sampler: EpochShuffled;
  readonly cache: EvaluationCache | undefined;
  readonly merges: MergeState;
  /** The current iteration, -1 before the first. */
  iteration: number;
  metricCalls: number;
  iterationsWithoutImprovement: number;
  failedReflectionsInARow: number;
  /** The error that ends the run after this iteration. */
  failure: string | undefined;
}

/** Pending and tried merges. */
export interface MergeState {
  due: number;
  accepted: number;
  /** Whether the last iteration accepted a reflection: only then may the next iteration be a merge. */
  isTurn: boolean;
  /** Pairs of candidates with their ancestor, for all merges that were tried. */
  readonly triples: Set<string>;
  /** Pairs of candidates with the source of each component, for all merges that were tried. */
  readonly compositions: Set<string>;
}

function withDefaults(options: OptimizeOptions) {
  return {
    ...options,
    // Copied explicitly, because a spread omits the methods of a class.
    evaluate: (request: EvaluationRequest) => options.evaluate(request),
    reflect: (request: ReflectionRequest) => options.reflect(request),
    stop: () => options.stop?.(),
    seed: options.seed ?? 0,
    candidate_selection_strategy: options.candidate_selection_strategy ?? 'pareto',
    module_selector: options.module_selector ?? 'round_robin',
    frontier_type: options.frontier_type ?? 'instance',
    skip_perfect_score: options.skip_perfect_score ?? true,
    perfect_score: options.perfect_score ?? 1,
    reflection_minibatch_size: options.reflection_minibatch_size ?? 3,
    max_merge_invocations: options.max_merge_invocations ?? 0,
    merge_val_overlap_floor: options.merge_val_overlap_floor ?? 5,
    concurrency: options.concurrency ?? 1,
    max_reflection_examples: options.max_reflection_examples,
    max_side_info_chars: options.max_side_info_chars,
    reflection_prompt_template: options.reflection_prompt_template ?? DEFAULT_TEMPLATE,
    validation: validationOf(options),
  };
}

/** If there is no validation set, both sets are the training set, and validations find the scores of minibatches in the cache. */
function validationOf({ train_size, val_size }: OptimizeOptions): { split: Split; size: number } {
  return val_size === undefined
    ? { split: 'train', size: train_size }
    : { split: 'validation', size: val_size };
}

export function startRun(options: OptimizeOptions): Run {
  const settings = withDefaults(options);
  const random = new PythonRandom(settings.seed);
  return {
    settings,
    random,
    pool: new Pool(),
    frontiers: new Frontiers(settings.frontier_type),
    sampler: new EpochShuffled(settings.train_size, settings.reflection_minibatch_size, random),
    cache: settings.cache_evaluation ? new EvaluationCache() : undefined,
    merges: { due: 0, accepted: 0, isTurn: false, triples: new Set(), compositions: new Set() },
    iteration: -1,
    metricCalls: 0,
    iterationsWithoutImprovement: 0,
    failedReflectionsInARow: 0,
    failure: undefined,
  };
}

/** Evaluates without reading the cache. The caller writes the cache when it has all results of the iteration. */
export async function evaluate(run: Run, request: EvaluationRequest): Promise<EvaluationResult> {
  const result = await run.settings.evaluate(request);
  const { scores, objectives, records } = result;
  const fits = (list: readonly unknown[] = []) => list.length === 0 || list.length === request.ids.length;
  const isSound =
    scores.length === request.ids.length &&
    scores.every(Number.isFinite) &&
    fits(objectives) &&
    fits(records);
  if (!isSound)
    throw new Error(
      `The evaluation "${request.purpose}" of iteration ${request.iteration} returned ${scores.length} scores for ` +
        `${request.ids.length} ids. Return one finite score per id, and objectives and records for all ids or for none.`,
    );
  return result;
}

export function toScored(ids: readonly number[], { scores, objectives }: EvaluationResult): ScoredExample[] {
  return ids.map((id, at) => ({ id, score: scores[at] as number, objectives: objectives?.[at] }));
}

/** @returns the scores from the cache, then the new ones: the order in which they are added up */
export async function evaluateMissing(
  run: Run,
  request: EvaluationRequest,
): Promise<{ examples: ScoredExample[]; metricCalls: number }> {
  const { candidate, split } = request;
  const { known, unknown } = run.cache?.read(candidate, split, request.ids) ?? {
    known: [],
    unknown: request.ids,
  };
  if (unknown.length === 0) return { examples: known, metricCalls: 0 };
  const fresh = toScored(unknown, await evaluate(run, { ...request, ids: unknown }));
  run.cache?.write(candidate, split, fresh);
  return { examples: [...known, ...fresh], metricCalls: unknown.length };
}

/** A candidate to be kept, before its full validation. */
export type Found = Omit<CandidateAccepted, 'type' | 'iteration' | 'index' | 'metric_calls_at_discovery'>;

/** Evaluates new candidates on the validation set concurrently, then adds them to the pool in order. */
export async function* keep(run: Run, found: readonly Found[]): AsyncGenerator<Event> {
  const { split, size } = run.settings.validation;
  const ids = Array.from({ length: size }, (_, id) => id);
  const { iteration } = run;
  const evaluated = await settled(
    found.map(({ proposal, candidate }) =>
      evaluateMissing(run, { iteration, proposal, purpose: 'validation', candidate, split, ids }),
    ),
  );
  for (const [at, { examples, metricCalls }] of evaluated.entries())
    yield* add(run, found[at] as Found, examples, metricCalls);
}

function* add(
  run: Run,
  found: Found,
  examples: readonly ScoredExample[],
  metricCalls: number,
): Generator<Event> {
  const { pool, frontiers, iteration } = run;
  const objectives = objectiveMeans(examples);
  if (frontiers.needsObjectives && Object.keys(objectives).length === 0)
    throw new ObjectivesMissing(
      `frontier_type "${run.settings.frontier_type}" needs objective scores, and the validation returned none. ` +
        'Let the verification write metrics to its reward file, or use frontier_type "instance".',
    );
  const parents = found.parents.filter((parent) => parent !== null);
  const index = pool.add(found.candidate, parents, examples);
  frontiers.add(index, examples, objectives);
  const discovery = { index, metric_calls_at_discovery: run.metricCalls };
  yield { type: 'candidate_accepted', iteration, ...found, ...discovery };
  const { scores, mean } = pool.at(index);
  const is_best = pool.best === index;
  yield { type: 'valset_evaluated', iteration, index, scores: [...scores], mean, objectives, is_best };
  yield count(run, metricCalls);
  const front = frontiers.candidates();
  yield { type: 'pareto_front_updated', frontier_size: front.length, front };
}

export function count(run: Run, metricCalls: number): Event {
  run.metricCalls += metricCalls;
  return { type: 'budget_updated', metric_calls: run.metricCalls };
}

/** Waits for all promises, so that paid calls finish and no rejection is unhandled, then throws the first error. */
export async function settled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
