/** How many sandboxes an organization may have at a time, those that are being started and paused ones too. */
import { sql } from 'kysely';
import type { Trx } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';

/** Whoever asks next waits until this transaction has ended, so that two at once cannot pass the bound. */
export async function requireCapacity(trx: Trx, organizationId: string, max: number | null): Promise<void> {
  if (max === null) return;
  // A statement of its own: what the next one counts must be no older than the lock.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`sandboxes ${organizationId}`}, 0))`.execute(trx);
  const { count } = await trx
    .selectFrom('sandboxes')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('state', 'in', ['starting', 'running', 'paused'])
    .executeTakeFirstOrThrow();
  if (count < max) return;
  throw new ApiError(
    'org_sandbox_capacity_exceeded_error',
    `The organization has ${count} sandboxes of the ${max} that it may have at a time, paused ones included. End one, or have an admin raise the limit.`,
  );
}
