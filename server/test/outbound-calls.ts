/** The guarded client as tests use it, and servers with scripted responses for it. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import {
  GuardedClient,
  type GuardedClientOptions,
  type OutboundRequest,
} from '../src/platform/net/guarded-client.ts';
import { OutboundError } from '../src/platform/net/outbound-error.ts';
import { WAIT_TIMEOUT_MS } from './wait-timeout.ts';

export const TIMEOUTS = { connect: WAIT_TIMEOUT_MS, firstByte: WAIT_TIMEOUT_MS, idle: WAIT_TIMEOUT_MS };

/** Treats every broken connection as stale, even if a busy machine notices it late, unless a test sets the limit. */
export function openClient(options: GuardedClientOptions = {}): GuardedClient {
  const client = new GuardedClient({ isReachable: () => true, staleMs: WAIT_TIMEOUT_MS, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** Its origin, and the number of its connections so far. */
export async function openServer(listener: RequestListener) {
  const sockets: Socket[] = [];
  const server = createServer(listener).listen(0, '127.0.0.1');
  server.on('connection', (socket) => sockets.push(socket));
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const open = () => sockets.filter((socket) => !socket.destroyed).length;
  return { origin: `http://127.0.0.1:${port}`, port, sockets, open };
}

/**
 * A TCP server with a scripted conversation.
 * @returns its address
 */
export async function openTcpServer(onConnection: (socket: Socket) => unknown): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    onConnection(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

export const ask = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url: new URL(url),
  method: 'GET',
  headers: {},
  timeouts: TIMEOUTS,
  ...more,
});

export async function read(body: AsyncIterable<Buffer>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(body)).toString();
}

export const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: unknown) => (error instanceof OutboundError ? error.failure : String(error)),
  );
