import { z } from 'zod';
import { Timestamp, Uuid } from '../../platform/fields.ts';

export const ModelUsageStats = z
  .object({
    model: z.string().describe('As it is called here; what spans call it, or "unknown"'),
    cost_usd: z
      .number()
      .describe('Cost of the requests with a known price; `unpriced_request_count` counts the others'),
    credits: z.int().describe('What was charged: spans never are'),
    input_tokens: z.int().describe('Cached ones included'),
    output_tokens: z.int(),
    request_count: z.int(),
    unpriced_request_count: z
      .int()
      .describe('Requests whose cost is unknown, since no price list contains their model'),
    total_tokens: z.int(),
  })
  .meta({ id: 'ModelUsageStats' });

export const InferenceUsageResponse = z
  .object({
    start_date: Timestamp,
    end_date: Timestamp,
    models: z.array(ModelUsageStats).describe('Those with the most tokens first, then by name'),
    total_cost_usd: z.number(),
    total_credits: z.int(),
    total_input_tokens: z.int(),
    total_output_tokens: z.int(),
    total_request_count: z.int(),
    total_unpriced_request_count: z.int(),
  })
  .meta({ id: 'InferenceUsageResponse' });
export type InferenceUsageOf = z.output<typeof InferenceUsageResponse>;

const MICROSECOND_DIGITS = 6;
const NO_MICROSECONDS = /000Z$/;

/** Accepts any UTC offset. Stored in UTC with microseconds, the resolution of spans; further digits are cut off. */
const Moment = z.iso
  .datetime({ offset: true })
  .refine(isStorable, 'must lie between the years 1 and 9999')
  .transform((text) => {
    const digits = /\.(\d+)/.exec(text)?.[1] ?? '';
    const fraction = digits.slice(0, MICROSECOND_DIGITS).padEnd(MICROSECOND_DIGITS, '0');
    const seconds = new Date(text.replace(/\.\d+/, '')).toISOString().slice(0, -'.000Z'.length);
    return `${seconds}.${fraction}Z`.replace(NO_MICROSECONDS, 'Z');
  });

function isStorable(text: string): boolean {
  const year = new Date(text).getUTCFullYear();
  return year >= 1 && year <= 9999;
}

export const inferenceUsageQuery = z.object({
  user_id: z
    .union([z.literal('all'), Uuid])
    .optional()
    .describe('User whose usage is counted: you by default; another user for admins; "all" for the owner'),
  start_date: Moment.optional().describe('Inclusive; by default the first day of this month, UTC'),
  end_date: Moment.optional().describe('Inclusive; by default now'),
});
export type InferenceUsageQuery = z.output<typeof inferenceUsageQuery>;
