/** Forwards a request for `http://…` from the proxy to its host, and the response back. */
import { type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';

export interface Way {
  readonly upstream: Socket;
  /** Authority of the URL that was checked, whatever `Host` header the sandbox sent. */
  readonly authority: string;
}

type Headers = Record<string, string | string[]>;

const MAX_ANSWER_HEADER_BYTES = 64 * 1024;
/** Headers of a single connection (RFC 9110, 7.6.1), or meant for the proxy, which has handled `Expect` itself. */
const OF_ONE_CONNECTION = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Required to frame and route a message: a `Connection` header cannot remove them. */
const NEVER_DROPPED = new Set(['content-length', 'host']);

export function forward(request: IncomingMessage, response: ServerResponse, way: Way): void {
  const { upstream } = way;
  if (response.destroyed) return void upstream.destroy();
  const outgoing = sendRequest({
    createConnection: () => upstream,
    method: request.method,
    path: toPath(request.url ?? ''),
    headers: toRequestHeaders(request, way.authority),
    maxHeaderSize: MAX_ANSWER_HEADER_BYTES,
  });
  response.on('close', () => upstream.destroy());
  outgoing.on('error', () => failResponse(response));
  outgoing.on('response', (received) => passBack(received, response));
  const hasBody = 'content-length' in request.headers || 'transfer-encoding' in request.headers;
  if (hasBody) pipeline(request, outgoing, () => undefined);
  else outgoing.end();
}

function passBack(received: IncomingMessage, response: ServerResponse): void {
  if (response.headersSent || response.destroyed) return void received.destroy();
  const headers = { ...withoutThoseOfOneConnection(received), via: '1.1 drydock' };
  try {
    response.writeHead(received.statusCode ?? 502, received.statusMessage ?? '', headers);
  } catch {
    // Node parses some status lines and headers that it refuses to write.
    received.destroy();
    return failResponse(response);
  }
  // A response that breaks off is cut here too, so that it is not taken for a complete one.
  pipeline(received, response, () => undefined);
}

function failResponse(response: ServerResponse): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(502, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' });
  response.end('The host was reached, but did not give a whole answer.\n');
}

function toRequestHeaders(request: IncomingMessage, authority: string): Headers {
  const isChunked = 'transfer-encoding' in request.headers;
  return {
    ...withoutThoseOfOneConnection(request),
    host: authority,
    via: '1.1 drydock',
    connection: 'close',
    ...(isChunked && { 'transfer-encoding': 'chunked' }),
  };
}

function withoutThoseOfOneConnection(message: IncomingMessage): Headers {
  const named = (message.headersDistinct.connection ?? [])
    .flatMap((value) => value.split(','))
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !NEVER_DROPPED.has(name));
  const dropped = new Set([...OF_ONE_CONNECTION, ...named]);
  const kept = Object.entries(message.headersDistinct).filter(([name]) => !dropped.has(name));
  return Object.fromEntries(kept.map(([name, values = []]) => [name, values]));
}

/** Returns the path as sent: some hosts treat a normalized path as a different one. */
function toPath(url: string): string {
  const path = /^http:\/\/[^/?#]*([^#]*)/i.exec(url)?.[1] ?? '';
  return path.startsWith('/') ? path : `/${path}`;
}
