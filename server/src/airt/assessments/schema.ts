/** Assessments in the API. */
import { z } from 'zod';
import { Id, Name, Timestamp, Uuid } from '../../platform/fields.ts';
import { SEVERITIES } from '../../platform/red-team/scoring/severity.ts';
import { pageFields, pageOfItems, RUN_STATES, SuccessRate } from '../schema.ts';
import { Manifest } from './manifest.ts';
import { TargetConfigRequest } from './target-config.ts';

const Text = z.string().min(1).max(255);
const Description = z.string().max(20_000);
const MAX_SCRIPT = 1_000_000;
/** Models get sums of the seed and the number of a trial or call, which must be exact. */
const MAX_SEED = 2 ** 52;

export const AttackerConfigRequest = z.looseObject({
  model: Text.nullish().describe('`attacker_model` by default'),
  attacker_model: Text.nullish(),
  evaluator_model: Text.nullish().describe('`judge_model` by default'),
  judge: Text.nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  max_tokens: z.int().min(1).max(1_000_000).nullish(),
  seed: z
    .int()
    .min(0)
    .max(MAX_SEED)
    .nullish()
    .describe('0 by default; the same seed and models give the same trials'),
  concurrency: z.int().min(1).max(32).nullish().describe('Findings that run at once; 8 by default'),
  budget_usd: z.number().min(0).max(1_000_000).nullish().describe('The run ends once it has cost as much'),
});

export const CreateAssessmentRequest = z
  .object({
    name: Name,
    description: Description.nullish(),
    attack_manifest: Manifest.nullish(),
    attacker_config: AttackerConfigRequest.nullish(),
    target_config: TargetConfigRequest.nullish(),
    attacker_model: Text.nullish(),
    judge_model: Text.nullish(),
    target_model: Text.nullish(),
    workflow_run_id: Text.nullish(),
    workflow_script: z.string().max(MAX_SCRIPT).nullish(),
    runtime_id: Uuid.nullish(),
    session_id: Uuid.nullish(),
  })
  .meta({ id: 'CreateAssessmentRequest' });

export type CreateRequest = z.output<typeof CreateAssessmentRequest>;

export const AssessmentQuery = z.object({ project_id: Uuid });

export const UpdateAssessmentRequest = z
  .object({
    name: Name.nullish(),
    description: Description.nullish(),
    status: z.enum(['running', 'completed', 'failed']).nullish(),
  })
  .meta({ id: 'UpdateAssessmentRequest' });

export type UpdateRequest = z.output<typeof UpdateAssessmentRequest>;

export const AssessmentListQuery = z.object({
  project_id: z.string().max(255).optional().describe('Id or key'),
  status: z.enum(RUN_STATES).optional(),
  search: z.string().max(200).optional().describe('Part of the name or description, case-insensitive'),
  ...pageFields,
});

export type ListQuery = z.output<typeof AssessmentListQuery>;

const Json = z.record(z.string(), z.unknown());

const Progress = z
  .object({
    findings: z.int(),
    completed_findings: z.int().describe('Ended, also those that failed'),
    planned_trials: z.int().describe('At most; an attack stops at its first success'),
    trials: z.int(),
    finished_trials: z.int(),
    jailbreaks: z.int(),
    severities: z.record(z.enum(SEVERITIES), z.int()).describe('Findings with a jailbreak'),
    model_calls: z.int(),
    cost_usd: z.number(),
  })
  .meta({ id: 'AssessmentProgress' });

export const AssessmentResponse = z
  .object({
    id: Id,
    organization_id: Id,
    workspace_id: Id,
    project_id: Id,
    user_id: Id,
    name: z.string(),
    description: z.string().nullable(),
    status: z.enum(RUN_STATES),
    attack_manifest: z.array(Json).nullable(),
    attacker_config: Json.nullable(),
    target_config: Json.nullable(),
    attacker_model: z.string().nullable(),
    judge_model: z.string().nullable(),
    target_model: z.string().nullable(),
    overall_asr: z.number().nullable(),
    risk_score: z.number().nullable(),
    success: SuccessRate.describe('Of all trials so far'),
    analytics_snapshot: Json.nullable().describe('The analytics as of its end; null in lists'),
    progress: Progress,
    run_by: z.enum(['server', 'client']).nullable(),
    retest_of: Id.nullable().describe('The finding that it tries again'),
    stop_reason: z.string().nullable(),
    error: z.string().nullable(),
    runtime_id: Id.nullable(),
    sandbox_id: Id.nullable(),
    sandbox_detail: z
      .object({
        provider: z.string(),
        provider_sandbox_id: z.string(),
        state: z.string(),
        total_runtime_seconds: z.number().nullable(),
      })
      .nullable(),
    session_id: Id.nullable(),
    workflow_run_id: z.string().nullable(),
    workflow_script: z.string().nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
    started_at: Timestamp.nullable(),
    completed_at: Timestamp.nullable(),
  })
  .meta({ id: 'AssessmentResponse' });

export type AssessmentOf = z.output<typeof AssessmentResponse>;

export const AssessmentListResponse = pageOfItems(AssessmentResponse).meta({ id: 'AssessmentListResponse' });

export const AssessmentEstimateResponse = z
  .object({
    findings: z.int(),
    trials: z.int().describe('At most; an attack stops at its first success'),
    calls: z.object({ attacker: z.int(), target: z.int(), judge: z.int() }).describe('At most'),
    input_tokens: z.int(),
    output_tokens: z.int(),
    cost_usd: z.number().describe('At most, by the price list'),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'AssessmentEstimateResponse' });
