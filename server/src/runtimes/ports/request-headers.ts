/** The headers of a request as the inside gets them: nothing by which its sender could be taken for by others. */
import type { FastifyRequest } from 'fastify';
import { CREDENTIAL_PROTOCOL } from '../../platform/auth/credential.ts';
import { ApiError } from '../../platform/errors.ts';
import type { PortTarget } from './request-target.ts';

/** Of one connection alone. */
const OF_CONNECTION = ['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'];

const KEPT_BACK = new Set([
  ...OF_CONNECTION,
  'http2-settings',
  // Credentials, and what is said to us.
  'authorization',
  'x-api-key',
  'cookie',
  'cookie2',
  'x-client-version',
  'host',
  // Set anew below: what a caller says of itself need not be so.
  'content-length',
  'forwarded',
  'via',
  'x-real-ip',
  'x-request-id',
]);
const KEPT_BACK_PREFIXES = ['proxy-', 'x-forwarded-', 'x-drydock-'];

const isKeptBack = (name: string) =>
  KEPT_BACK.has(name) || KEPT_BACK_PREFIXES.some((prefix) => name.startsWith(prefix));

/** Names and values in turn. */
export type RawHeaders = string[];

/** Names that a `Connection` header says are of that connection alone. */
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
  /** undefined where the connection stays HTTP. */
  readonly protocol: string | undefined;
  readonly isKept: boolean;
}

export function toInsideHeaders({ request, target, port, protocol, isKept }: ForwardedRequest): RawHeaders {
  const { raw, ip } = request;
  const named = namedByConnection(raw.headers.connection);
  // What is served at localhost for its developer mostly answers to no other name.
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

/** A browser sends its credential as one of the subprotocols that it offers. */
const withoutCredentials = (protocols: string) =>
  protocols
    .split(',')
    .map((name) => name.trim())
    .filter((name) => !name.toLowerCase().startsWith(CREDENTIAL_PROTOCOL))
    .join(', ');

/** Anew by what was read: of a request that is understood in two ways only one is passed on. */
function toBodyHeaders({ headers, method }: FastifyRequest): RawHeaders {
  const { 'transfer-encoding': encoding, 'content-length': length } = headers;
  if (encoding !== undefined) {
    if (encoding.trim().toLowerCase() === 'chunked') return ['Transfer-Encoding', 'chunked'];
    throw new ApiError('invalid_error', 'Of the transfer encodings only "chunked" is passed on.');
  }
  if (length !== undefined) return ['Content-Length', length];
  return method === 'POST' || method === 'PUT' || method === 'PATCH' ? ['Content-Length', '0'] : [];
}
