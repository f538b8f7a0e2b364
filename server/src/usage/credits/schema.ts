import { z } from 'zod';
import { Id, Timestamp } from '../../platform/fields.ts';
import { cursorPageOf, cursorQuery } from '../../platform/http/responses/pages.ts';

export const CREDIT_MODES = ['unlimited', 'enforced'] as const;
export type CreditMode = (typeof CREDIT_MODES)[number];

/** One US dollar, in credits. */
export const LOW_BALANCE = 1_000;

export const CreditBalance = z
  .object({
    balance: z.int().describe('The sum of the ledger, in credits: 1,000 to the US dollar'),
    reserved: z.int().describe('Held back for what runs'),
    available: z.int().describe('The balance without what is reserved'),
    mode: z.enum(CREDIT_MODES).describe('"unlimited": all is counted, and nothing refused'),
    is_low_balance: z
      .boolean()
      .describe(`Where credits are enforced: fewer than ${LOW_BALANCE.toLocaleString('en')} are available`),
  })
  .meta({ id: 'CreditBalance' });
export type CreditBalanceOf = z.output<typeof CreditBalance>;

export const CreditTransaction = z
  .object({
    id: Id,
    kind: z.enum(['adjustment', 'charge']),
    reference: z
      .string()
      .describe('What it was for: a call, a run of a sandbox, or what the adjustment was given'),
    amount: z.int().describe('Positive adds, negative takes'),
    actor_id: Id.nullable().describe('Who adjusted; null for a charge'),
    note: z.string().nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'CreditTransaction' });
export type CreditTransactionOf = z.output<typeof CreditTransaction>;

export const CreditTransactionPage = cursorPageOf(CreditTransaction).meta({ id: 'CreditTransactionPage' });

export const transactionQuery = z.object({ ...cursorQuery({ defaultLimit: 50, maxLimit: 200 }) });
export type TransactionQuery = z.output<typeof transactionQuery>;

/** A billion US dollars, in credits. */
const MAX_AMOUNT = 1_000_000_000_000;
const MAX_REFERENCE_LENGTH = 256;
const MAX_NOTE_LENGTH = 2_000;

export const CreditAdjustment = z
  .object({
    amount: z
      .int()
      .min(-MAX_AMOUNT)
      .max(MAX_AMOUNT)
      .refine((amount) => amount !== 0, 'must not be zero')
      .describe('Positive adds, negative takes back at most what is available'),
    note: z.string().max(MAX_NOTE_LENGTH).nullish(),
    reference: z
      .string()
      .min(1)
      .max(MAX_REFERENCE_LENGTH)
      .nullish()
      .describe('Unique in the organization, so that it counts once; made up unless said'),
  })
  .meta({ id: 'CreditAdjustment' });
export type CreditAdjustmentOf = z.output<typeof CreditAdjustment>;
