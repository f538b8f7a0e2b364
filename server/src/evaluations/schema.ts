/** Evaluations, items and attempts on the wire. */
import { z } from 'zod';
import { UserIdentity } from '../accounts/service.ts';
import { Id, Timestamp } from '../platform/fields.ts';
import { LINEAGE_KINDS } from '../platform/lineage/lineage.ts';
import { SCORER_TYPES, SkippedMember } from './creation/schema.ts';
import { ITEM_STATES } from './item-states.ts';

export const EVALUATION_STATES = ['queued', 'running', 'paused', 'completed', 'failed', 'cancelled'] as const;
export type EvaluationState = (typeof EVALUATION_STATES)[number];

/** A program that is the agent, as it is shown: the values of its variables are masked. */
const ProgramAgent = z
  .object({
    command: z.string(),
    env: z.record(z.string(), z.string()),
    setup: z.string().nullable(),
  })
  .meta({ id: 'ProgramAgent' });

export type ProgramAgentOf = z.output<typeof ProgramAgent>;

export const ERROR_KINDS = ['agent', 'verifier', 'limit', 'infra'] as const;

export const EvaluationParams = z.object({ evaluation_id: z.string() });
export const ItemParams = z.object({ evaluation_id: z.string(), item_id: z.string() });

/** The dataset of the request as responses show it: with defaults, and with its version resolved. */
const Dataset = z.object({
  name: z.string(),
  version: z.string(),
  split: z.string().nullish(),
  input: z.string(),
  expected: z.string().nullish(),
  system: z.string().nullish(),
  files: z.record(z.string(), z.string()).nullish(),
});

const Scorer = z.object({
  type: z.enum(SCORER_TYPES),
  name: z.string(),
  value: z.union([z.string(), z.number()]).nullish(),
  column: z.string().nullish(),
  ignore_case: z.boolean().optional(),
  trim: z.boolean().optional(),
  tolerance: z.number().optional(),
  recipe: z.object({ name: z.string(), params: z.record(z.string(), z.unknown()) }).optional(),
});

const Limits = z.object({
  max_turns: z.int(),
  max_output_tokens: z.int().nullish(),
  max_cost_usd: z.number().nullish(),
  task_timeout_seconds: z.int().nullish(),
});

export const passRateInterval = z
  .object({ low: z.number(), high: z.number(), level: z.number() })
  .nullable()
  .describe('Wilson interval; with repetitions, by the effective number of samples');

/** Results of a group of samples: those of a task, of a tag or of a difficulty. */
export const results = {
  total: z.int(),
  passed: z.int(),
  failed: z.int().describe('Failed or ran out of time'),
  errors: z.int().describe('Could not run'),
  pass_rate: z.number().nullable().describe('Passed of passed and failed; null before the first result'),
  pass_rate_interval: passRateInterval,
  mean_score: z.number().nullable(),
};

export const TaskResult = z
  .object({ task_name: z.string(), ...results })
  .meta({ id: 'EvaluationTaskResult' });

export type TaskResultOf = z.output<typeof TaskResult>;

export const EvaluationResponse = z
  .object({
    id: Id,
    name: z.string(),
    model: z.string(),
    status: z.enum(EVALUATION_STATES),
    task_names: z.array(z.string()).nullable(),
    task_set: z.string().nullable(),
    dataset: Dataset.nullable(),
    scorers: z.array(Scorer),
    agent: z.union([z.string(), ProgramAgent]).nullable(),
    capability: z.object({ name: z.string(), version: z.string() }).nullable(),
    repetitions: z.int(),
    concurrency: z.int(),
    limits: Limits,
    budget_usd: z.number().nullable(),
    max_retries: z.int(),
    runtime_id: Id.nullable(),
    project_id: Id.nullable(),
    secret_ids: z.array(Id),
    seed: z.int().nullable(),
    tags: z.array(z.string()),
    item_counts: z.record(z.enum(ITEM_STATES), z.int()),
    total_samples: z.int(),
    passed_count: z.int(),
    failed_count: z.int().describe('Samples that failed or ran out of time'),
    error_count: z.int().describe('Samples that could not run'),
    pass_rate: z.number().nullable().describe('Passed of passed and failed; null before the first result'),
    mean_score: z.number().nullable(),
    skipped_members: z.array(SkippedMember).describe('Members of the task set that did not resolve'),
    stop_reason: z.string().nullable(),
    pause_reason: z.string().nullable(),
    error: z.string().nullable(),
    cost_usd: z.number().describe('Of all attempts'),
    requested_concurrency: z.int(),
    effective_concurrency: z
      .int()
      .describe(
        'Samples that run at once: fewer than requested where the organization may have fewer sandboxes',
      ),
    analytics_snapshot: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('The analytics as of its end; null in lists'),
    task_breakdown: z.array(TaskResult).nullable().describe('By task; null in lists'),
    created_by_user: UserIdentity.nullable(),
    created_at: Timestamp,
    started_at: Timestamp.nullable(),
    completed_at: Timestamp.nullable(),
  })
  .meta({ id: 'EvaluationResponse' });

