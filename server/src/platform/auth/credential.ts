import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../errors.ts';

export const CREDENTIAL_PROTOCOL = 'drydock.bearer.';

/**
 * The access token or API key that a request carries; it is checked by whoever knows tokens and keys.
 *
 * @param webSocketProtocol of a WebSocket: beside it, a subprotocol may be the credential
 */
export function readCredential(headers: IncomingHttpHeaders, webSocketProtocol?: string): string {
  const { authorization } = headers;
  if (authorization !== undefined) {
    const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1];
    if (!token)
      throw new ApiError('authentication_error', 'Send "Authorization: Bearer <access token or API key>".');
    return token;
  }
  const key = headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return key;
  const offered = webSocketProtocol === undefined ? undefined : findInProtocols(headers, webSocketProtocol);
  if (offered !== undefined) return offered;
  throw new ApiError(
    'authentication_error',
    'This needs a credential: send "Authorization: Bearer <access token or API key>" or "X-API-Key: <API key>".',
  );
}

/** Only beside the one that can be spoken: a server answers with one of those that it was offered, and never with a credential. */
function findInProtocols(headers: IncomingHttpHeaders, spoken: string): string | undefined {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  if (!offered.includes(spoken)) return undefined;
  return offered.find((name) => name.startsWith(CREDENTIAL_PROTOCOL))?.slice(CREDENTIAL_PROTOCOL.length);
}
