/** Paths, enumerations and shapes that several folders of the red team share. */
import { z } from 'zod';
import { Id, Timestamp } from '../platform/fields.ts';
import { SEVERITIES } from '../platform/red-team/scoring/severity.ts';
import { FINDING_TYPES } from '../platform/red-team/scoring/summary.ts';

export const RUN_STATES = ['pending', 'running', 'completed', 'failed'] as const;
export type RunState = (typeof RUN_STATES)[number];

export const FINDING_STATES = [
  'open',
  'false_positive',
  'accepted_risk',
  'remediated',
  'incorrect_scoring',
] as const;
export type FindingState = (typeof FINDING_STATES)[number];

export const ASSESSMENT_PATH = '/airt/assessments/:assessment_id';
export const AssessmentParams = z.object({ assessment_id: z.string() });
export const FINDING_PATH = '/airt/findings/:finding_id';
export const FindingParams = z.object({ finding_id: z.string() });
export const PROJECT_PATH = '/airt/projects/:project';
export const ProjectParams = z.object({ project: z.string().describe('Key or id') });

export const MAY_READ = { scope: 'airt:read', role: 'reader' } as const;
export const MAY_CHANGE = { scope: 'airt:write', role: 'contributor' } as const;

export const pageFields = {
  page: z.int().min(1).default(1).describe('1-indexed'),
  page_size: z.int().min(1).max(100).default(20),
};

export const pageOfItems = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), total: z.int(), page: z.int(), page_size: z.int() });

/** Values of a filter, separated by commas. */
export const severalOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z
    .string()
    .transform((text) => text.split(',').map((value) => value.trim()))
    .pipe(z.array(z.enum(values)).min(1).max(50));

export const ConfidenceInterval = z
  .object({ low: z.number(), high: z.number(), level: z.number() })
  .meta({ id: 'AirtInterval' });

export const SuccessRate = z
  .object({
    n: z.int().describe('Finished trials'),
    successes: z.int().describe('Trials that reached the threshold'),
    asr: z.number().nullable().describe('null where no trial has finished'),
    interval: ConfidenceInterval.nullable(),
  })
  .meta({ id: 'AirtSuccessRate' });

const evidence = {
  candidate: z.string(),
  transformed_prompt: z.string(),
  response: z.string(),
  judge_reasoning: z.string(),
  trial_index: z.int(),
  trial_status: z.string(),
  score: z.number(),
  is_jailbreak: z.boolean(),
  execution_time_s: z.number(),
  span_id: z.string(),
};

export const TrialEvidence = z
  .object({ rank: z.int().describe('From 1, by score'), ...evidence })
  .meta({ id: 'TrialEvidence' });

export type TrialEvidenceOf = z.output<typeof TrialEvidence>;

export const AgentActions = z
  .object({
    commands: z.array(z.string()),
    egress: z.array(z.string()).describe('Hosts that the sandbox requested, with the decision'),
    files: z.array(z.string()).describe('Paths that were changed in /workspace'),
  })
  .meta({ id: 'AirtAgentActions' });

export type AgentActionsOf = z.output<typeof AgentActions>;

export const AirtTrial = z
  .object({
    id: Id,
    finding_id: Id,
    attack_name: z.string(),
    goal: z.string(),
    goal_category: z.string().nullable(),
    rank: z.int().describe('From 1, by score, in its finding'),
    ...evidence,
    transforms_applied: z.array(z.string()),
    error: z.string().nullable().describe('null when it finished'),
    session_id: Id.nullable().describe('The session of an agent'),
    actions: AgentActions.nullable().describe('What an agent did'),
    created_at: Timestamp,
  })
  .meta({ id: 'AirtTrial' });

export const FindingReviewEvent = z
  .object({
    original_finding_type: z.string().nullable(),
    original_severity: z.string().nullable(),
    original_status: z.string().nullable(),
    updated_finding_type: z.string().nullable(),
    updated_severity: z.string().nullable(),
    updated_status: z.string().nullable(),
    reasoning: z.string().nullable(),
    updated_by: z.string().nullable().describe('A username, or `system`'),
    updated_at: Timestamp.nullable(),
    retest_id: Id.nullable().optional(),
  })
  .meta({ id: 'FindingReviewEvent' });

const text = z.string().nullable();

/** The fields that a finding has in lists and alone. */
const findingFields = {
  id: Id,
  assessment_id: Id,
  assessment_name: text,
  attack_name: z.string(),
  goal: z.string(),
  goal_category: text,
  category: text,
  sub_category: text,
  risk_domain: text,
  status: z.enum(RUN_STATES),
  severity: z.enum(SEVERITIES),
  original_severity: text,
  finding_status: z.enum(FINDING_STATES),
  finding_type: z.enum(FINDING_TYPES),
  is_jailbreak: z.boolean(),
  best_score: z.number().nullable(),
  finished_trials: z.int(),
  total_trials: z.int(),
  pass_rate: z.number().nullable().describe('Share of finished trials in which the target held'),
  success: SuccessRate,
  execution_time_s: z.number().nullable(),
  compliance_tags: z.record(z.string(), z.array(z.string())).nullable(),
  transforms_applied: z.array(z.string()).nullable(),
  target_model: text,
  attacker_model: text,
  evaluator_model: text,
  notes: text,
  error: text,
  cost_usd: z.number(),
  trace_id: text,
  span_id: text,
  adversarial_class: text,
  attack_domain: text,
  distance_norm: text,
  distance_value: z.number().nullable(),
  input_modality: text,
  original_class: text,
  best_candidate: text,
  best_transformed_prompt: text,
  best_response: text,
  best_judge_reasoning: text,
  created_at: Timestamp,
  updated_at: Timestamp.nullable(),
  completed_at: Timestamp.nullable(),
};

export const Retest = z
  .object({
    assessment_id: Id,
    finding_id: Id.nullable(),
    status: z.enum(RUN_STATES),
    target: z.string(),
    before: SuccessRate,
    after: SuccessRate,
    is_fixed: z.boolean().nullable().describe('No trial succeeded; null before the end'),
    created_at: Timestamp,
  })
  .meta({ id: 'AirtRetest' });

const Remediation = z
  .object({
    is_fixed: z.boolean().describe('Every trial or sample held'),
    target: z.string().describe('What was tried, such as a capability with its version'),
    after: SuccessRate,
    gate: z.string().nullable().describe('Name of the gate; null for a retest'),
    gate_check_id: Id.nullable(),
    assessment_id: Id.nullable().describe('In which the attack ran again'),
    evaluation_id: Id.nullable().describe('In which its regression task ran'),
    created_at: Timestamp,
  })
  .meta({ id: 'FindingRemediation' });

export const FindingDetail = z
  .object({
    ...findingFields,
    review_events: z.array(FindingReviewEvent),
    top_trials: z.array(TrialEvidence),
    retest_of: Id.nullable().describe('The finding that this one tries again'),
    retests: z.array(Retest).describe('Newest first'),
    remediation: Remediation.nullable().describe(
      'The newest proof that the attack works or no longer works: a retest, or a check of a gate. Where it is fixed, the finding can be marked as remediated',
    ),
  })
  .meta({ id: 'FindingDetail' });

export type FindingDetailOf = z.output<typeof FindingDetail>;

/** A finding in a list: without its history and trials. Long texts are cut. */
export const FindingSummary = z.object(findingFields).meta({ id: 'FindingSummary' });

export type FindingSummaryOf = z.output<typeof FindingSummary>;
