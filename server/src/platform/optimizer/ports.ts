/** The options, requests and events of the optimizer. Names match those of the job's config and events. */

/** Component → text. */
export type Candidate = Readonly<Record<string, string>>;
/** The fields of one evaluated example that a reflection reads, rendered in the order of its keys. */
export type ReflectionRecord = Readonly<Record<string, unknown>>;
export type Split = 'train' | 'validation';

export type CandidateSelectionStrategy = 'pareto' | 'current_best' | 'epsilon_greedy' | 'top_k_pareto';
export type ModuleSelector = 'round_robin' | 'all';
export type FrontierType = 'instance' | 'objective' | 'hybrid' | 'cartesian';

/** (iteration, proposal, purpose) is unique in a run: the key under which a result is stored for replays. */
export interface EvaluationRequest {
  /** -1 for the seed. */
  readonly iteration: number;
  /** The draw within the iteration; 0 without concurrency. */
  readonly proposal: number;
  /** `records` are read only for `parent`. */
  readonly purpose: 'parent' | 'child' | 'merge' | 'validation';
  readonly candidate: Candidate;
  /** Always `train` when there is no validation set. */
  readonly split: Split;
  /** Positions in the split. Padding of a minibatch and small merge samples may name one twice. */
  readonly ids: readonly number[];
}

export interface EvaluationResult {
  /** One finite score per id. */
  readonly scores: readonly number[];
  /**
   * One entry per id. The order of the names decides which candidate a draw selects, so it must be the same in every replay: a caller that
   * stores results as `jsonb`, which reorders names, reads them from there in the first run too.
   */
  readonly objectives?: readonly Readonly<Record<string, number>>[] | undefined;
  /** One entry per id; undefined means that there is nothing to reflect on. */
  readonly records?: readonly ReflectionRecord[] | undefined;
}

/** (iteration, proposal, component) is unique in a run: the key under which an answer, or its failure, is stored for replays. */
export interface ReflectionRequest {
  readonly iteration: number;
  readonly proposal: number;
  readonly component: string;
  /** The current text of the component. */
  readonly text: string;
  readonly prompt: string;
}

/** Thrown by `reflect` to drop the proposal; three in a row end the run. Any other error of `reflect` ends it at once. */
export class ReflectionFailed extends Error {
  override readonly name = 'ReflectionFailed';
}

/** Thrown by the run: a frontier of objectives needs objective scores, and an evaluation gave none. */
export class ObjectivesMissing extends Error {
  override readonly name = 'ObjectivesMissing';
}

export interface OptimizeConfig {
  /** Any integer; 0 by default. */
  readonly seed?: number | bigint | undefined;
  readonly candidate_selection_strategy?: CandidateSelectionStrategy | undefined;
  readonly module_selector?: ModuleSelector | undefined;
  readonly frontier_type?: FrontierType | undefined;
  readonly skip_perfect_score?: boolean | undefined;
  readonly perfect_score?: number | undefined;
  readonly reflection_minibatch_size?: number | undefined;
  /** Merges are enabled when it is greater than 0. */
  readonly max_merge_invocations?: number | undefined;
  readonly merge_val_overlap_floor?: number | undefined;
  readonly max_metric_calls?: number | undefined;
  readonly max_trials?: number | undefined;
  readonly max_trials_without_improvement?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly cache_evaluation?: boolean | undefined;
  /** All examples by default. */
  readonly max_reflection_examples?: number | undefined;
  /** Whole records by default. */
  readonly max_side_info_chars?: number | undefined;
  readonly reflection_prompt_template?: string | undefined;
}

export interface OptimizeOptions extends OptimizeConfig {
  readonly seed_candidate: Candidate;
  readonly train_size: number;
  /** When omitted, the training set is also the validation set. */
  readonly val_size?: number | undefined;
  /** An error ends the run after the concurrent evaluations have ended. */
  evaluate(request: EvaluationRequest): Promise<EvaluationResult>;
  /** @returns the raw answer of the model */
  reflect(request: ReflectionRequest): Promise<string>;
  /**
   * Called between iterations; a replay must not stop before it has caught up.
   * @returns the reason to stop
   */
  stop?(): string | undefined | Promise<string | undefined>;
}

export type RejectionReason =
  | 'not_better'
  | 'perfect_score'
  | 'no_traces'
  | 'reflection_failed'
  | 'unchanged'
  | 'duplicate'
  | 'merge_not_better';

export interface IterationStart {
  readonly type: 'iteration_start';
  readonly iteration: number;
  readonly proposals?: readonly { readonly parent: number; readonly minibatch: readonly number[] }[];
  /** Set instead of proposals. The minibatch holds positions in the validation set. */
  readonly merge?: {
    readonly parents: readonly number[];
    readonly ancestor: number;
    readonly minibatch: readonly number[];
  };
}

export interface CandidateRejected {
  readonly type: 'candidate_rejected';
  readonly iteration: number;
  readonly proposal: number;
  readonly parents: readonly number[];
  /** `unchanged`: not better, and the texts equal the parent's. */
  readonly reason: RejectionReason;
  readonly candidate?: Candidate;
  readonly components?: readonly string[];
  readonly minibatch: readonly number[];
  /** Scores of the parent; for a merge, of the parent with the larger sum. */
  readonly parent_scores?: readonly number[];
  readonly child_scores?: readonly number[];
  readonly error?: string;
}

export interface CandidateAccepted {
  readonly type: 'candidate_accepted';
  readonly iteration: number;
  readonly proposal: number;
  readonly index: number;
  /** `[null]` for the seed. */
  readonly parents: readonly (number | null)[];
  readonly candidate: Candidate;
  /** Components with a new text; for a merge, those that differ from the first parent's; for the seed, all. */
  readonly components: readonly string[];
  readonly found_by: 'seed' | 'reflection' | 'merge';
  /** Positions in the training set; for a merge, in the validation set. Empty for the seed. */
  readonly minibatch: readonly number[];
  /** Scores of the parent; for a merge, of the parent with the larger sum. */
  readonly parent_scores: readonly number[];
  readonly child_scores: readonly number[];
  readonly metric_calls_at_discovery: number;
}

export interface ValsetEvaluated {
  readonly type: 'valset_evaluated';
  readonly iteration: number;
  readonly index: number;
  /** Scores by position. */
  readonly scores: readonly number[];
  readonly mean: number;
  /** Mean of each objective; empty without objective scores. */
  readonly objectives: Readonly<Record<string, number>>;
  readonly is_best: boolean;
}

export interface OptimizationEnd {
  readonly type: 'optimization_end';
  /** `max_metric_calls`, `max_trials`, `max_trials_without_improvement`, `reflection_failed`, or what `stop` returned. */
  readonly stop_reason: string;
  readonly best_index: number;
  readonly best_score: number;
  readonly metric_calls: number;
}

/** The order of events depends only on the options and the results, never on which promise ended first. */
export type Event =
  | { readonly type: 'optimization_start' }
  | IterationStart
  | CandidateRejected
  | CandidateAccepted
  | ValsetEvaluated
  | { readonly type: 'budget_updated'; readonly metric_calls: number }
  | {
      readonly type: 'pareto_front_updated';
      readonly frontier_size: number;
      /** The candidates that are in any front, ascending. */
      readonly front: readonly number[];
    }
  | { readonly type: 'optimization_error'; readonly message: string }
  | OptimizationEnd;
