/**
 * A synthetic task that depends only on texts: scores and reflections are hashes. generate.py runs the reference engine on the same task.
 */
import { createHash } from 'node:crypto';
import { optimize } from '../../src/platform/optimizer/optimize.ts';
import type {
  Candidate,
  CandidateSelectionStrategy,
  EvaluationRequest,
  EvaluationResult,
  Event,
  FrontierType,
  ModuleSelector,
  OptimizeOptions,
  ReflectionRequest,
} from '../../src/platform/optimizer/ports.ts';

export interface TaskConfig {
  readonly seed: number;
  readonly frontier_type: FrontierType;
  readonly candidate_selection_strategy: CandidateSelectionStrategy;
  readonly module_selector: ModuleSelector;
  readonly use_merge: boolean;
  readonly cache_evaluation: boolean;
  readonly reflection_minibatch_size: number;
  readonly components: number;
  readonly train: number;
  /** Null: the training set is the validation set. */
  readonly val: number | null;
  readonly max_metric_calls: number;
  readonly objectives: boolean;
  readonly max_merge_invocations?: number;
  readonly merge_val_overlap_floor?: number;
  readonly skip_perfect_score?: boolean;
  readonly perfect_score?: number;
  readonly concurrency?: number;
  readonly max_trials?: number | null;
  readonly max_trials_without_improvement?: number | null;
  /** Scores are 0 or 1. */
  readonly coarse?: boolean;
  /** Minibatches whose sum of ids is a multiple of it have no traces. */
  readonly no_traces_every?: number | null;
  readonly nested_records?: boolean;
  /** Whether answers have fences other than a plain pair. */
  readonly answer_styles?: boolean;
  /** Null: the default template of the reference. */
  readonly template?: string | null;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hash = (...parts: string[]) => Number.parseInt(sha256(JSON.stringify(parts)).slice(0, 8), 16);

function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

const printFloat = (value: number) => (Number.isInteger(value) ? `${value}.0` : String(value));

function scoreRow(config: TaskConfig, candidate: Candidate, name: string) {
  const parts = Object.keys(candidate)
    .toSorted()
    .map((component) => hash(component, candidate[component] ?? '', name) % 11);
  const rounded = roundHalfEven(parts.reduce((total, part) => total + part, 0) / parts.length) / 10;
  const objectives = Object.fromEntries(parts.map((part, at) => [`o${at}`, part / 10]));
  return { score: config.coarse ? Number(rounded >= 0.5) : rounded, objectives };
}

const nestedTrace = (name: string) => ({
  steps: [` call ${name} `, { tool: 'a', deep: { deeper: { deepest: ['x'] } } }],
  none: [],
  no: {},
});

function evaluateTask(config: TaskConfig, request: EvaluationRequest): EvaluationResult {
  const names = request.ids.map((id) => `${request.split === 'train' ? 'tr' : 'va'}${id}`);
  const rows = names.map((name) => scoreRow(config, request.candidate, name));
  const every = config.no_traces_every;
  const isTraced = !every || request.ids.reduce((total, id) => total + id, 0) % every !== 0;
  const records = names.map((name, at) => {
    const record = { Inputs: name, Feedback: `score ${printFloat(rows[at]?.score ?? Number.NaN)}` };
    return config.nested_records ? Object.assign(record, { Trace: nestedTrace(name) }) : record;
  });
  return {
    scores: rows.map(({ score }) => score),
    ...(config.objectives && { objectives: rows.map(({ objectives }) => objectives) }),
    records: isTraced ? records : [],
  };
}

function reflectOnTask(config: TaskConfig, prompt: string): string {
  const digest = sha256(prompt);
  const text = `t${digest.slice(0, 10)}`;
  const plain = `\`\`\`\n${text}\n\`\`\``;
  if (!config.answer_styles) return plain;
  const styles = [
    plain,
    `Here it is:\n\`\`\`text\n${text}\n\`\`\`\nDone.`,
    `  ${text}  \n`,
    `\`\`\`md\n${text}`,
    `${text}\n\`\`\``,
    `\`\`\`\n${text}\n\`\`\`\nor\n\`\`\`\nother\n\`\`\``,
  ];
  return styles[Number.parseInt(digest.slice(-2), 16) % styles.length] as string;
}

export function taskOptions(config: TaskConfig, template: string): OptimizeOptions {
  const seed_candidate = Object.fromEntries(
    Array.from({ length: config.components }, (_, at) => [`c${at}`, `seed${at}`]),
  );
  return {
    seed: config.seed,
    frontier_type: config.frontier_type,
    candidate_selection_strategy: config.candidate_selection_strategy,
    module_selector: config.module_selector,
    cache_evaluation: config.cache_evaluation,
    reflection_minibatch_size: config.reflection_minibatch_size,
    max_metric_calls: config.max_metric_calls,
    max_merge_invocations: config.use_merge ? (config.max_merge_invocations ?? 5) : 0,
    merge_val_overlap_floor: config.merge_val_overlap_floor,
    skip_perfect_score: config.skip_perfect_score,
    perfect_score: config.perfect_score,
    concurrency: config.concurrency,
    max_trials: config.max_trials ?? undefined,
    max_trials_without_improvement: config.max_trials_without_improvement ?? undefined,
    reflection_prompt_template: config.template ?? template,
    seed_candidate,
    train_size: config.train,
    val_size: config.val ?? undefined,
    evaluate: (request) => Promise.resolve(evaluateTask(config, request)),
    reflect: ({ prompt }) => Promise.resolve(reflectOnTask(config, prompt)),
  };
}

export interface Recorded {
  readonly events: readonly Event[];
  readonly evaluations: readonly EvaluationRequest[];
  readonly reflections: readonly ReflectionRequest[];
}

/**
 * Runs the options and records the requests.
 * @param stop receives the events so far
 */
export async function record(
  options: OptimizeOptions,
  stop?: (events: readonly Event[]) => string | undefined,
): Promise<Recorded> {
  const recorded = {
    events: [] as Event[],
    evaluations: [] as EvaluationRequest[],
    reflections: [] as ReflectionRequest[],
  };
  const run = optimize({
    ...options,
    evaluate: (request) => (recorded.evaluations.push(request), options.evaluate(request)),
    reflect: (request) => (recorded.reflections.push(request), options.reflect(request)),
    ...(stop && { stop: () => stop(recorded.events) }),
  });
  for await (const event of run) recorded.events.push(event);
  return recorded;
}

export const ofType = <T extends Event['type']>(events: readonly Event[], type: T) =>
  events.filter((event): event is Extract<Event, { type: T }> => event.type === type);
