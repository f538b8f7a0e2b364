import type { Principal } from '../platform/auth/principal.ts';
import type { Trx } from '../platform/db/transaction.ts';
import { ApiError } from '../platform/http/errors.ts';

/**
 * What outlives a credential (a new key, a new password) is made only while it still holds, whatever the gate remembers
 * from a moment ago. Its row stays locked until then, so that it cannot be revoked in between.
 */
export async function requireLiveCredential(trx: Trx, { userId, apiKey, loginId }: Principal): Promise<void> {
  await requireLiveUser(trx, userId);
  const key =
    apiKey &&
    (await trx.selectFrom('api_keys').select('id').where('id', '=', apiKey.id).forShare().executeTakeFirst());
  const login =
    loginId &&
    (await trx
      .selectFrom('logins')
      .select('id')
      .where('id', '=', loginId)
      .where('revoked_at', 'is', null)
      .forShare()
      .executeTakeFirst());
  if ((apiKey && !key) || (loginId && !login)) {
    throw new ApiError('authentication_error', 'This credential has just been revoked.');
  }
}

/** The same of a user alone, for what is made in their name without a credential of theirs. */
export async function requireLiveUser(trx: Trx, userId: string): Promise<void> {
  const user = await trx
    .selectFrom('users')
    .select('suspended_at')
    .where('id', '=', userId)
    .forShare()
    .executeTakeFirst();
  if (user?.suspended_at) throw new ApiError('user_suspended', 'This account is suspended.');
}
