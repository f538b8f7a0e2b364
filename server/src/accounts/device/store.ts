/** Device codes: created for a program, approved by a user, exchanged once for the tokens of a login. */

import { randomInt } from 'node:crypto';
import { actorOf, auditAccount } from '../../platform/audit/audit.ts';
import type { Principal, UserScope } from '../../platform/auth/principal.ts';
import { newDeviceCode, tokenHash } from '../../platform/auth/random-token.ts';
import type { Signer } from '../../platform/auth/signing.ts';
import type { Db } from '../../platform/db/connect.ts';
import { deleteInBatches } from '../../platform/db/delete-in-batches.ts';
import { type Trx, transaction, transactionFor } from '../../platform/db/transaction.ts';
import { ApiError, forbidden } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { isLiveLogin, requireLiveCredential, requireLiveUser } from '../live-credential.ts';
import { giveTurnBack, takeTurn } from '../throttle.ts';
import { startLogin, type TokenPair } from '../tokens.ts';

const SECONDS = 10 * 60;
const MAX_CODES_PER_ADDRESS = 60;
/** Limit for guesses among 25 billion codes. */
const MAX_WRONG_APPROVALS = 10;
const ASK_AGAIN_SECONDS = 5;
const TRIES = 10;

const COLUMNS = ['id', 'user_code', 'expires_at', 'approved_at', 'user_id'] as const;

interface DeviceCodeRow {
  id: string;
  user_code: string;
  expires_at: string;
  approved_at: string | null;
  user_id: string | null;
}

function toDeviceCode(row: DeviceCodeRow, device_code: string, publicUrl: string) {
  const user_code = showUserCode(row.user_code);
  return {
    id: row.id,
    device_code,
    user_code,
    verification_url: `${publicUrl}/device?user_code=${user_code}`,
    expires_at: row.expires_at,
    expires_in: Math.max(0, Math.ceil((Date.parse(row.expires_at) - Date.now()) / 1000)),
    completed: row.approved_at !== null,
    user_id: row.user_id,
  };
}

const gone = () =>
  new ApiError('not_found_error', 'This code is unknown, used or expired; have the program make another.');

export async function createDeviceCode(db: Db, publicUrl: string, address: string, userCode = newUserCode) {
  const subject = `device codes from ${address}`;
  await takeTurn(db, { subject, limit: MAX_CODES_PER_ADDRESS, what: 'device codes' });
  const device_code = newDeviceCode();
  for (let tries = TRIES; tries > 0; tries--) {
    const row = await db
      .insertInto('device_codes')
      .values({
        id: uuidv7(),
        device_code_hash: tokenHash(device_code),
        user_code: userCode(),
        expires_at: new Date(Date.now() + SECONDS * 1000).toISOString(),
      })
      .onConflict((conflict) => conflict.column('user_code').doNothing())
      .returning(COLUMNS)
      .executeTakeFirst();
    if (row) return toDeviceCode(row, device_code, publicUrl);
  }
  throw new Error(`no free user code was found in ${TRIES} tries`);
}

export async function getDeviceCode(db: Db, publicUrl: string, deviceCode: string) {
  const row = await db
    .selectFrom('device_codes')
    .select(COLUMNS)
    .where('device_code_hash', '=', tokenHash(deviceCode))
    .where('expires_at', '>', new Date().toISOString())
    .executeTakeFirst();
  if (!row) throw gone();
  return toDeviceCode(row, deviceCode, publicUrl);
}

