/** HTTP server of the embedded store: path-style S3 with one bucket. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { EmbeddedStore } from '../../platform/object-storage/embedded/embedded-store.ts';
import type { Sessions } from '../../platform/object-storage/embedded/sessions.ts';
import { MAX_REQUEST_MS } from '../../platform/object-storage/write-times.ts';
import { GatewayMetrics } from './gateway-metrics.ts';
import { requestTimeout, respondOnSocket, toParserError } from './http/error-responses.ts';
import { Reply } from './http/reply.ts';
import { RequestHandler, type ServiceHandler } from './request-handler.ts';
import { S3Error } from './s3-error.ts';

export interface GatewayOptions {
  readonly host: string;
  readonly port: number;
  readonly store: EmbeddedStore;
  readonly sessions: Sessions;
  readonly bucket: string;
  readonly region: string;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  /** Handles POST requests to the root, where another service shares the address. */
  readonly handleService?: ServiceHandler | undefined;
  /** Idle timeout of a connection with a pending transfer, in milliseconds. */
  readonly idleMs?: number | undefined;
}

export interface Gateway {
  readonly port: number;
  /** Accepts no new requests; running requests are finished, or cut off after a timeout. */
  close(): Promise<void>;
}

const MAX_HEADER_BYTES = 16 * 1024;
const HEADERS_TIMEOUT_MS = 30_000;
/** Milliseconds without a byte in either direction. */
const IDLE_MS = 60_000;
/** Longer than the idle timeout of common load balancers, which would otherwise reuse a closing connection. */
const KEEP_ALIVE_MS = 75_000;
const DRAIN_MS = 10_000;
const IDLE_CHECK_MS = 100;
/** Each connection takes a file descriptor; a process has some tens of thousands. */
const MAX_CONNECTIONS = 10_000;
/** Maximum number of pipelined requests on one connection. S3 clients open more connections instead. */
const MAX_PIPELINED = 4;

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: MAX_REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: false, // Node's own error is not XML. Requests without a Host header fail because of their signature.
  });
  server.maxHeadersCount = 0; // Excess headers are never dropped silently; their total size is limited.
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = options.idleMs ?? IDLE_MS;
  const connections: Connections = new Map();
  handleRequests(server, connections, options);
  watchConnections(server, connections);
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => close(server, connections) };
}

/** Open connections with their unanswered requests, the earliest first. */
type Connections = Map<Duplex, Set<Reply>>;

function handleRequests(server: Server, connections: Connections, options: GatewayOptions): void {
  const metrics = options.metrics && new GatewayMetrics(options.metrics);
  const handler = new RequestHandler({ ...options, metrics });
  const handle = (request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean) => {
    const pending = connections.get(request.socket);
    if (!pending || pending.size >= MAX_PIPELINED) return void request.socket.destroy();
    const reply = new Reply(request, response, awaitsContinue);
    pending.add(reply);
    response.once('close', () => pending.delete(reply));
    return void handler.handle(request, reply);
  };
  /** Writes an error outside a reply. While earlier responses are pending, the client would mistake it for one of those. */
  const refuse = (socket: Duplex, error: S3Error) => {
    const [first, second] = connections.get(socket) ?? [];
    if (!first) respondOnSocket(socket, error);
    else if (second || first.state === 'at work') socket.destroy();
    else first.giveUp(error);
  };
  const unknown = new S3Error('InvalidArgument', 'Only "Expect: 100-continue" is supported.');
  const noProxy = new S3Error('MethodNotAllowed', 'This server is not a proxy.');
  server
    .on('request', (request, response) => handle(request, response, false))
    .on('checkContinue', (request, response) => handle(request, response, true))
    .on('checkExpectation', (request) => refuse(request.socket, unknown))
    .on('connect', (_request, socket) => refuse(socket, noProxy))
    .on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (error.code === 'ECONNRESET') socket.destroy();
      else refuse(socket, toParserError(error));
    });
}

function watchConnections(server: Server, connections: Connections): void {
  server
    .on('connection', (socket: Socket) => {
      connections.set(socket, new Set());
      socket.once('close', () => connections.delete(socket));
    })
    .on('timeout', (socket) => {
      const [first] = connections.get(socket) ?? [];
      if (first?.state === 'awaits request') first.giveUp(requestTimeout());
      else if (first?.state !== 'at work') socket.destroy();
    });
}

async function close(server: Server, connections: Connections): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  // Node counts a connection that never had a request as busy.
  const closeIdle = () => {
    for (const [socket, pending] of connections) if (pending.size === 0) socket.destroy();
  };
  closeIdle();
  const idle = setInterval(closeIdle, IDLE_CHECK_MS);
  const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}
