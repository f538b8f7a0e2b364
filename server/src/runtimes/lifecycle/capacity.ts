/** Limits the number of sandboxes of an organization, including starting and paused ones. */
import { sql } from 'kysely';
import type { Trx } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';

/** Serializes callers until the end of the transaction, so that concurrent starts cannot exceed the limit. */
export async function requireCapacity(trx: Trx, organizationId: string, max: number | null): Promise<void> {
  if (max === null) return;
  // A separate statement, so that the snapshot of the count is taken after the lock.
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
