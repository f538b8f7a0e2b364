/** Whether an organization can pay for training. */
import type { Db } from '../platform/db/connect.ts';
import { balance } from '../platform/metering/credits.ts';

export interface CreditRule {
  readonly credits: 'unlimited' | 'enforced';
}

/** `waiting_reason` of a queued job. */
export const NO_CREDITS =
  'The organization has no credits. Add credits: the job starts when there are some and a trainer is free.';

/** @param needed one credit by default, with which a job can start */
export async function hasCredits(
  db: Db,
  { credits }: CreditRule,
  organizationId: string,
  needed = 1,
): Promise<boolean> {
  return credits === 'unlimited' || (await balance(db, organizationId)) >= needed;
}
