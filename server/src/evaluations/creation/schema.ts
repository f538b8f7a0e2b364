/** The request that creates an evaluation. */
import { z } from 'zod';
import { Name, Uuid } from '../../platform/fields.ts';
import { listOf } from '../../platform/http/requests/lists.ts';
import { findRecipeProblem, REWARD_RECIPES } from '../../platform/rewards/rewards.ts';
import { SemVer } from '../../registry/service.ts';
import { Environment } from '../../runtimes/service.ts';

const MAX_TASKS = 10_000;
const MAX_SCORERS = 10;
const MAX_SECRETS = 100;
const MAX_TAGS = 50;
const DAY_SECONDS = 86_400;
const MAX_TOKENS = 1_000_000_000;
const MAX_USD = 1_000_000;
const MAX_PARAMS_CHARACTERS = 10_000;

const Text = z.string().min(1).max(255);
const Template = z.string().min(1).max(100_000);

/** Path of a file: absolute, or relative to /workspace. */
const FilePath = z
  .string()
  .min(1)
  .max(1_024)
  .refine(
    (path) =>
      path.split('/').every((part, index) => !['', '.', '..'].includes(part) || (part === '' && index === 0)),
    {
      message: 'must be the path of a file, without empty parts, "." and ".."',
    },
  );

const EvaluationDataset = z
  .object({
    name: Text.describe('`name`, or `org/name` of a public dataset'),
    version: Text,
    split: Text.nullish(),
    input: Template.describe('A column, or a text with `{{column}}` in it'),
    expected: Template.nullish().describe('A column, or a text with `{{column}}` in it'),
    system: Template.nullish().describe('A column, or a text with `{{column}}` in it'),
    files: z
      .record(FilePath, Template)
      .nullish()
      .describe('Path in the sandbox to a column or template; for agents'),
  })
  .meta({ id: 'EvaluationDataset' });

export type DatasetRequest = z.output<typeof EvaluationDataset>;

/** The expected value of a scorer: `value`, else `column` of the row, else `dataset.expected`. */
const compared = {
  name: Text.nullish().describe('Key of the score; the type by default'),
  value: z.union([z.string().max(100_000), z.number()]).nullish(),
  column: Text.nullish(),
};

export const SCORER_TYPES = ['exact', 'contains', 'numeric', 'reward'] as const;

export const RewardRecipe = z
  .object({
    name: z.enum(REWARD_RECIPES),
    params: z.record(z.string(), z.unknown()).default({}),
  })
  .superRefine((recipe, context) => {
    const message =
      JSON.stringify(recipe.params).length > MAX_PARAMS_CHARACTERS
        ? `must not be longer than ${MAX_PARAMS_CHARACTERS} characters`
        : findRecipeProblem(recipe);
    if (message !== undefined)
      context.addIssue({ code: 'custom', path: ['params'], message, input: recipe.params });
  })
  .meta({ id: 'RewardRecipe' });

const Scorer = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('exact'),
      ...compared,
      ignore_case: z.boolean().default(false),
      trim: z.boolean().default(true),
    }),
    z.object({ type: z.literal('contains'), ...compared, ignore_case: z.boolean().default(false) }),
    z.object({
      type: z.literal('numeric'),
      ...compared,
      tolerance: z.number().min(0).default(0).describe('Largest difference that is accepted'),
    }),
    z.object({
      type: z.literal('reward'),
      name: compared.name,
      recipe: RewardRecipe.default({ name: 'row_reward_v1', params: {} }).describe(
        'Reads `expected_output` and `reward` of the row',
      ),
    }),
  ])
  .meta({ id: 'Scorer' });

export type ScorerRequest = z.output<typeof Scorer>;

/** A scorer that compares the answer with a value. */
export type ComparingScorer = Exclude<ScorerRequest, { type: 'reward' }>;

export const isComparing = (scorer: ScorerRequest): scorer is ComparingScorer => scorer.type !== 'reward';

/** A scorer whose name, the key of its score, is unique in the evaluation. */
export type NamedScorer = ScorerRequest & { readonly name: string };

const AgentCommand = z
  .object({
    command: z.string().min(1).max(10_000).describe('A line of bash, run in /workspace'),
    env: Environment.nullish().describe(
      'In addition to the variables of the platform; the values are never shown',
    ),
    setup: z
      .string()
      .max(100_000)
      .nullish()
      .describe('Bash script that installs the program, before the time limit of the agent starts'),
  })
  .meta({ id: 'AgentCommand' });

