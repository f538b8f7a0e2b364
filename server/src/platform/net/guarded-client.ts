/**
 * HTTP to addresses that users configure. The address that is connected to is the one that was checked, so neither a host name nor a
 * changed DNS record leads into this machine or its network. Redirects are returned, not followed.
 */
import { type LookupAddress, lookup as lookUp } from 'node:dns';
import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { isOwnAddress, isPublicAddress } from './addresses.ts';
import { OutboundError, toOutboundError } from './outbound-error.ts';
import { ResponseBody } from './response-body.ts';

/** Milliseconds. */
export interface Timeouts {
  readonly connect: number;
  /** Milliseconds from the request to the head of its response. */
  readonly firstByte: number;
  /** Milliseconds between two chunks of the response body, while its reader waits. */
  readonly idle: number;
}

export interface OutboundRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly timeouts: Timeouts;
  readonly signal?: AbortSignal | undefined;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The decoded body. A reader that does not read it to its end calls `release` or `return`. */
  readonly body: ResponseBody;
}

export interface GuardedClientOptions {
  /** Decides which addresses may be connected to; by default public ones that are not this machine's. */
  readonly isReachable?: (address: string) => boolean;
  /** Resolves a name to all its addresses; the system's resolver by default. */
  readonly resolve?: Resolve;
  /** Sends every request to this unix socket, whatever the host of its URL. */
  readonly socketPath?: string;
  /**
   * A connection that breaks sooner than this, network latency not counted, was stale: the server has not begun to work on the request.
   * Later it may have, and a model call that is sent twice is paid for twice. 100 ms by default.
   */
  readonly staleMs?: number;
}

