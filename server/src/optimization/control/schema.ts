/** Requests that act on optimization jobs. */
import { z } from 'zod';
import { SemVer } from '../../registry/service.ts';

export const RetryRequest = z
  .object({ from_start: z.boolean().default(false).describe('Without what the job before has measured') })
  .meta({ id: 'OptimizationRetryRequest' });

export const PromoteRequest = z
  .object({
    version: SemVer,
    candidate: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .nullish()
      .describe('Its index; the best by default. Needed while the job runs'),
    gate: z
      .string()
      .min(1)
      .max(255)
      .nullish()
      .describe(
        'Id or name of a gate that the candidate must have passed, besides those that protect the capability',
      ),
  })
  .meta({ id: 'OptimizationPromoteRequest' });

export type PromoteOf = z.output<typeof PromoteRequest>;

export const PromoteResponse = z
  .object({
    name: z.string(),
    version: z.string(),
    from_version: z.string(),
    candidate: z.int(),
    score: z.number().describe('On the validation set'),
    holdout_score: z.number().nullable(),
    changed_files: z.array(z.string()),
  })
  .meta({ id: 'OptimizationPromoteResponse' });
