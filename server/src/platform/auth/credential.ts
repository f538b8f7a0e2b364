import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../errors.ts';

export const CREDENTIAL_PROTOCOL = 'drydock.bearer.';

/**
 * Reads the access token or API key of a request without checking it.
 * @param webSocketProtocol the subprotocol of a WebSocket request: another offered subprotocol may hold the credential
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

/**
 * A credential is accepted only beside the spoken subprotocol: a server selects one of the offered subprotocols, and must never select the
 * credential.
 */
function findInProtocols(headers: IncomingHttpHeaders, spoken: string): string | undefined {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  if (!offered.includes(spoken)) return undefined;
  return offered.find((name) => name.startsWith(CREDENTIAL_PROTOCOL))?.slice(CREDENTIAL_PROTOCOL.length);
}
