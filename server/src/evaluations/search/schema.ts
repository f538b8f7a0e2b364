/** The search in an evaluation on the wire. */
import { z } from 'zod';
import { Id } from '../../platform/fields.ts';

export const MAX_MATCHES = 200;

export const ItemSearchQuery = z.object({
  q: z
    .string()
    .max(500)
    .describe(
      'Part of a text, case-insensitive; compared after Unicode NFKC folding. A blank text matches nothing.',
    ),
});

const ItemSearchHit = z
  .object({
    item_id: Id,
    match_count: z.int().describe('Messages that match; 0 when only the error or the name of the task does'),
    matched_in: z.enum(['transcript', 'error', 'task_name']).describe('The first of these that matches'),
    session_id: Id.nullable(),
    snippet: z.string().nullable().describe('At most 200 characters around the first match'),
  })
  .meta({ id: 'EvaluationItemSearchHit' });

export type ItemSearchHitOf = z.output<typeof ItemSearchHit>;

export const EvaluationItemSearchResponse = z
  .object({
    matches: z.array(ItemSearchHit).describe(`The first ${MAX_MATCHES} samples that match, in their order`),
    total: z.int().describe('Samples in this response'),
    has_more: z.boolean().describe(`Whether more than ${MAX_MATCHES} samples match`),
  })
  .meta({ id: 'EvaluationItemSearchResponse' });

export type ItemSearchOf = z.output<typeof EvaluationItemSearchResponse>;
