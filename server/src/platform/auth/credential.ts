import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../http/errors.ts';

/** The access token or API key that a request carries; it is checked by whoever knows tokens and keys. */
export function readCredential(headers: IncomingHttpHeaders): string {
  const { authorization } = headers;
  if (authorization !== undefined) {
    const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1];
    if (!token)
      throw new ApiError('authentication_error', 'Send "Authorization: Bearer <access token or API key>".');
    return token;
  }
  const key = headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return key;
  throw new ApiError(
    'authentication_error',
    'This needs a credential: send "Authorization: Bearer <access token or API key>" or "X-API-Key: <API key>".',
  );
}
