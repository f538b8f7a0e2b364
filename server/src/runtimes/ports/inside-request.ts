/** Forwards a request to a program in a sandbox, streaming its body, and waits for the response. */
import { type ClientRequest, type IncomingMessage, request as sendRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../platform/errors.ts';
import { hasBody } from '../../platform/http/requests/body-arrival.ts';
import type { ReachedPort } from './exposed-port.ts';
import type { PortPool, PortRequestArgs } from './port-pool.ts';
import { toInsideHeaders } from './request-headers.ts';
import type { PortTarget } from './request-target.ts';

/** Timeout in milliseconds since the last forwarded byte of the request. */
export const FIRST_BYTE_MS = 60_000;

export interface InsideRequest {
  readonly request: FastifyRequest;
  readonly reached: ReachedPort;
  readonly target: PortTarget;
  /** Protocol of a requested upgrade. */
  readonly protocol: string | undefined;
  /** Aborted when the caller disconnects or loses permission. */
  readonly signal: AbortSignal;
  readonly firstByteMs: number;
}

/** The response, with a connection if the protocol was upgraded. */
export interface Met {
  readonly response: IncomingMessage;
  readonly connection?: { readonly socket: Duplex; readonly head: Buffer };
}

const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/**
 * A pooled connection may be closed by the other side just when it is used. Requests that can be repeated are then sent again; all others
 * use a new connection.
 */
export async function meetInside(pool: PortPool, inside: InsideRequest): Promise<Met> {
  const { method, headers } = inside.request;
  if (inside.protocol || hasBody(headers) || !REPEATABLE.has(method)) return await meet(pool, inside, false);
  try {
    return await meet(pool, inside, true);
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    return await meet(pool, inside, false);
  }
}

class StaleConnection extends Error {}

async function meet(pool: PortPool, inside: InsideRequest, isKept: boolean): Promise<Met> {
  const { request, reached, target, protocol, signal } = inside;
  const { port } = reached;
  const options: PortRequestArgs = {
    agent: isKept ? pool : pool.unkept,
    method: request.method,
    path: target.rest,
    headers: toInsideHeaders({ request, target, port, protocol, isKept }),
    reached,
  };
  const outgoing = sendRequest(options);
  const met = untilMet(outgoing, protocol !== undefined);
  const leave = () => outgoing.destroy(signal.reason as Error);
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  const late = setTimeout(() => outgoing.destroy(tooLate(port, inside.firstByteMs)), inside.firstByteMs);
  sendBody(request, outgoing, () => late.refresh());
  try {
    const { response } = await met;
    // Cuts off the rest of the response when the caller disconnects.
    response.once('close', () => signal.removeEventListener('abort', leave));
    return await met;
  } catch (error) {
    signal.removeEventListener('abort', leave);
    throw explain(error, port, isKept && outgoing.reusedSocket);
  } finally {
    clearTimeout(late);
  }
}

function untilMet(outgoing: ClientRequest, mayChange: boolean): Promise<Met> {
  const { promise, resolve, reject } = Promise.withResolvers<Met>();
  outgoing.once('response', (response) => {
    // Otherwise a response without a length would seem complete when its connection is reset.
    outgoing.on('error', (error) => response.complete || response.destroy(error));
    resolve({ response });
  });
  outgoing.once('upgrade', (response, socket, head) => {
    if (mayChange) return resolve({ response, connection: { socket, head } });
    socket.destroy(); // No upgrade was requested.
    return reject(new Error('upgraded'));
  });
  outgoing.on('error', reject);
  return promise;
}

function sendBody({ raw }: FastifyRequest, outgoing: ClientRequest, onPart: () => void): void {
  if (!hasBody(raw.headers)) return void outgoing.end();
  raw.on('data', onPart).pipe(outgoing);
  raw.once('close', () => raw.complete || outgoing.destroy());
  outgoing.once('close', () => raw.unpipe(outgoing).off('data', onPart).pause());
}

const tooLate = (port: number, ms: number) =>
  new ApiError(
    'gateway_timeout_error',
    `The program at port ${port} has not responded for ${Math.round(ms / 1000)} seconds. It may be stuck; check its output.`,
  );

function explain(error: unknown, port: number, isReused: boolean): unknown {
  if (error instanceof ApiError) return error;
  const { code = '', name } = error as NodeJS.ErrnoException;
  if (name === 'AbortError') return error;
  if (isReused && (code === 'ECONNRESET' || code === 'EPIPE')) return new StaleConnection();
  const what = code.startsWith('HPE_')
    ? 'answered with something that is not HTTP'
    : 'closed the connection without an answer';
  const detail = `What listens at port ${port} ${what}. Look at what it writes, and whether it speaks HTTP there.`;
  return new ApiError('bad_gateway_error', detail, { cause: error });
}
