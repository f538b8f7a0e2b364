import type { Principal } from '../platform/auth/principal.ts';
import type { Trx } from '../platform/db/transaction.ts';
import { ApiError } from '../platform/errors.ts';

/**
 * What outlives a credential (a new key, a new password) is made only while it still holds, whatever the gate remembers
 * from a moment ago. Its row stays locked until then, so that it cannot be revoked in between.
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

/** A login that is live stays so until the transaction ends. */
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

/** For what is made in a user's name without a credential of theirs. */
export async function requireLiveUser(trx: Trx, userId: string): Promise<void> {
  const user = await trx
    .selectFrom('users')
    .select('suspended_at')
    .where('id', '=', userId)
    .forShare()
    .executeTakeFirst();
  if (user?.suspended_at) throw new ApiError('user_suspended', 'This account is suspended.');
}
