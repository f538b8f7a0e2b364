/** The journey of a capability in the API. */
import { z } from 'zod';
import { Id, Timestamp } from '../platform/fields.ts';

const Interval = z.object({ low: z.number(), high: z.number(), level: z.number() });
const Score = z.number().nullable();

const JourneyVersion = z
  .object({
    version: z.string(),
    is_prerelease: z.boolean(),
    created_at: Timestamp,
    description: z.string().nullable(),
    made_by: z
      .object({
        optimization_job_id: Id,
        candidate: z.int(),
        from_version: z.string(),
        score: z.number().describe('Of the candidate, on the validation set'),
        score_before: Score.describe('Of the version that the job started from'),
        holdout_score: Score,
        holdout_score_before: Score,
        model: z.string(),
      })
      .nullable()
      .describe('The optimization job of this workspace whose candidate was promoted'),
    changed_files: z
      .array(z.string())
      .describe(
        'The first 100 paths whose content differs from the version that it is based on, or else from the version published before it',
      ),
    changed_file_count: z.int(),
    evaluations: z
      .array(
        z.object({
          id: Id,
          name: z.string(),
          task_set: z.string().nullable(),
          model: z.string(),
          pass_rate: z.number().nullable(),
          pass_rate_interval: Interval.nullable().describe('null before the end'),
          mean_score: Score,
          n: z.int().describe('Samples with a result'),
          errors: z.int().describe('Samples that could not run'),
          cost_usd: z.number(),
          contaminated_count: z.int().nullable().describe('null before the end'),
          completed_at: Timestamp.nullable(),
        }),
      )
      .describe('The newest 5 of this workspace'),
    assessments: z
      .array(
        z.object({
          id: Id,
          name: z.string(),
          asr: z.number().nullable(),
          asr_interval: Interval.nullable(),
          n: z.int().describe('Trials with a score'),
          risk_score: z.number().nullable(),
          completed_at: Timestamp.nullable(),
        }),
      )
      .describe('The newest 5 of this workspace that the server has run with this version as target'),
    checks: z
      .array(
        z.object({
          id: Id,
          gate: z.string(),
          status: z.enum(['queued', 'running', 'completed', 'failed', 'cancelled']),
          verdict: z.enum(['passed', 'failed', 'inconclusive']).nullable(),
          created_at: Timestamp,
        }),
      )
      .describe('The newest 10 of this workspace'),
    findings: z.object({
      opened: z.int().describe('Findings of assessments of this version in which the attack succeeded'),
      remediated: z.int().describe('Those of them that are remediated now'),
    }),
  })
  .meta({ id: 'JourneyVersion' });
export type JourneyVersionOf = z.output<typeof JourneyVersion>;

export const JourneyResponse = z
  .object({
    capability: z.string(),
    items: z.array(JourneyVersion),
    total: z.int(),
    page: z.int(),
    page_size: z.int(),
  })
  .meta({ id: 'CapabilityJourneyResponse' });
export type JourneyOf = z.output<typeof JourneyResponse>;

export const JourneyParams = z.object({
  capability: z.string().describe('`name`, or `org/name` of a public one with its slash encoded'),
});

export const JourneyQuery = z.object({
  page: z.int().min(1).default(1).describe('1-indexed'),
  page_size: z.int().min(1).max(50).default(20),
});
export type JourneyPage = z.output<typeof JourneyQuery>;
