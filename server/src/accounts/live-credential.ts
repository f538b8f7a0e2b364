import type { Principal } from '../platform/auth/principal.ts';
import type { Trx } from '../platform/db/transaction.ts';
import { ApiError } from '../platform/errors.ts';

/**
 * Anything that outlives a credential (a new key, a new password) is created only while the credential is valid, regardless of caches. Its
 * row stays locked until then, so that it cannot be revoked in between.
 */
export async function requireLiveCredential(trx: Trx, { userId, apiKey, loginId }: Principal): Promise<void> {
  await requireLiveUser(trx, userId);
  const key =
    apiKey &&
    (await trx.selectFrom('api_keys').select('id').where('id', '=', apiKey.id).forShare().executeTakeFirst());
  if ((apiKey && !key) || (loginId && !(await isLiveLogin(trx, loginId)))) {
    throw new ApiError('authentication_error', 'This credential has just been revoked.');
  }
}

/** Locks the login, so that it stays valid until the transaction ends. */
export async function isLiveLogin(trx: Trx, loginId: string): Promise<boolean> {
  const login = await trx
    .selectFrom('logins')
    .select('id')
    .where('id', '=', loginId)
    .where('revoked_at', 'is', null)
    .forShare()
    .executeTakeFirst();
  return login !== undefined;
}

/** Checks the user when something is created on their behalf without a credential of theirs. */
export async function requireLiveUser(trx: Trx, userId: string): Promise<void> {
  const user = await trx
    .selectFrom('users')
    .select('suspended_at')
    .where('id', '=', userId)
    .forShare()
    .executeTakeFirst();
  if (user?.suspended_at) throw new ApiError('user_suspended', 'This account is suspended.');
}
