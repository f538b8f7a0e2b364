/** The request that creates an optimization job. */
import { z } from 'zod';
import { RewardRecipe } from '../../evaluations/service.ts';
import { Name } from '../../platform/fields.ts';
import { listOf } from '../../platform/http/requests/lists.ts';
import { SemVer } from '../../registry/service.ts';
import {
  OptimizationJobConfigRequest,
  TaskReference,
  TaskReferences,
  TimeoutSeconds,
} from '../config-schema.ts';
import { Component, OptimizationDatasetRef, TARGET_KINDS } from '../schema.ts';

const Text = z.string().min(1).max(255);

export const OptimizationJobCreateRequest = z
  .object({
    name: Name.nullish(),
    backend: z
      .enum(['optimizer_a', 'gepa'])
      .default('optimizer_a')
      .describe('`gepa` is an alias of `optimizer_a`'),
    target_kind: z.enum(TARGET_KINDS),
    model: Text.describe('A model of the gateway, such as `sim/instructed`'),
    capability_ref: z.object({ name: Text, version: SemVer }),
    agent_name: Text.nullish().describe('May be left out where the capability has one agent'),
    components: listOf(Component, 5, 1)
      .nullish()
      .describe(
        '`instructions` for capability_agent; for capability_env by default all that the capability has',
      ),
    dataset_ref: OptimizationDatasetRef.nullish(),
    val_dataset_ref: OptimizationDatasetRef.nullish(),
    task_ref: TaskReference.nullish(),
    task_refs: TaskReferences.nullish(),
    val_task_refs: TaskReferences.nullish(),
    task_set: Text.nullish().describe(
      '`name` or `org/name`: the tasks of a set, with an objective for each group: `safety` for regression tasks of the red team, `skill` for all others',
    ),
    reward_recipe: RewardRecipe,
    objective: z
      .string()
      .max(10_000)
      .nullish()
      .describe('What to improve, in words; the reflection reads it'),
    holdout_fraction: z.number().min(0).max(0.5).nullish(),
    timeout_sec: TimeoutSeconds.nullish(),
    config: OptimizationJobConfigRequest.nullish(),
    project: Text.nullish().describe('Key or id'),
    run_ref: Text.nullish(),
    tags: listOf(Text, 50).nullish(),
  })
  .superRefine((request, context) => {
    for (const { path, message } of findContradictions(request))
      context.addIssue({ code: 'custom', path, message, input: request });
  })
  .meta({ id: 'OptimizationJobCreateRequest' });

export type CreateRequest = z.output<typeof OptimizationJobCreateRequest>;

interface Contradiction {
  readonly path: string[];
  readonly message: string;
}

type Given = Pick<
  CreateRequest,
  | 'target_kind'
  | 'components'
  | 'dataset_ref'
  | 'val_dataset_ref'
  | 'task_ref'
  | 'task_refs'
  | 'val_task_refs'
  | 'task_set'
  | 'config'
>;

/** Fields that may stand at the top or in `config`; the top wins. */
export const tasksOf = ({ task_ref, task_refs, val_task_refs, config }: Given) => ({
  taskRef: task_ref ?? config?.task_ref ?? null,
  taskRefs: task_refs ?? config?.task_refs ?? null,
  valTaskRefs: val_task_refs ?? config?.val_task_refs ?? null,
});

function findContradictions(request: Given): Contradiction[] {
  const { target_kind, dataset_ref, val_dataset_ref, task_set, config } = request;
  const { taskRef, taskRefs, valTaskRefs } = tasksOf(request);
  const found: Contradiction[] = [];
  const refuse = (field: string, message: string) => found.push({ path: [field], message });
  // capability_agent is a single call for each row; capability_env is an agent in a sandbox.
  const isSingleCall = target_kind === 'capability_agent';
  const allowed = isSingleCall
    ? ['instructions']
    : ['agent_prompt', 'capability_prompt', 'skill_descriptions', 'skill_bodies'];
  const wrong = (request.components ?? []).filter((name) => !allowed.includes(name));
  if (wrong.length > 0)
    refuse(
      'components',
      `${target_kind} has ${allowed.map((name) => `"${name}"`).join(', ')}, and not "${wrong[0]}"`,
    );
  if (isSingleCall) {
    if (!dataset_ref)
      refuse('dataset_ref', 'is needed for capability_agent: its rows are what candidates are scored on');
    if (task_set) refuse('task_set', 'is for capability_env; capability_agent takes dataset_ref');
    if (taskRef !== null || taskRefs !== null)
      refuse('task_refs', 'are for capability_env; capability_agent takes dataset_ref');
    if (valTaskRefs !== null)
      refuse('val_task_refs', 'are for capability_env; capability_agent takes val_dataset_ref');
  } else if ([dataset_ref, taskRef, taskRefs, task_set].filter((one) => (one ?? null) !== null).length !== 1)
    refuse('task_refs', 'exactly one of task_refs, task_ref, task_set and dataset_ref must be given');
  if (valTaskRefs !== null && val_dataset_ref)
    refuse('val_dataset_ref', 'val_task_refs are given as well; give one of them');
  else if (valTaskRefs !== null && dataset_ref)
    refuse('val_task_refs', 'the training set is a dataset; give val_dataset_ref');
  else if (val_dataset_ref && !dataset_ref)
    refuse('val_dataset_ref', 'the training set is tasks; give val_task_refs');
  const frontier = config?.frontier_type ?? 'instance';
  if (frontier !== 'instance' && (isSingleCall || dataset_ref))
    found.push({
      path: ['config', 'frontier_type'],
      message: `"${frontier}" needs objective scores, which only verifications of tasks give; use "instance"`,
    });
  return found;
}

export const OptimizationEstimateResponse = z
  .object({
    train_size: z.int(),
    val_size: z.int().describe('0: the training set is the validation set'),
    holdout_size: z.int(),
    metric_calls_floor: z.int().describe('The seed and one iteration with an accepted candidate'),
    metric_calls_limit: z.int().nullable(),
    metric_calls: z.int().describe('An assumption: three of ten proposals are accepted'),
    holdout_calls: z.int(),
    reflection_calls: z.int(),
    input_tokens: z.int(),
    output_tokens: z.int(),
    cost_usd: z.number().describe('Of these tokens, by the price list'),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'OptimizationEstimateResponse' });