const EvaluationCapability = z
  .object({
    name: Text,
    version: SemVer.nullish().describe('The newest release by default; pinned at creation'),
  })
  .meta({ id: 'EvaluationCapability' });

export const EvaluationLimits = z
  .object({
    max_turns: z.int().min(1).max(10_000).default(50),
    max_output_tokens: z.int().min(1).max(MAX_TOKENS).nullish(),
    max_cost_usd: z.number().positive().max(MAX_USD).nullish(),
    task_timeout_seconds: z.int().min(1).max(DAY_SECONDS).nullish(),
  })
  .meta({ id: 'EvaluationLimits' });

export const Concurrency = z.int().min(1).max(100);
export const Budget = z.number().min(0).max(MAX_USD);
export const Tags = listOf(Text, MAX_TAGS);

export const EvaluationCreateRequest = z
  .object({
    name: Name,
    model: Text.describe('A model of the gateway, such as `sim/tool-user`'),
    task_names: listOf(z.string().min(1).max(300), MAX_TASKS, 1).nullish(),
    task_set: Text.nullish(),
    dataset: EvaluationDataset.nullish(),
    scorers: listOf(Scorer, MAX_SCORERS).nullish(),
    agent: z
      .union([Text, AgentCommand])
      .nullish()
      .describe(
        'An agent of the capability, or a program that is the agent; by default `basic` for tasks, and a single model call for datasets',
      ),
    capability: EvaluationCapability.nullish(),
    repetitions: z.int().min(1).max(16).default(1).describe('Samples of each task or row'),
    concurrency: Concurrency.default(4),
    limits: EvaluationLimits.nullish().describe('Of each sample'),
    task_timeout_sec: z
      .int()
      .min(1)
      .max(DAY_SECONDS)
      .nullish()
      .describe('The same as limits.task_timeout_seconds'),
    budget_usd: Budget.nullish().describe(
      'Budget of the whole evaluation; it pauses when the budget is reached',
    ),
    max_retries: z.int().min(0).max(5).default(2).describe('Attempts after an infrastructure error'),
    runtime_id: Uuid.nullish().describe(
      'A runtime of yours whose configuration is the template of every sandbox',
    ),
    project_id: Uuid.nullish(),
    secret_ids: listOf(Uuid, MAX_SECRETS).nullish(),
    seed: z.int().min(0).max(2_147_483_647).nullish(),
    tags: Tags.nullish(),
  })
  .superRefine((request, context) => {
    const sources = (['task_names', 'task_set', 'dataset'] as const).filter(
      (field) => request[field] !== undefined && request[field] !== null,
    );
    if (sources.length !== 1) {
      const path = [sources[1] ?? 'task_names'];
      const message = 'exactly one of task_names, task_set and dataset must be given';
      context.addIssue({ code: 'custom', path, message, input: sources });
    }
    if (sources[0] === 'dataset' && (request.scorers ?? []).length === 0) {
      const message = 'must hold at least one scorer: a dataset has no verification of its own';
      context.addIssue({ code: 'custom', path: ['scorers'], message, input: request.scorers ?? [] });
    }
    if (sources[0] === 'dataset' && !request.agent && request.capability) {
      const message =
        'is for agents, and a dataset without an agent is a single model call; give agent, such as "basic"';
      context.addIssue({ code: 'custom', path: ['capability'], message, input: request.capability });
    }
  })
  .meta({ id: 'EvaluationCreateRequest' });

export type EvaluationRequest = z.output<typeof EvaluationCreateRequest>;

/** A member of the task set that did not resolve, and is not evaluated. */
export const SkippedMember = z.object({
  task_name: z.string(),
  task_version: z.string().nullable(),
  reason: z.string(),
});

export type SkippedMemberOf = z.output<typeof SkippedMember>;

export const EvaluationEstimateResponse = z
  .object({
    total_samples: z.int(),
    sandboxes: z.int().describe('Sandboxes that are started if nothing is tried again'),
    input_tokens: z
      .int()
      .describe('An assumption: what the instructions have, over the turns that agents take'),
    output_tokens: z.int(),
    cost_usd: z.number().describe('Of these tokens, by the price list'),
    max_cost_usd: z.number().nullable().describe('What limits and budget allow; null without either'),
    skipped_members: z.array(SkippedMember),
  })
  .meta({ id: 'EvaluationEstimateResponse' });
