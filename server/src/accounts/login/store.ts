import { auditAccount } from '../../platform/audit/audit.ts';
import { hashPassword, verifyPassword } from '../../platform/auth/passwords.ts';
import { tokenHash } from '../../platform/auth/random-token.ts';
import type { Signer } from '../../platform/auth/signing.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transaction } from '../../platform/db/transaction.ts';
import { alreadyExists, explainViolation } from '../../platform/db/violations.ts';
import { ApiError, forbidden } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { acceptInvitation, findInvitation } from '../members/invitations.ts';
import { clearAttempts, recordAttempt, recordSignup } from '../throttle.ts';
import { type AccessToken, issueTokens, signAccessToken, startLogin, type TokenPair } from '../tokens.ts';
import { requireUsername, suggestUsername } from '../users/username.ts';
import type { Login, Signup } from './schema.ts';

export interface Caller {
  readonly requestId: string;
  readonly address: string;
}

type SignedIn = TokenPair & { readonly userId: string };

export interface SignupRules {
  readonly signer: Signer;
  readonly signup: 'open' | 'closed';
}

export async function signUp(
  db: Db,
  { signer, signup }: SignupRules,
  caller: Caller,
  request: Signup,
): Promise<SignedIn> {
  const { email_address, username, invitation_token } = request;
  if (signup === 'closed' && !invitation_token) {
    throw forbidden('Sign-up is closed on this server; ask an administrator for an invitation.');
  }
  if (typeof username === 'string') requireUsername(username);
  // Checked before a tenth of a second is spent on the password; used, once, within the transaction.
  if (invitation_token) await findInvitation(db, invitation_token, email_address);
  else await recordSignup(db, caller.address);
  const password_hash = await hashPassword(request.password);
  return transaction(db, async (trx) => {
    const userId = await createUser(trx, { email_address, username: username ?? undefined, password_hash });
    const actor = { userId, apiKeyId: null, requestId: caller.requestId };
    const entry = { action: 'user.signed_up', resource: `users/${userId}`, after: { email_address } };
    await auditAccount(trx, actor, entry);
    if (invitation_token) await acceptInvitation(trx, actor, invitation_token, email_address);
    return { ...(await startLogin(trx, signer, userId)), userId };
  });
}

export interface NewUser {
  readonly email_address: string;
  readonly username?: string | undefined;
  readonly password_hash?: string;
  readonly is_platform_admin?: boolean;
  readonly onboarding_completed_at?: string;
}

export async function createUser(trx: Trx, { password_hash, ...user }: NewUser): Promise<string> {
  const id = uuidv7();
  const { email_address } = user;
  await explainViolation(
    trx
      .insertInto('users')
      .values({
        id,
        email_address,
        username: user.username ?? suggestUsername(email_address),
        ...(user.is_platform_admin && { is_platform_admin: true }),
        ...(user.onboarding_completed_at && { onboarding_completed_at: user.onboarding_completed_at }),
      })
      .execute(),
    {
      users_username_key: alreadyExists('This username is taken; choose another.'),
      users_email_address_key: alreadyExists('This e-mail address has an account; log in instead.'),
    },
  );
  if (password_hash) {
    await trx
      .insertInto('identities')
      .values({ provider: 'password', subject: email_address, user_id: id, password_hash })
      .execute();
  }
  return id;
}

export async function logIn(db: Db, signer: Signer, caller: Caller, request: Login): Promise<SignedIn> {
  const attempt = { subject: request.email_address, address: caller.address };
  await recordAttempt(db, attempt);
  const identity = await selectIdentity(db, request.email_address).executeTakeFirst();
  const isRight = await verifyPassword(request.password, identity?.password_hash ?? undefined);
  if (!identity || !isRight) throw wrongPassword();
  await clearAttempts(db, attempt);
  if (identity.suspended_at) throw new ApiError('user_suspended', 'This account is suspended.');
  return transaction(db, async (trx) => {
    // Checks that the verified password is still current: a concurrent change must not leave a login behind.
    const current = await selectIdentity(trx, request.email_address).forShare('i').executeTakeFirst();
    if (current?.password_hash !== identity.password_hash) throw wrongPassword();
    const { user_id: userId } = identity;
    if (request.invitation_token) {
      const actor = { userId, apiKeyId: null, requestId: caller.requestId };
      await acceptInvitation(trx, actor, request.invitation_token, request.email_address);
    }
    return { ...(await startLogin(trx, signer, userId)), userId };
  });
}

