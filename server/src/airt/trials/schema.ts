/** Trials in the API. */
import { z } from 'zod';
import { Id, Timestamp, Uuid } from '../../platform/fields.ts';
import { AirtTrial, pageFields, pageOfItems } from '../schema.ts';

const filters = {
  attack_name: z.string().max(255).optional(),
  min_score: z.number().min(0).max(1).optional(),
  jailbreaks_only: z.boolean().default(false),
};

export const TrialListQuery = z.object({ finding_id: Uuid.optional(), ...filters, ...pageFields });
export type TrialQuery = z.output<typeof TrialListQuery>;

export const TrialListResponse = pageOfItems(AirtTrial).meta({ id: 'TrialListResponse' });

export const TrialSpanQuery = z.object({ ...filters, limit: z.int().min(1).max(1_000).default(100) });

export type TrialSpanQueryOf = z.output<typeof TrialSpanQuery>;

const text = z.string().nullable();

const common = {
  trace_id: text,
  span_id: text,
  finding_id: Id,
  attack_name: z.string(),
  goal: z.string(),
  goal_category: text,
  category: text,
  sub_category: text,
  transforms: z.array(z.string()),
  is_jailbreak: z.boolean(),
  execution_time_s: z.number().nullable(),
  target_model: text,
  attacker_model: text,
  evaluator_model: text,
  created_at: Timestamp,
};

export const AirtAttackSpan = z
  .object({
    ...common,
    best_score: z.number().nullable(),
    asr: z.number().nullable(),
    total_trials: z.int(),
    finished_trials: z.int(),
  })
  .meta({ id: 'AirtAttackSpan' });

export const AirtTrialSpan = z
  .object({
    ...common,
    trial_index: z.int(),
    trial_status: z.string(),
    score: z.number().nullable(),
    candidate: z.string(),
    transformed_prompt: z.string(),
    response: z.string(),
    judge_reasoning: z.string(),
  })
  .meta({ id: 'AirtTrialSpan' });