type Resolve = (
  host: string,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Shorter than the idle timeout of most servers and load balancers. Node follows a shorter one that a server announces. */
const KEEP_ALIVE_MS = 25_000;
const STALE_MS = 100;
const MAX_LATENCY_MS = 900;
/** Limit of `100 Continue` and similar responses before the final one. */
const MAX_INFORMATIONAL = 16;

export class GuardedClient {
  readonly #isReachable: (address: string) => boolean;
  /** Keep connections for the next request. */
  readonly #pooled: Agents;
  /** Open a new connection for each request: a retry must not use another stale one. */
  readonly #fresh: Agents;
  readonly #staleMs: number;
  #isClosed = false;

  constructor({
    isReachable = isOutside,
    resolve = resolveBySystem,
    socketPath,
    staleMs = STALE_MS,
  }: GuardedClientOptions = {}) {
    this.#isReachable = isReachable;
    this.#staleMs = staleMs;
    const lookup = this.#guard(resolve);
    const place = { lookup, ...(socketPath !== undefined && { socketPath }) };
    this.#pooled = openAgents({ ...place, keepAlive: true, timeout: KEEP_ALIVE_MS });
    this.#fresh = openAgents(place);
  }

  /**
   * Resolves with the head of the response.
   * @throws {OutboundError} or, after the signal was aborted, its reason
   */
  async send(request: OutboundRequest): Promise<OutboundResponse> {
    this.#check(request);
    request.signal?.throwIfAborted();
    try {
      return await this.#exchange(request, this.#pooled);
    } catch (error) {
      if (this.#isClosed || !(error instanceof StaleConnectionError)) throw this.#toError(error);
      return await this.#exchange(request, this.#fresh);
    }
  }

  #exchange(request: OutboundRequest, agents: Agents): Promise<OutboundResponse> {
    return new Exchange(request, agents, { toError: this.#toError, staleMs: this.#staleMs }).response;
  }

  /** A connection that `close` has cut off is not the other server's fault. */
  readonly #toError = (error: unknown): unknown =>
    this.#isClosed ? new OutboundError('lost', 'This server is shutting down.', { cause: error }) : error;

  /** Number of connections that exist or are being opened. */
  get connectionCount(): number {
    const agents = [this.#pooled.http, this.#pooled.https, this.#fresh.http, this.#fresh.https];
    const lists = agents.flatMap((agent) => [agent.sockets, agent.freeSockets].flatMap(Object.values));
    return (lists as (readonly Socket[])[]).flat().filter((socket) => !socket.destroyed).length;
  }

  /** Closes idle and busy connections; running requests fail. */
  close(): void {
    this.#isClosed = true;
    for (const { http, https } of [this.#pooled, this.#fresh]) {
      http.destroy();
      https.destroy();
    }
  }

  #check({ url: { protocol, hostname } }: OutboundRequest): void {
    if (protocol !== 'http:' && protocol !== 'https:')
      throw new OutboundError('refused', `${protocol} is not supported; use http or https.`);
    // A literal address is never looked up. `URL` writes every spelling of IPv4 as four numbers.
    const address = hostname.replace(/^\[|\]$/g, '');
    if (isIP(address) && !this.#isReachable(address)) throw notReachable(address);
  }

  #guard(resolve: Resolve): LookupFunction {
    return (host, { all }, done) =>
      resolve(host, (error, addresses) => {
        if (error) return done(error, '');
        const reachable = addresses.filter(({ address }) => this.#isReachable(address));
        const first = reachable[0];
        if (!first) return done(notReachable(host), '');
        return all ? done(null, reachable) : done(null, first.address, first.family);
      });
  }
}

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

const openAgents = (
  options: ConstructorParameters<typeof HttpAgent>[0] & { lookup: LookupFunction },
): Agents => ({
  http: new HttpAgent(options),
  https: new HttpsAgent(options),
});

/** A kept connection that the server closed just before it was reused. */
class StaleConnectionError extends Error {}

/** Milliseconds that opening each connection took: about one round trip. */
const latencies = new WeakMap<Socket, number>();

interface ExchangeRules {
  /** Converts an error within the body into the reader's error. */
  readonly toError: (error: unknown) => unknown;
  readonly staleMs: number;
}

/** One request on one connection, up to the head of its response. */
class Exchange {
  readonly response: Promise<OutboundResponse>;
  readonly #settled = Promise.withResolvers<OutboundResponse>();
  readonly #outbound: OutboundRequest;
  readonly #rules: ExchangeRules;
  readonly #begunAt = performance.now();
  readonly #request: ClientRequest;
  #connectTimer: NodeJS.Timeout | undefined;
  readonly #firstByteTimer: NodeJS.Timeout;
  #socket: Socket | undefined;
  #bytesReadBefore = 0;
  #isConnected = false;
  #sentAt: number | undefined;

  constructor(outbound: OutboundRequest, agents: Agents, rules: ExchangeRules) {
    this.response = this.#settled.promise;
    this.#outbound = outbound;
    this.#rules = rules;
    const { timeouts, signal, body } = outbound;
    this.#firstByteTimer = this.#limit('It did not begin to respond', timeouts.firstByte);
    this.#request = this.#open(agents);
    this.#request
      .on('socket', (socket) => this.#watch(socket))
      .on('response', (response) => this.#respond(response))
      .on('upgrade', (_response, socket) => {
        socket.destroy();
        this.#fail(new OutboundError('garbage', 'It switched protocols without being asked to.'));
      })
      .on('error', (error) => this.#fail(this.#explain(error)));
    let informational = 0;
    this.#request.on('information', () => {
      if (++informational > MAX_INFORMATIONAL)
        this.#fail(new OutboundError('garbage', 'It announced a response too many times.'));
    });
    signal?.addEventListener('abort', this.#onAbort);
    this.#request.end(body);
  }

  #open({ http, https }: Agents): ClientRequest {
    const { url, method, headers } = this.#outbound;
    const options = { method, headers: { 'accept-encoding': 'identity', ...headers } };
    try {
      return url.protocol === 'https:'
        ? requestHttps(url, { ...options, agent: https })
        : requestHttp(url, { ...options, agent: http });
    } catch (error) {
      clearTimeout(this.#firstByteTimer);
      throw new OutboundError('refused', 'The request has a header that cannot be sent.', { cause: error });
    }
  }

  #watch(socket: Socket): void {
    this.#socket = socket;
    this.#bytesReadBefore = socket.bytesRead;
    if (!socket.connecting) return this.#connected();
    let begunAt = this.#begunAt;
    this.#connectTimer = this.#limit('No connection was made', this.#outbound.timeouts.connect);
    socket
      .once('lookup', () => {
        begunAt = performance.now();
      })
      .once('connect', () => latencies.set(socket, performance.now() - begunAt))
      .once('encrypted' in socket ? 'secureConnect' : 'connect', () => this.#connected());
  }

  #connected(): void {
    clearTimeout(this.#connectTimer);
    this.#isConnected = true;
    // A blocked event loop delays the report of a broken connection: the time counts from when the loop runs again.
    setImmediate(() => {
      this.#sentAt = performance.now();
    });
  }

  #respond(response: IncomingMessage): void {
    const { timeouts, signal } = this.#outbound;
    const { statusCode: status = 0, headers } = response;
    if (status < 200 || status > 599)
      return this.#fail(new OutboundError('garbage', `Its response has the status ${status}.`));
    this.#end();
    const body = new ResponseBody(response, { idleMs: timeouts.idle, signal, toError: this.#rules.toError });
    return this.#settled.resolve({ status, headers, body });
  }

  readonly #onAbort = (): void => this.#fail(this.#outbound.signal?.reason);

  #limit(what: string, ms: number): NodeJS.Timeout {
    return setTimeout(
      () => this.#fail(new OutboundError('timeout', `${what} within ${Number((ms / 1000).toFixed(2))} s.`)),
      ms,
    );
  }

  #explain(error: Error): Error {
    const failure = toOutboundError(error, this.#isConnected);
    if (failure.failure !== 'broken') return failure;
    const hasResponse = (this.#socket?.bytesRead ?? 0) > this.#bytesReadBefore;
    if (hasResponse || this.#isLate()) return new OutboundError('lost', failure.message, { cause: error });
    return this.#request.reusedSocket ? new StaleConnectionError(failure.message, { cause: error }) : failure;
  }

  #isLate(): boolean {
    const latency = (this.#socket && latencies.get(this.#socket)) ?? 0;
    const staleMs = this.#rules.staleMs + Math.min(MAX_LATENCY_MS, 2 * latency);
    return this.#sentAt !== undefined && performance.now() - this.#sentAt > staleMs;
  }

  #fail(error: unknown): void {
    this.#end();
    this.#settled.reject(error);
    this.#request.destroy();
  }

  #end(): void {
    clearTimeout(this.#firstByteTimer);
    clearTimeout(this.#connectTimer);
    this.#outbound.signal?.removeEventListener('abort', this.#onAbort);
  }
}

const isOutside = (address: string) => isPublicAddress(address) && !isOwnAddress(address);

const resolveBySystem: Resolve = (host, done) => lookUp(host, { all: true }, done);

/** Leaves the addresses out of the message: they may belong to a private network. */
function notReachable(host: string): OutboundError {
  return new OutboundError('refused', `${host} has no public address, and others are not connected to.`);
}
