/**
 * The only exit of a sandbox: an HTTP proxy on a unix socket, for hosts of an allow-list at public addresses, and for the platform. The
 * proxy resolves the name and connects to the address that it checked, so a name that changes its address in between gains nothing. The
 * socket is renamed into place, replacing one of a dead process: a sandbox must be given the socket's folder, read-only, instead of the
 * socket, to see the replacement.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { EgressEntry, SandboxEvents, SandboxSpec } from '../sandbox-provider.ts';
import { type AllowList, type Destination, findDestination } from './allow-list.ts';
import { CONNECT_TIMEOUT_MS, connectToFirst } from './connections.ts';
import { type Decision, decide, type Network } from './decision.ts';
import { forward } from './forwarded-request.ts';
import { ListeningSocket } from './listening-socket.ts';

export interface EgressOptions extends Partial<Network> {
  /** May be longer than a socket address. Its folder exists, and is not writable for the sandbox. */
  readonly socketPath: string;
  /** The only user that may connect: the sandbox's user, as seen by this machine. */
  readonly uid: number;
  readonly allow: AllowList;
  /** Receives each decision once, before anything is sent. */
  readonly egress: (entry: EgressEntry) => void;
  /** Handles requests for the platform, which have a path and no host. Such requests are refused when it is undefined. */
  readonly platform?: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
}

const MAX_CONNECTIONS = 64;
/**
 * Limit of requests in progress: those of disconnected clients are still decided and connected, so the limit of connections is not enough.
 */
const MAX_UNDER_WAY = 2 * MAX_CONNECTIONS;
const MAX_HEADER_BYTES = 16 * 1024;
const HEADER_TIMEOUT_MS = 10_000;
/** Timeout of a connection without traffic. */
const IDLE_TIMEOUT_MS = 300_000;
/** Timeout once one side has finished sending, since a client that disconnected looks like that. */
const HALF_IDLE_TIMEOUT_MS = 30_000;
/** A decision costs a turn of the event loop and a log line: a sandbox that exceeds this rate waits. */
const DECISIONS_PER_SECOND = 100;
const DECISIONS_AT_ONCE = 200;

export class EgressProxy {
  private readonly options: EgressOptions;
  private readonly server: Server;
  private readonly tunnels = new Set<Duplex>();
  /** Connections with a request in progress. */
  private readonly busy = new WeakSet<Duplex>();
  private underWay = 0;
  private socket: ListeningSocket | undefined;
  private nextTurn = 0;

  private constructor(options: EgressOptions) {
    this.options = options;
    this.server = createServer({
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADER_TIMEOUT_MS,
      requestTimeout: 0, // a body may take as long as it makes progress
      connectionsCheckingInterval: 1_000,
      requireHostHeader: false,
    });
    this.server.maxConnections = MAX_CONNECTIONS;
    this.server.timeout = IDLE_TIMEOUT_MS;
    this.server.on('request', (request, response) => {
      const client = request.socket;
      void this.take(client, () => {
        this.busy.add(client);
        response.on('close', () => this.busy.delete(client));
        return this.handle(request, response);
      });
    });
    this.server.on('connect', (request, client, head) => {
      void this.take(client, () => this.tunnel(request, client, head));
    });
  }

  static async open(options: EgressOptions): Promise<EgressProxy> {
    const proxy = new EgressProxy(options);
    proxy.socket = await ListeningSocket.open(proxy.server, options.socketPath, options.uid);
    return proxy;
  }

  /** Ends every connection and removes the socket. */
  async close(): Promise<void> {
    for (const tunnel of this.tunnels) tunnel.destroy();
    this.server.closeAllConnections();
    await this.socket?.close();
  }

  /**
   * Drops a client that sends another request before the response, or exceeds the limit: each waiting request takes memory of this process.
   */
  private async take(client: Duplex, work: () => Promise<void>): Promise<void> {
    if (this.busy.has(client) || this.underWay >= MAX_UNDER_WAY) {
      if (!client.destroyed) client.on('error', () => undefined).destroy();
      return;
    }
    this.underWay++;
    try {
      await work();
    } finally {
      this.underWay--;
    }
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    if (request.url?.startsWith('/')) return this.passToPlatform(request, response);
    const url = findHttpUrl(request.url ?? '');
    const destination = url && findDestination(url.host, 80);
    if (!destination) return reply(response, 400, NO_PROXY_REQUEST);
    const decision = await this.decide(destination);
    if (!decision.isAllowed) return reply(response, decision.status, decision.reason);
    try {
      const upstream = await connectToFirst(decision.addresses, destination.port, IDLE_TIMEOUT_MS);
      forward(request, response, { upstream, authority: url.host });
    } catch {
      reply(response, 502, toUnreachable(destination));
    }
  }