const wrongPassword = () =>
  new ApiError('authentication_error', 'The e-mail address or the password is wrong.');

function selectIdentity(db: Db, email: string) {
  return db
    .selectFrom('identities as i')
    .innerJoin('users as u', 'u.id', 'i.user_id')
    .select(['i.password_hash', 'i.user_id', 'u.suspended_at'])
    .where('i.provider', '=', 'password')
    .where('i.subject', '=', email);
}

export async function refreshLogin(
  db: Db,
  signer: Signer,
  requestId: string,
  refreshToken: string,
): Promise<SignedIn> {
  const outcome = await transaction(db, (trx) => rotate(trx, signer, requestId, refreshToken));
  // Thrown after the transaction, so that its revocation is kept.
  if (outcome instanceof ApiError) throw outcome;
  return outcome;
}

async function rotate(
  trx: Trx,
  signer: Signer,
  requestId: string,
  refreshToken: string,
): Promise<SignedIn | ApiError> {
  const found = await selectRefreshToken(trx, refreshToken).forUpdate('t').executeTakeFirst();
  if (found?.used_at && !found.revoked_at) {
    // Two clients have the same token: one of them stole it, and which one is unknown.
    await revokeLogin(trx, found.login_id);
    const actor = { userId: found.user_id, apiKeyId: null, requestId };
    await auditAccount(trx, actor, { action: 'login.reuse_detected', resource: `logins/${found.login_id}` });
    return new ApiError(
      'token_error',
      'This refresh token was used before; its login has been ended. Log in again.',
    );
  }
  const { user_id: userId, login_id } = requireAlive(found);
  await trx
    .updateTable('refresh_tokens')
    .set({ used_at: new Date().toISOString() })
    .where('token_hash', '=', tokenHash(refreshToken))
    .execute();
  return { ...(await issueTokens(trx, signer, userId, login_id)), userId };
}

/** Issues an access token without rotating the refresh token, for browsers whose tabs share it. */
export async function continueLogin(
  db: Db,
  signer: Signer,
  refreshToken: string,
): Promise<AccessToken & Pick<SignedIn, 'userId'>> {
  const found = await selectRefreshToken(db, refreshToken).executeTakeFirst();
  if (found?.used_at) throw unknownToken();
  const { user_id: userId, login_id } = requireAlive(found);
  return { ...signAccessToken(signer, userId, login_id), userId };
}

const selectRefreshToken = (db: Db, refreshToken: string) =>
  db
    .selectFrom('refresh_tokens as t')
    .innerJoin('logins as l', 'l.id', 't.login_id')
    .innerJoin('users as u', 'u.id', 'l.user_id')
    .select(['t.login_id', 't.expires_at', 't.used_at', 'l.revoked_at', 'u.id as user_id', 'u.suspended_at'])
    .where('t.token_hash', '=', tokenHash(refreshToken));

interface FoundToken {
  readonly login_id: string;
  readonly user_id: string;
  readonly expires_at: string;
  readonly revoked_at: string | null;
  readonly suspended_at: string | null;
}

function requireAlive(found: FoundToken | undefined): FoundToken {
  if (!found || found.revoked_at) throw unknownToken();
  if (Date.parse(found.expires_at) <= Date.now())
    throw new ApiError('expired_token_error', 'The refresh token has expired; log in again.');
  if (found.suspended_at) throw new ApiError('user_suspended', 'This account is suspended.');
  return found;
}

const unknownToken = () =>
  new ApiError('authentication_error', 'The refresh token is unknown or revoked; log in again.');

/** Ends the login of the token, if there is one; an invalid token is not an error. */
export async function logOut(db: Db, refreshToken: string): Promise<void> {
  await transaction(db, async (trx) => {
    const found = await trx
      .selectFrom('refresh_tokens')
      .select('login_id')
      .where('token_hash', '=', tokenHash(refreshToken))
      .executeTakeFirst();
    if (found) await revokeLogin(trx, found.login_id);
  });
}

async function revokeLogin(trx: Trx, loginId: string): Promise<void> {
  await trx
    .updateTable('logins')
    .set({ revoked_at: new Date().toISOString() })
    .where('id', '=', loginId)
    .where('revoked_at', 'is', null)
    .execute();
}
