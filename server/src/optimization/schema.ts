/** Optimization jobs in the API. */
import { z } from 'zod';
import { UserIdentity } from '../accounts/service.ts';
import { COMPONENT_KINDS } from '../platform/agent/capability-components.ts';
import { Id, Timestamp } from '../platform/fields.ts';
import { REWARD_RECIPES } from '../platform/rewards/rewards.ts';
import { OptimizationJobConfig } from './config-schema.ts';

export const JOB_STATES = ['pending', 'queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export const TARGET_KINDS = ['capability_agent', 'capability_env'] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

export const JOB_PATH = '/optimization/jobs/:job_id';
export const JobParams = z.object({ job_id: z.string() });

export const Component = z.enum(COMPONENT_KINDS);

const Text = z.string().min(1).max(255);

export const OptimizationDatasetRef = z
  .object({
    name: Text.describe('`name`, or `org/name` of a public dataset'),
    version: Text,
    split: Text.nullish().describe(
      '`train`, or `validation` for the validation set, where there are several',
    ),
  })
  .meta({ id: 'OptimizationDatasetRef' });

export type DatasetRefOf = z.output<typeof OptimizationDatasetRef>;

/** References and recipes in responses. Schemas that requests use too would be in the OpenAPI document twice. */
const ShownDataset = z.object({ name: z.string(), version: z.string(), split: z.string().nullish() });
const ShownRecipe = z.object({ name: z.enum(REWARD_RECIPES), params: z.record(z.string(), z.unknown()) });

const MetricPoint = z
  .object({ value: z.number(), step: z.int().nullable(), timestamp: Timestamp.nullable() })
  .meta({ id: 'OptimizationMetricPoint' });

const Budget = z
  .object({
    metric_calls_used: z.int(),
    metric_calls_limit: z.int().nullable().describe('Checked between iterations, so that one may exceed it'),
    metric_calls_floor: z.int().describe('The seed and one iteration'),
    holdout_calls: z.int().describe('Samples of the holdout, which are counted separately'),
    reflection_calls: z.int(),
    cost_usd: z.number(),
  })
  .meta({ id: 'OptimizationBudget' });

const Metadata = z.looseObject({
  budget: Budget,
  warnings: z.array(z.string()),
  iteration: z.int().describe('The last iteration that started, from 0; -1 before the first'),
  candidate_count: z.int(),
  best_index: z.int().nullable(),
  seed_score: z.number().nullable(),
  holdout_size: z.int(),
  holdout_score: z.number().nullable().describe('Score of the best candidate on the holdout'),
  seed_holdout_score: z.number().nullable(),
  stop_reason: z.string().nullable(),
  running_seconds: z.number(),
});

export const OptimizationJobResponse = z
  .object({
    id: Id,
    organization_id: Id,
    workspace_id: Id,
    name: z.string().nullable(),
    backend: z.string().describe('`optimizer_a`'),
    status: z.enum(JOB_STATES),
    target_kind: z.enum(TARGET_KINDS),
    model: z.string(),
    capability: z.object({
      name: z.string(),
      version: z.string(),
      artifact_id: Id.nullable(),
      runtime_digest: z.string().nullable(),
    }),
    agent_name: z.string().nullable(),
    components: z.array(Component),
    config: OptimizationJobConfig,
    dataset_ref: ShownDataset.nullable(),
    val_dataset_ref: ShownDataset.nullable(),
    task_refs: z.array(z.string()).nullable(),
    val_task_refs: z.array(z.string()).nullable(),
    task_set: z.string().nullable(),
    reward_recipe: ShownRecipe.nullable(),
    objective: z.string().nullable(),
    holdout_fraction: z.number(),
    project: z.string().nullable(),
    run_ref: z.string().nullable(),
    tags: z.array(z.string()),
    retry_of: Id.nullable(),
    summary: z.object({
      best_candidate: z.record(z.string(), z.string()).nullable(),
      best_score: z.number().nullable(),
      best_scores: z.record(z.string(), z.number()).describe('Means of the metrics of its verifications'),
      frontier_size: z.int(),
      metadata: Metadata,
      objective: z.string().nullable(),
      train_size: z.int(),
      val_size: z.int().describe('0: the training set is the validation set'),
    }),
    metrics: z
      .record(z.string(), z.array(MetricPoint))
      .describe('By the number of metric calls; empty in lists'),
    artifacts: z
      .record(z.string(), z.unknown())
      .describe('`promoted`: the capability versions published from it'),
    error: z.string().nullable(),
    cancel_requested_at: Timestamp.nullable(),
    started_at: Timestamp.nullable(),
    completed_at: Timestamp.nullable(),
    created_at: Timestamp,
    created_by: z.string().nullable(),
    created_by_email: z.string().nullable(),
    created_by_user: UserIdentity.nullable(),
  })
  .meta({ id: 'OptimizationJobResponse' });

export type OptimizationJobOf = z.output<typeof OptimizationJobResponse>;

/** Sets the name of the backend that clients of this server expect. */
export type ShowJob = (job: OptimizationJobOf) => OptimizationJobOf;
