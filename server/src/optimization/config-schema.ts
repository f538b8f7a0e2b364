/** The settings of an optimization job: the contract's OptimizationJobConfig, with the bounds that it leaves open. */
import { z } from 'zod';
import { listOf } from '../platform/http/requests/lists.ts';
import { hasPlaceholders } from '../platform/optimizer/reflection-prompt-template.ts';

const MAX_TASKS = 10_000;
const DAY_SECONDS = 86_400;
const MAX_CALLS = 1_000_000;

const Text = z.string().min(1).max(255);
const Count = z.int().min(1).max(MAX_CALLS);

export const TaskReference = z.string().min(1).max(300);
export const TaskReferences = listOf(TaskReference, MAX_TASKS, 1);
export const TimeoutSeconds = z.int().min(1).max(DAY_SECONDS);

const fields = {
  batch_sampler: z.enum(['epoch_shuffled']).default('epoch_shuffled'),
  candidate_selection_strategy: z
    .enum(['pareto', 'current_best', 'epsilon_greedy', 'top_k_pareto'])
    .default('pareto'),
  module_selector: z.enum(['round_robin', 'all']).default('round_robin'),
  val_evaluation_policy: z.enum(['full_eval']).default('full_eval'),
  frontier_type: z
    .enum(['instance', 'objective', 'hybrid', 'cartesian'])
    .default('instance')
    .describe('All but `instance` need metrics of a verification'),
  reflection_lm: Text.nullish().describe('The model that writes new texts; by default the model of the job'),
  reflection_prompt_template: z
    .string()
    .max(100_000)
    .refine(
      hasPlaceholders,
      'must hold <curr_param> and <side_info>, which the text and the examples replace',
    )
    .nullish(),
  reflection_minibatch_size: z.int().min(1).max(1_000).default(3),
  skip_perfect_score: z.boolean().default(true),
  perfect_score: z.number().default(1),
  cache_evaluation: z
    .boolean()
    .default(true)
    .describe('Scores of the same texts on the same example are used again for the validation'),
  capture_traces: z.boolean().default(true).describe('Show the steps of agents to the reflection'),
  include_errors: z.boolean().default(true).describe('Show errors to the reflection'),
  include_outputs: z.boolean().default(true).describe('Show answers to the reflection'),
  track_best_outputs: z.boolean().nullish().describe('Accepted and ignored: all outputs are kept'),
  display_progress_bar: z.boolean().nullish().describe('Accepted and ignored'),
  concurrency: z.int().min(1).max(16).default(1).describe('Proposals of one iteration'),
  parallel_rows: z
    .int()
    .min(1)
    .max(100)
    .default(1)
    .describe('Samples that run at once for a candidate; only for capability_env'),
  task_ref: TaskReference.nullish(),
  max_merge_invocations: z.int().min(0).max(1_000).default(0),
  merge_val_overlap_floor: z.int().min(1).max(MAX_CALLS).default(5),
  max_metric_calls: Count.nullish(),
  max_runtime_sec: Count.nullish().describe('Of running, without the time in which no worker had the job'),
  max_trials: Count.nullish().describe('Iterations, skipped ones too'),
  max_trials_without_improvement: Count.nullish(),
  max_reflection_examples: z.int().min(1).max(1_000).default(10),
  max_side_info_chars: z.int().min(256).max(1_000_000).default(4_000),
  seed: z.int().default(0),
  timeout_sec: TimeoutSeconds.nullish().describe('Of each sample'),
};

const MAPPING = '`from:to` renames a column, `name` keeps one';

/** The config in requests: all fields are optional. */
export const OptimizationJobConfigRequest = z
  .object({
    ...fields,
    dataset_input_mapping: listOf(z.string().min(1).max(300), 100).nullish().describe(MAPPING),
    task_refs: TaskReferences.nullish(),
    val_task_refs: TaskReferences.nullish(),
  })
  .meta({ id: 'OptimizationJobConfigRequest' });

export type OptimizationConfig = z.output<typeof OptimizationJobConfigRequest>;

const List = z.array(z.string()).nullish();

/** The config in responses. `listOf` of requests is a transformation, which a response cannot have. */
export const OptimizationJobConfig = z
  .object({ ...fields, dataset_input_mapping: List.describe(MAPPING), task_refs: List, val_task_refs: List })
  .meta({ id: 'OptimizationJobConfig' });
