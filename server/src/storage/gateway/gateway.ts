/** The embedded store's own HTTP server: S3 as clients know it, path style, one bucket. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { EmbeddedStore } from '../../platform/object-storage/embedded/embedded-store.ts';
import type { Sessions } from '../../platform/object-storage/embedded/sessions.ts';
import { answerOnSocket, answerParserError, requestTimeout } from './error-answers.ts';
import { GatewayMetrics } from './gateway-metrics.ts';
import { Reply } from './reply.ts';
import { RequestHandler } from './request-handler.ts';
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
  /** Whether AssumeRole is answered too, for a gateway that stands for a foreign S3. */
  readonly sts?: boolean | undefined;
  /** How long a connection may be silent while something is to be sent through it. */
  readonly idleMs?: number | undefined;
}

export interface Gateway {
  readonly port: number;
  /** No new requests; those under way are answered, and cut off when they take too long. */
  close(): Promise<void>;
}

const MAX_HEADER_BYTES = 16 * 1024;
const HEADERS_TIMEOUT_MS = 30_000;
/** Without a byte in either direction. */
const IDLE_MS = 60_000;
/** For the largest body through a slow line. */
const REQUEST_TIMEOUT_MS = 6 * 60 * 60_000;
/** Longer than the idle time of the usual load balancers, which would else meet a closing connection. */
const KEEP_ALIVE_MS = 75_000;
const DRAIN_MS = 10_000;
const IDLE_CHECK_MS = 100;

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: false, // Node's own refusal is no XML; without one no signature is good
  });
  server.maxHeadersCount = 0; // none is dropped unseen; their size is limited
  server.timeout = options.idleMs ?? IDLE_MS;
  const replies: Replies = new Map();
  answerRequests(server, replies, options);
  watchConnections(server, replies);
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => close(server, replies) };
}

/** Every open connection, with the latest request that came through it. */
type Replies = Map<Socket, Reply | undefined>;

function answerRequests(server: Server, replies: Replies, options: GatewayOptions): void {
  const metrics = options.metrics && new GatewayMetrics(options.metrics);
  const handler = new RequestHandler({ ...options, metrics });
  const handle = (request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean) => {
    const reply = new Reply(request, response, awaitsContinue);
    replies.set(request.socket, reply);
    void handler.handle(request, reply);
  };
  const unknown = new S3Error('InvalidArgument', 'Only "Expect: 100-continue" is known here.');
  const noProxy = new S3Error('MethodNotAllowed', 'This server is no proxy.');
  server
    .on('request', (request, response) => handle(request, response, false))
    .on('checkContinue', (request, response) => handle(request, response, true))
    .on('checkExpectation', (_request, response) => answerOnSocket(response.socket, unknown))
    .on('connect', (_request, socket) => answerOnSocket(socket, noProxy))
    .on('clientError', answerParserError);
}

function watchConnections(server: Server, replies: Replies): void {
  server
    .on('connection', (socket) => {
      replies.set(socket, undefined);
      socket.once('close', () => replies.delete(socket));
    })
    .on('timeout', (socket) => {
      const reply = replies.get(socket);
      if (reply?.state === 'awaits request') reply.giveUp(requestTimeout());
      else if (reply?.state !== 'at work') socket.destroy();
    });
}

async function close(server: Server, replies: Replies): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  // Node counts one through which nothing came yet as busy.
  const closeIdle = () => {
    for (const [socket, reply] of replies) if (!reply || reply.state === 'answered') socket.destroy();
  };
  closeIdle();
  const idle = setInterval(closeIdle, IDLE_CHECK_MS);
  const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}