  private passToPlatform(request: IncomingMessage, response: ServerResponse): void {
    const { platform } = this.options;
    if (!platform) return reply(response, 403, NO_PLATFORM_ACCESS);
    // A model may think for minutes before its first token.
    request.socket.setTimeout(0);
    return platform(request, response);
  }

  private async tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    this.tunnels.add(client);
    client.on('close', () => this.tunnels.delete(client));
    client.on('error', () => undefined);
    const destination = findDestination(request.url ?? '');
    if (!destination) return refuseTunnel(client, 400, NO_PROXY_REQUEST);
    const decision = await this.decide(destination);
    if (!decision.isAllowed) return refuseTunnel(client, decision.status, decision.reason);
    try {
      const upstream = await connectToFirst(decision.addresses, destination.port, IDLE_TIMEOUT_MS);
      join(client, upstream, head);
    } catch {
      refuseTunnel(client, 502, toUnreachable(destination));
    }
  }

  private async decide(destination: Destination): Promise<Decision> {
    await this.takeTurn();
    const decision = await decide(destination, this.options.allow, this.options);
    const { isAllowed } = decision;
    const reason = decision.isAllowed ? {} : { reason: decision.reason };
    this.options.egress({ at: new Date(), ...destination, isAllowed, ...reason });
    return decision;
  }

  private async takeTurn(): Promise<void> {
    const interval = 1000 / DECISIONS_PER_SECOND;
    const now = performance.now();
    this.nextTurn = Math.max(this.nextTurn + interval, now - DECISIONS_AT_ONCE * interval);
    if (this.nextTurn > now) await setTimeout(this.nextTurn - now);
  }
}

type Reach = Pick<SandboxSpec, 'egressAllow' | 'hasPlatformAccess'>;

/** Returns whether a sandbox has a proxy: it may reach hosts, or the platform. */
export const hasProxy = ({ egressAllow, hasPlatformAccess = false }: Reach) =>
  egressAllow.length > 0 || hasPlatformAccess;

/** Binds the handler to one sandbox: a request on the socket of a sandbox comes from that sandbox, and needs no credential. */
export function toPlatform(
  { id, hasPlatformAccess = false }: Pick<SandboxSpec, 'id' | 'hasPlatformAccess'>,
  { platform }: Pick<SandboxEvents, 'platform'>,
): EgressOptions['platform'] {
  return hasPlatformAccess ? (request, response) => platform?.(id, request, response) : undefined;
}

const NO_PROXY_REQUEST =
  'This is the proxy of a sandbox. Send CONNECT host:port, or a request for http://host/…; most programs do when HTTP_PROXY and HTTPS_PROXY are set.';

const NO_PLATFORM_ACCESS =
  'This sandbox has no access to the platform. Set sandbox.platform_access to "inference" or "full" in the config of its runtime, and start it again.';

const toUnreachable = ({ host, port }: Destination) =>
  `${host} may be reached, but did not answer on port ${port} within ${CONNECT_TIMEOUT_MS / 1000} seconds.`;

function findHttpUrl(text: string): URL | undefined {
  return /^http:\/\//i.test(text) ? (URL.parse(text) ?? undefined) : undefined;
}

function reply(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent || response.destroyed) return;
  // The rest of the request is not read: the connection ends with the response.
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' });
  response.end(`${text}\n`);
}

function refuseTunnel(client: Duplex, status: number, text: string): void {
  const body = Buffer.from(`${text}\n`);
  const head = [
    `HTTP/1.1 ${status} ${REASON_BY_STATUS[status] ?? 'Refused'}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  client.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]), () => client.destroy());
}

const REASON_BY_STATUS: Record<number, string> = { 400: 'Bad Request', 403: 'Forbidden', 502: 'Bad Gateway' };

function join(client: Duplex, upstream: Socket, head: Buffer): void {
  client.on('close', () => upstream.destroy());
  client.on('end', () => upstream.setTimeout(HALF_IDLE_TIMEOUT_MS));
  upstream.on('end', () => upstream.setTimeout(HALF_IDLE_TIMEOUT_MS));
  upstream.on('close', () => client.destroy());
  if (client.destroyed) return void upstream.destroy();
  client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  if (head.length > 0) upstream.write(head);
  // Each end is passed on separately: a client may have finished sending and still wait for the response.
  client.pipe(upstream);
  upstream.pipe(client);
}