export type EvaluationOf = z.output<typeof EvaluationResponse>;

const Score = z.object({
  value: z.number().nullable(),
  passed: z.boolean().nullable(),
  explanation: z.string().nullable(),
  error: z.string().nullable(),
});

export type ScoreOf = z.output<typeof Score>;

const Usage = z.object({
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_read_input_tokens: z.int(),
  cache_creation_input_tokens: z.int(),
  cost_usd: z.number(),
});

const Verification = z.object({
  exit_code: z.int().nullable(),
  stdout: z.string(),
  stderr: z.string(),
  duration_ms: z.int(),
});

export type VerificationOf = z.output<typeof Verification>;

const Resources = z.record(z.string(), z.number());

const ChangedFile = z.object({ path: z.string(), size_bytes: z.int() });

export type ChangedFileOf = z.output<typeof ChangedFile>;

/** The outcome of an attempt so far: items show that of their last attempt. */
const outcome = {
  passed: z.boolean().nullable(),
  score: z.number().nullable(),
  scores: z.record(z.string(), Score),
  metrics: z.record(z.string(), z.unknown()).nullable().describe('Figures that the verification reported'),
  stop_reason: z.string().nullable(),
  error: z.string().nullable(),
  error_kind: z.enum(ERROR_KINDS).nullable(),
  session_id: Id.nullable(),
  agent_sandbox_id: Id.nullable(),
  env_sandbox_id: Id.nullable().describe('The sandbox of the verification'),
  requested_resources: Resources.nullable(),
  enforced_resources: Resources.nullable(),
  usage: Usage,
  turn_count: z.int(),
  answer: z.string().nullable().describe('At most 4 KiB of it'),
  verification: Verification.nullable(),
  changed_files: z
    .array(ChangedFile)
    .nullable()
    .describe('Files in /workspace that were written while the agent ran, at most 200'),
  duration_ms: z.int().nullable(),
  started_at: Timestamp.nullable(),
  agent_finished_at: Timestamp.nullable(),
  completed_at: Timestamp.nullable(),
};

const ContaminationSource = z
  .object({
    kind: z.enum(LINEAGE_KINDS),
    id: Id,
    name: z.string().nullable(),
    version: z.string().nullable(),
  })
  .meta({ id: 'ContaminationSource' });

export type ContaminationSourceOf = z.output<typeof ContaminationSource>;

export const EvaluationItem = z
  .object({
    id: Id,
    evaluation_id: Id,
    position: z.int(),
    task_name: z.string().nullable(),
    task_version: z.string().nullable(),
    row_index: z.int().nullable(),
    sample: z.int().describe('Which repetition, from 1'),
    item_status: z.enum(ITEM_STATES),
    retry_count: z.int(),
    max_retries: z.int(),
    contaminated: z
      .boolean()
      .describe('Whether the task or row was used to train or optimize the model or capability under test'),
    contaminated_by: ContaminationSource.nullable().describe('The nearest job or dataset that used it'),
    queued_at: Timestamp,
    ...outcome,
  })
  .meta({ id: 'EvaluationItem' });

export type EvaluationItemOf = z.output<typeof EvaluationItem>;

export const EvaluationItemAttempt = z
  .object({
    id: Id,
    number: z.int().describe('From 1'),
    status: z.enum(ITEM_STATES),
    is_counted: z.boolean().describe('Only the last attempt counts'),
    ...outcome,
  })
  .meta({ id: 'EvaluationItemAttempt' });

export type AttemptOf = z.output<typeof EvaluationItemAttempt>;
