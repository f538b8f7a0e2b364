/** Deletes ended logins. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { deleteInBatches } from '../../platform/db/delete-in-batches.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS_AFTER_EXPIRY = 1;
const DAYS_AFTER_REVOCATION = 30;

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

/** Deletes a login together with all of its tokens: while it is alive, reuse of a token must be detected, which reveals a stolen one. */
export async function forgetOldLogins(db: Db): Promise<number> {
  const expired = (size: number) =>
    db
      .selectFrom('refresh_tokens')
      .select('login_id as id')
      // The last token of a login: all others have been used.
      .where('used_at', 'is', null)
      .where('expires_at', '<', daysAgo(DAYS_AFTER_EXPIRY))
      .orderBy('expires_at')
      .limit(size);
  const revoked = (size: number) =>
    db
      .selectFrom('logins')
      .select('id')
      .where('revoked_at', '<', daysAgo(DAYS_AFTER_REVOCATION))
      .orderBy('revoked_at')
      .limit(size);
  const ofExpired = await deleteInBatches(async (size) => deleteLogins(db, await expired(size).execute()));
  const ofRevoked = await deleteInBatches(async (size) => deleteLogins(db, await revoked(size).execute()));
  return ofExpired + ofRevoked;
}

/** Deletes used tokens first, in separate batches: a login that was refreshed for years has many. */
async function deleteLogins(db: Db, logins: readonly { id: string }[]) {
  const ids = logins.map(({ id }) => id);
  if (ids.length === 0) return { numDeletedRows: 0n };
  // A single array parameter, so that the statement is the same for any number of ids and stays prepared.
  const anyOfThem = sql<string>`any(${ids}::uuid[])`;
  await deleteInBatches(async (size) => {
    const used = db
      .selectFrom('refresh_tokens')
      .select('token_hash')
      .where('login_id', '=', anyOfThem)
      .where('used_at', 'is not', null)
      .limit(size)
      .forUpdate()
      .skipLocked();
    return db.deleteFrom('refresh_tokens').where('token_hash', 'in', used).executeTakeFirstOrThrow();
  });
  return db.deleteFrom('logins').where('id', '=', anyOfThem).executeTakeFirstOrThrow();
}
