/** Recovery for the operator of the server: a new password and API key for the first owner. */
import { randomBytes } from 'node:crypto';
import { actorOf, auditAccount } from '../platform/audit/audit.ts';
import { hashPassword } from '../platform/auth/passwords.ts';
import type { UserScope } from '../platform/auth/principal.ts';
import type { Db } from '../platform/db/connect.ts';
import { type Trx, transaction } from '../platform/db/transaction.ts';
import { ApiError } from '../platform/errors.ts';
import { withdrawApprovals } from './device/store.ts';
import { deleteOperatorKeys, insertKey } from './keys/store.ts';

export interface ResetOwner {
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
}

const KEY_NAME = 'reset';

/**
 * Ends every login of the owner and the keys that the first start and earlier resets made; keys that the owner made are kept, since
 * programs use them. Lifts a suspension as well.
 * @param username of the first owner; if no platform admin has that name, the oldest one is chosen
 */
export async function resetOwner(db: Db, username: string): Promise<ResetOwner> {
  const password = randomBytes(15).toString('base64url');
  const password_hash = await hashPassword(password);
  return transaction(db, async (trx) => {
    const owner = await getOwner(trx, username);
    await setPassword(trx, owner, password_hash);
    const principal = { userId: owner.id, isPlatformAdmin: true, apiKey: undefined, loginId: undefined };
    const scope = { principal, requestId: 'reset-owner' };
    await endCredentials(trx, scope);
    await trx
      .updateTable('users')
      .set({ suspended_at: null, updated_at: new Date().toISOString() })
      .where('id', '=', owner.id)
      .execute();
    const request = { name: KEY_NAME, allow_self_revoke: false };
    const { key } = await insertKey(trx, scope, request, { isByOperator: true });
    await auditAccount(trx, actorOf(scope), {
      action: 'user.reset',
      resource: `users/${owner.id}`,
      before: { is_suspended: owner.suspended_at !== null },
      after: { is_suspended: false },
    });
    return { username: owner.username, email: owner.email_address, password, apiKey: key };
  });
}

interface Owner {
  readonly id: string;
  readonly username: string;
  readonly email_address: string;
  readonly suspended_at: string | null;
}

/** Anyone may take a name that has become free, so only a platform admin counts as the owner. */
async function getOwner(trx: Trx, username: string): Promise<Owner> {
  const admins = trx
    .selectFrom('users')
    .select(['id', 'username', 'email_address', 'suspended_at'])
    .where('is_platform_admin', '=', true)
    .forNoKeyUpdate();
  const owner =
    (await admins.where('username', '=', username).executeTakeFirst()) ??
    (await admins.orderBy('created_at').orderBy('id').limit(1).executeTakeFirst());
  if (owner) return owner;
  throw new ApiError(
    'not_found_error',
    'This database has no platform admin. If it is empty, start the server: that makes the owner and prints the password.',
  );
}

async function setPassword(trx: Trx, owner: Owner, password_hash: string): Promise<void> {
  const identity = { provider: 'password' as const, subject: owner.email_address, user_id: owner.id };
  const updated_at = new Date().toISOString();
  await trx
    .insertInto('identities')
    .values({ ...identity, password_hash })
    .onConflict((conflict) =>
      conflict.columns(['provider', 'subject']).doUpdateSet({ password_hash, updated_at }),
    )
    .execute();
  // Failed guesses of others must not lock the owner out.
  await trx.deleteFrom('login_attempts').where('subject', '=', owner.email_address).execute();
}

async function endCredentials(trx: Trx, scope: UserScope): Promise<void> {
  const { userId } = scope.principal;
  await withdrawApprovals(trx, userId);
  await trx
    .updateTable('logins')
    .set({ revoked_at: new Date().toISOString() })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute();
  await deleteOperatorKeys(trx, scope);
}
