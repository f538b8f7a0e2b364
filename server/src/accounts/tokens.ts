/** Access tokens (signed, 15 minutes) and refresh tokens (random, 30 days, usable once). */
import { z } from 'zod';
import { newRefreshToken, tokenHash } from '../platform/auth/random-token.ts';
import type { Signer } from '../platform/auth/signing.ts';
import type { Trx } from '../platform/db/transaction.ts';
import { ApiError } from '../platform/errors.ts';
import { uuidv7 } from '../platform/uuid.ts';

const ACCESS_TOKEN_SECONDS = 15 * 60;
export const REFRESH_TOKEN_SECONDS = 30 * 24 * 60 * 60;

const Statement = z.object({ user: z.string(), login: z.string(), expires: z.number() });
type Statement = z.output<typeof Statement>;

export interface AccessToken {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
}

export interface TokenPair extends AccessToken {
  readonly refresh_token: string;
}

export function openAccessToken(signer: Signer, token: string, now = Date.now()): Statement {
  if (!/^[\w-]+\.[\w-]+$/.test(token)) {
    throw new ApiError('authentication_error', 'The credential is neither an access token nor an API key.');
  }
  const statement = Statement.safeParse(signer.open('access-token', token));
  if (!statement.success)
    throw new ApiError('token_error', 'The access token was not signed by this server; log in again.');
  if (statement.data.expires <= now) {
    throw new ApiError(
      'expired_token_error',
      'The access token has expired; use the refresh token to get a new one.',
    );
  }
  return statement.data;
}

export async function startLogin(trx: Trx, signer: Signer, userId: string): Promise<TokenPair> {
  const loginId = uuidv7();
  await trx.insertInto('logins').values({ id: loginId, user_id: userId }).execute();
  return issueTokens(trx, signer, userId, loginId);
}

export async function issueTokens(
  trx: Trx,
  signer: Signer,
  userId: string,
  loginId: string,
): Promise<TokenPair> {
  const refresh_token = newRefreshToken();
  const expires_at = new Date(Date.now() + REFRESH_TOKEN_SECONDS * 1000).toISOString();
  await trx
    .insertInto('refresh_tokens')
    .values({ token_hash: tokenHash(refresh_token), login_id: loginId, expires_at })
    .execute();
  return { ...signAccessToken(signer, userId, loginId), refresh_token };
}

export function signAccessToken(signer: Signer, userId: string, loginId: string): AccessToken {
  const expires = Date.now() + ACCESS_TOKEN_SECONDS * 1000;
  const statement: Statement = { user: userId, login: loginId, expires };
  return {
    access_token: signer.sign('access-token', statement),
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
  };
}
