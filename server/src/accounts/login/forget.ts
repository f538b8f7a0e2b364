/** Forgetting logins that have ended. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { deleteInBatches } from '../../platform/db/delete-in-batches.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS_AFTER_EXPIRY = 1;
const DAYS_AFTER_REVOCATION = 30;

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

/**
 * A login is forgotten with all of its tokens or not at all: while it lives, a used token must be known as used, which
 * is how a stolen one is noticed.
 */
export async function forgetOldLogins(db: Db): Promise<number> {
  const expired = (size: number) =>
    db
      .selectFrom('refresh_tokens')
      .select('login_id as id')
      // The last token of its login: the others have been used.
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

/** The used tokens first, in batches of their own: a login that was refreshed for years has many. */
async function deleteLogins(db: Db, logins: readonly { id: string }[]) {
  const ids = logins.map(({ id }) => id);
  if (ids.length === 0) return { numDeletedRows: 0n };
  // One parameter, however many there are: the statement stays the same and keeps its name.
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
