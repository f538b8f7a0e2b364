import type { Trx } from '../../platform/db/transaction.ts';

/** Changes of members happen one after the other: "the last owner" and "the limit" are questions about all of them. */
export async function lockOrganization(trx: Trx, organizationId: string) {
  return trx
    .selectFrom('organizations')
    .select('max_members')
    .where('id', '=', organizationId)
    .forNoKeyUpdate() // keeps out others like it, and lets foreign keys be checked
    .executeTakeFirstOrThrow();
}
