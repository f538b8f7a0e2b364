/** Forwards requests to programs in sandboxes and streams their responses. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { ApiError, forbidden } from '../../platform/errors.ts';
import { hasBody } from '../../platform/http/requests/body-arrival.ts';
import { discard } from '../../platform/http/requests/uploads.ts';
import type { Upgrade } from '../../platform/http/upgrades.ts';
import { splice } from '../../platform/net/splice.ts';
import type { ReachedPort } from './exposed-port.ts';
import { FIRST_BYTE_MS, type Met, meetInside } from './inside-request.ts';
import type { PortPool } from './port-pool.ts';
import type { RawHeaders } from './request-headers.ts';
import { splitTarget } from './request-target.ts';
import { toOutsideHeaders } from './response-headers.ts';

export interface Passed {
  readonly request: FastifyRequest;
  readonly reached: ReachedPort;
  readonly upgrade: Upgrade | undefined;
  readonly signal: AbortSignal;
}

export interface ProxyTools {
  readonly pool: PortPool;
  readonly firstByteMs?: number;
}

/** Writes the response of the port to the connection that `begin` returns. */
type SendResponse = (begin: () => ServerResponse) => Promise<void>;

/** @returns undefined when the connection was taken over */
export async function pass(tools: ProxyTools, passed: Passed): Promise<SendResponse | undefined> {
  const { request, reached, upgrade, signal } = passed;
  requireNoServiceWorker(request);
  const target = splitTarget(request.raw.url ?? '');
  const protocol = upgrade && /^websocket$/i.test(upgrade.protocol) ? upgrade.protocol : undefined;
  const { pool, firstByteMs = FIRST_BYTE_MS } = tools;
  const met = await meetInside(pool, { request, reached, target, protocol, signal, firstByteMs });
  try {
    requireStatus(met, reached.port);
    const headers = toOutsideHeaders(met.response, {
      requestId: request.id,
      port: reached.port,
      prefix: target.prefix,
      rest: target.rest,
    });
    if (!upgrade || !met.connection) return (begin) => passResponse(met.response, headers, request, begin);
    passConnection(upgrade, met, headers);
    return undefined;
  } catch (error) {
    met.response.destroy();
    met.connection?.socket.destroy();
    throw error;
  }
}

/** A status below 200 is only valid for a protocol upgrade. */
function requireStatus({ response, connection }: Met, port: number): void {
  const { statusCode = 0 } = response;
  if (connection || statusCode >= 200) return;
  const detail = `What listens at port ${port} answered with the status ${statusCode}, which is none of an answer.`;
  throw new ApiError('bad_gateway_error', detail);
}

/** A service worker would handle everything below its path on this origin, for as long as the browser keeps it. */
function requireNoServiceWorker({ headers }: FastifyRequest): void {
  if (headers['service-worker'] !== undefined)
    throw forbidden('A service worker cannot be served by a runtime.');
}

async function passResponse(
  received: IncomingMessage,
  headers: RawHeaders,
  { raw }: FastifyRequest,
  begin: () => ServerResponse,
): Promise<void> {
  const response = begin();
  const isBodyLeft = () => hasBody(raw.headers) && !raw.complete;
  // The start of a next request cannot be determined.
  if (isBodyLeft()) headers.push('Connection', 'close');
  response.writeHead(received.statusCode ?? 502, headers);
  await pour(received, response);
  if (isBodyLeft()) await discard(raw);
  await new Promise<void>((resolve) => response.once('close', resolve).end(resolve));
}

/** Streams a body with backpressure; the head is sent together with the first chunk if that is already available. */
function pour(from: IncomingMessage, to: ServerResponse): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const flush = setImmediate(() => to.flushHeaders());
  from.on('data', (part: Buffer) => {
    clearImmediate(flush);
    if (!to.write(part, () => release(part))) from.pause();
  });
  to.on('drain', () => from.resume());
  from.once('end', resolve).once('error', reject);
  from.once('close', () => from.complete || reject(new Error('cut off')));
  to.once('close', () => reject(new Error('left')));
  return promise.finally(() => {
    clearImmediate(flush);
    if (!from.complete) from.destroy();
  });
}

/**
 * Releases its memory at once. V8 counts memory outside of its heap: for every 40 MB that pass through it would run a full garbage
 * collection, which costs more than forwarding them.
 */
function release({ buffer, length }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}

function passConnection(upgrade: Upgrade, { response, connection }: Met, headers: RawHeaders): void {
  const { socket, head, signal } = upgrade.take();
  if (!connection) return void socket.destroy();
  const lines = [`HTTP/1.1 101 ${STATUS_CODES[101]}`, 'Connection: Upgrade'];
  lines.push(`Upgrade: ${response.headers.upgrade}`);
  for (let index = 0; index < headers.length; index += 2)
    lines.push(`${headers[index]}: ${headers[index + 1]}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  socket.write(connection.head);
  connection.socket.write(head);
  splice(socket, connection.socket);
  // The server does not know the protocol of the connection, so it can only cut it off.
  signal.addEventListener('abort', () => socket.destroy());
}
