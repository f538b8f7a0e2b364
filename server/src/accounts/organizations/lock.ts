import type { Trx } from '../../platform/db/transaction.ts';

/** Serializes changes of members, because "the last owner" and "the limit" depend on all of them. */
export async function lockOrganization(trx: Trx, organizationId: string) {
  return trx
    .selectFrom('organizations')
    .select('max_members')
    .where('id', '=', organizationId)
    .forNoKeyUpdate() // Excludes other holders, but allows foreign key checks.
    .executeTakeFirstOrThrow();
}
