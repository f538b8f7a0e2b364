/** The statistics of an evaluation on the wire. */
import { z } from 'zod';
import { Id } from '../../platform/fields.ts';
import { passRateInterval, results, TaskResult } from '../schema.ts';

const Percentiles = z.object({ p50: z.number().nullable(), p95: z.number().nullable() });

/** Figures of samples, and the rates over those with a result. */
const rates = {
  total_samples: z.int(),
  passed_count: z.int(),
  failed_count: z.int().describe('Samples that failed or ran out of time'),
  error_count: z.int().describe('Samples that could not run; in no rate'),
  pass_rate: z.number().nullable().describe('Passed of passed and failed; null before the first result'),
  pass_rate_interval: passRateInterval,
  mean_score: z.number().nullable(),
};

export const EvaluationAnalyticsResponse = z
  .object({
    evaluation_id: Id,
    ...rates,
    pass_at_k: z
      .record(z.string(), z.number())
      .describe('Chance that one of k samples passes, for k up to the fewest results of a task'),
    contaminated_count: z
      .int()
      .describe('Samples whose task or row was used to train or optimize the model or capability under test'),
    uncontaminated: z.object(rates).describe('The same figures without contaminated samples'),
    by_task: z.array(TaskResult).describe('Empty for a dataset'),
    by_tag: z.array(z.object({ tag: z.string(), ...results })),
    by_difficulty: z.array(z.object({ difficulty: z.string(), ...results })),
    stop_reasons: z.record(z.string(), z.int()).describe('Samples by the reason for which their agent ended'),
    cost_usd: z.number().describe('Of all attempts'),
    cost_per_sample_usd: z.number().nullable().describe('The cost by samples with a result'),
    tokens: z
      .object({ input: z.int(), output: z.int(), cache_read: z.int(), cache_creation: z.int() })
      .describe('Of the attempts that count'),
    turns: Percentiles.describe('Of samples with a result'),
    durations_ms: Percentiles.describe('Of samples with a result'),
  })
  .meta({ id: 'EvaluationAnalyticsResponse' });

export type AnalyticsOf = z.output<typeof EvaluationAnalyticsResponse>;
