/** Shapes of the analytics of assessments and projects. */
import { z } from 'zod';
import { Id, Timestamp } from '../../platform/fields.ts';
import { SEVERITIES } from '../../platform/red-team/scoring/severity.ts';
import { FINDING_TYPES } from '../../platform/red-team/scoring/summary.ts';
import { ConfidenceInterval, FINDING_STATES, RUN_STATES, SuccessRate } from '../schema.ts';

const rate = SuccessRate.shape;

const RateOf = z.object({ name: z.string(), findings: z.int(), ...rate }).meta({ id: 'AirtRate' });

const Control = z
  .object({
    framework: z.string(),
    framework_name: z.string().nullable().describe('Name and version'),
    control: z.string(),
    title: z.string().nullable(),
    findings: z.int().describe('Findings that test it'),
    broken: z.int().describe('Findings in which an attack succeeded'),
  })
  .meta({ id: 'AirtControl' });

export const AirtFigures = z.object({
  assessment_id: Id,
  status: z.enum(RUN_STATES),
  overall_asr: z.number().nullable(),
  success: SuccessRate,
  risk_score: z.number(),
  total_attacks: z.int(),
  total_trials: z.int(),
  finished_trials: z.int(),
  error_trials: z.int(),
  by_attack: z.array(RateOf),
  by_category: z.array(RateOf),
  by_goal: z.array(RateOf),
  baseline: SuccessRate.describe('Prompts as they are, which the lift of transforms is measured against'),
  by_transform: z
    .array(
      z.object({ name: z.string(), ...rate, lift: z.number().nullable() }).meta({ id: 'AirtTransformRate' }),
    )
    .describe('Chains are joined by →'),
  matrix: z.array(
    z
      .object({
        category: z.string(),
        attack_name: z.string(),
        n: z.int(),
        successes: z.int(),
        asr: z.number().nullable(),
      })
      .meta({ id: 'AirtMatrixCell' }),
  ),
  severity_counts: z.record(z.enum(SEVERITIES), z.int()).describe('Findings with a success'),
  finding_types: z.record(z.enum(FINDING_TYPES), z.int()),
  finding_statuses: z.record(z.enum(FINDING_STATES), z.int()),
  compliance: z.array(Control),
  started_at: Timestamp.nullable(),
  completed_at: Timestamp.nullable(),
  execution_time_s: z.number(),
  model_calls: z.int(),
  cost_usd: z.number(),
  top_findings: z.array(
    z
      .object({
        id: Id,
        attack_name: z.string(),
        goal: z.string(),
        goal_category: z.string().nullable(),
        severity: z.enum(SEVERITIES),
        best_score: z.number().nullable(),
      })
      .meta({ id: 'AirtTopFinding' }),
  ),
  recommendations: z.array(z.string()),
});

const Corrected = z
  .object({
    attack_name: z.string().nullable().describe('null: all attacks'),
    reviews: z.int(),
    precision: z.number().nullable(),
    precision_interval: ConfidenceInterval.nullable(),
    corrected_asr: z.number().nullable(),
    corrected_interval: ConfidenceInterval.nullable(),
  })
  .meta({ id: 'AirtCorrectedRate' });

const Calibration = z
  .object({
    judge_model: z.string().nullable(),
    reviews: z
      .int()
      .describe('Findings with a success that people have reviewed, in the project, by this judge'),
    missing: z.int().describe('How many reviews are missing until there are rates'),
    overall: Corrected.nullable().describe('null before there are enough reviews'),
    by_attack: z.array(Corrected),
  })
  .meta({ id: 'AirtCalibration' });

export const AirtAnalytics = AirtFigures.extend({
  run: z
    .object({ overall_asr: z.number().nullable(), risk_score: z.number().nullable() })
    .describe('As the run found them, before triage'),
  calibration: Calibration,
}).meta({ id: 'AirtAnalytics' });

export const AirtProjectSummary = z
  .object({
    project_id: Id,
    project_key: z.string(),
    project_name: z.string(),
    assessments: z.record(z.enum(RUN_STATES), z.int()),
    total_findings: z.int(),
    open_findings: z.record(z.enum(SEVERITIES), z.int()).describe('Open findings with a success'),
    finding_statuses: z.record(z.enum(FINDING_STATES), z.int()),
    success: SuccessRate,
    risk_score: z.number().describe('Of the open findings'),
    last_assessment_at: Timestamp.nullable(),
    trend: z
      .array(
        z
          .object({
            assessment_id: Id,
            name: z.string(),
            target_model: z.string().nullable(),
            completed_at: Timestamp,
            success: SuccessRate,
            risk_score: z.number().nullable(),
          })
          .meta({ id: 'AirtTrendPoint' }),
      )
      .describe('The last 50 that have ended, oldest first, as they were measured'),
  })
  .meta({ id: 'AirtProjectSummary' });