/** Guessing another user's code would sign their program in as the guesser, so wrong codes are counted. */
export async function approveDeviceCode(db: Db, scope: UserScope, typed: string) {
  const { principal } = scope;
  requireLasting(principal);
  const userCode = readUserCode(typed);
  const turn = await takeTurn(db, {
    subject: `device approvals of ${principal.userId}`,
    limit: MAX_WRONG_APPROVALS,
    what: 'wrong device codes',
  });
  return transactionFor(db, scope, async (trx) => {
    await requireLiveCredential(trx, principal);
    const now = new Date().toISOString();
    const approved = await trx
      .updateTable('device_codes')
      .set({
        user_id: principal.userId,
        api_key_id: principal.apiKey?.id ?? null,
        login_id: principal.loginId ?? null,
        approved_at: now,
      })
      .where('user_code', '=', userCode)
      .where('expires_at', '>', now)
      .where('approved_at', 'is', null)
      .returning('id')
      .executeTakeFirst();
    if (!approved) throw await notApprovable(trx, userCode, now);
    await giveTurnBack(trx, turn);
    const { id } = approved;
    await auditAccount(trx, actorOf(scope), { action: 'device.approved', resource: `device-codes/${id}` });
    const user_code = showUserCode(userCode);
    return { id, user_code, completed: true as const, user_id: principal.userId };
  });
}

/** The login outlives the key that approved it, so an expiring key would create more access than it has. */
function requireLasting({ apiKey }: Principal): void {
  if (apiKey?.expiresAt)
    throw forbidden('The key you use expires; approve with an access token or a key that does not.');
}

async function notApprovable(trx: Trx, userCode: string, now: string): Promise<ApiError> {
  const approved = await trx
    .selectFrom('device_codes')
    .select('id')
    .where('user_code', '=', userCode)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return approved ? new ApiError('conflict_error', 'This code has been approved before.') : gone();
}

export async function exchangeDeviceCode(db: Db, signer: Signer, deviceCode: string): Promise<TokenPair> {
  const device_code_hash = tokenHash(deviceCode);
  return transaction(db, async (trx) => {
    const code = await trx
      .selectFrom('device_codes')
      .select(['id', 'user_id', 'login_id'])
      .where('device_code_hash', '=', device_code_hash)
      .where('expires_at', '>', new Date().toISOString())
      .where('used_at', 'is', null)
      .executeTakeFirst();
    if (!code) throw gone();
    if (!code.user_id) throw notYet();
    await requireLiveUser(trx, code.user_id);
    if (code.login_id && !(await isLiveLogin(trx, code.login_id))) throw gone();
    const { numUpdatedRows } = await trx
      .updateTable('device_codes')
      .set({ used_at: new Date().toISOString() })
      .where('id', '=', code.id)
      .where('used_at', 'is', null)
      .executeTakeFirstOrThrow();
    // Another exchange was faster, the approval was withdrawn, or its key was deleted.
    if (numUpdatedRows === 0n) throw gone();
    return startLogin(trx, signer, code.user_id);
  });
}

function notYet(): ApiError {
  const detail = `No user has approved this code yet; ask again in ${ASK_AGAIN_SECONDS} seconds.`;
  return new ApiError('invalid_error', detail, { headers: { 'retry-after': String(ASK_AGAIN_SECONDS) } });
}

/** Withdraws approvals whose tokens no program has fetched yet. */
export async function withdrawApprovals(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('device_codes').where('user_id', '=', userId).execute();
}

/** Expired codes are indistinguishable from unknown ones. */
export function forgetOldDeviceCodes(db: Db): Promise<number> {
  return deleteInBatches(async (size) => {
    const expired = db
      .selectFrom('device_codes')
      .select('id')
      .where('expires_at', '<', new Date().toISOString())
      .orderBy('expires_at')
      .limit(size)
      .forUpdate()
      .skipLocked();
    return db.deleteFrom('device_codes').where('id', 'in', expired).executeTakeFirstOrThrow();
  });
}

/** Consonants only: none resembles a digit, and no words appear by accident. */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

export function newUserCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

export const showUserCode = (code: string) => `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;

/** Normalizes typed input to the stored form; text that is not a code stays invalid. */
export const readUserCode = (typed: string) => typed.replace(/[\s\p{Pd}]/gu, '').toUpperCase();
