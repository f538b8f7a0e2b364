/** Filters the headers of a request to a port: nothing may allow the program to act for the sender. */
import type { FastifyRequest } from 'fastify';
import { CREDENTIAL_PROTOCOL } from '../../platform/auth/credential.ts';
import { ApiError } from '../../platform/errors.ts';
import type { PortTarget } from './request-target.ts';

/** Hop-by-hop headers. */
const OF_CONNECTION = ['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'];

const KEPT_BACK = new Set([
  ...OF_CONNECTION,
  'http2-settings',
  // Credentials, and headers for this server.
  'authorization',
  'x-api-key',
  'cookie',
  'cookie2',
  'x-client-version',
  'host',
  // Set again below, because values from the caller cannot be trusted.
  'content-length',
  'forwarded',
  'via',
  'x-real-ip',
  'x-request-id',
]);
const KEPT_BACK_PREFIXES = ['proxy-', 'x-forwarded-', 'x-drydock-'];

const isKeptBack = (name: string) =>
  KEPT_BACK.has(name) || KEPT_BACK_PREFIXES.some((prefix) => name.startsWith(prefix));

/** Alternating names and values. */
export type RawHeaders = string[];

/** Returns the hop-by-hop headers that a `Connection` header names. */
export const namedByConnection = (connection: string | undefined): ReadonlySet<string> =>
  new Set(
    connection
      ?.toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );

export interface ForwardedRequest {
  readonly request: FastifyRequest;
  readonly target: PortTarget;
  readonly port: number;
  /** Undefined if the connection stays HTTP. */
  readonly protocol: string | undefined;
  readonly isKept: boolean;
}

export function toInsideHeaders({ request, target, port, protocol, isKept }: ForwardedRequest): RawHeaders {
  const { raw, ip } = request;
  const named = namedByConnection(raw.headers.connection);
  // Development servers usually respond only to requests for localhost.
  const headers: RawHeaders = ['Host', `localhost:${port}`];
  for (let index = 0; index < raw.rawHeaders.length; index += 2) {
    const [name = '', value = ''] = raw.rawHeaders.slice(index, index + 2);
    const lower = name.toLowerCase();
    if (isKeptBack(lower) || named.has(lower)) continue;
    const kept = lower === 'sec-websocket-protocol' ? withoutCredentials(value) : value;
    if (kept !== '' || value === '') headers.push(name, kept);
  }
  headers.push(...toBodyHeaders(request));
  headers.push('X-Request-Id', request.id, 'X-Forwarded-For', ip, 'X-Forwarded-Proto', request.protocol);
  if (request.host) headers.push('X-Forwarded-Host', request.host);
  headers.push('X-Forwarded-Prefix', target.prefix);
  if (protocol) headers.push('Connection', 'Upgrade', 'Upgrade', protocol);
  else headers.push('Connection', isKept ? 'keep-alive' : 'close');
  return headers;
}

/** Browsers send their credential as one of the offered subprotocols. */
const withoutCredentials = (protocols: string) =>
  protocols
    .split(',')
    .map((name) => name.trim())
    .filter((name) => !name.toLowerCase().startsWith(CREDENTIAL_PROTOCOL))
    .join(', ');

/** Derives the body headers from the parsed request, so that only one interpretation of an ambiguous request is forwarded. */
function toBodyHeaders({ headers, method }: FastifyRequest): RawHeaders {
  const { 'transfer-encoding': encoding, 'content-length': length } = headers;
  if (encoding !== undefined) {
    if (encoding.trim().toLowerCase() === 'chunked') return ['Transfer-Encoding', 'chunked'];
    throw new ApiError('invalid_error', 'The only supported transfer encoding is "chunked".');
  }
  if (length !== undefined) return ['Content-Length', length];
  return method === 'POST' || method === 'PUT' || method === 'PATCH' ? ['Content-Length', '0'] : [];
}
