/**
 * HTTP to addresses that others gave us. What it connects to is decided on the very address that is connected to, so no name, no
 * spelling and no change of a name's addresses leads into this machine or its network. Redirects are answers like any other.
 */
import { type LookupAddress, lookup as lookUp } from 'node:dns';
import http, { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isOwnAddress, isPublicAddress } from './addresses.ts';
import { AnswerBody } from './answer-body.ts';
import { OutboundError, toOutboundError } from './outbound-error.ts';

/** Milliseconds. */
export interface Patience {
  readonly connect: number;
  /** From the request to the head of its answer. */
  readonly firstByte: number;
  /** Between any two pieces of the answer. */
  readonly idle: number;
}

export interface OutboundRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly patience: Patience;
  readonly signal?: AbortSignal | undefined;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Decoded. Whoever does not read it to its end leaves it by `release`. */
  readonly body: AnswerBody;
}

export interface GuardedClientOptions {
  /** Which addresses may be connected to; public ones that are not this machine's by default. */
  readonly isReachable?: (address: string) => boolean;
  /** Every address of a name; the system's by default. */
  readonly resolve?: Resolve;
}

type Resolve = (
  host: string,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** A kept connection may have been closed by the other side just now: that is no failure of the request. */
const MAX_STALE_CONNECTIONS = 3;
const STALE = new Set(['ECONNRESET', 'EPIPE']);
/** Who breaks off sooner has not begun with what was asked. Later, it may have been done, and is not asked for again. */
const SOON_MS = 1_000;
/** Less than the time after which servers and balancers close an idle connection, mostly. */
const KEPT_FOR_MS = 25_000;

export class GuardedClient {
  readonly #isReachable: (address: string) => boolean;
  readonly #agents: { readonly 'http:': http.Agent; readonly 'https:': https.Agent };

  constructor({ isReachable = isOutside, resolve = resolveBySystem }: GuardedClientOptions = {}) {
    this.#isReachable = isReachable;
    // Connections are kept by origin; what looks up names is asked for each new one.
    const options = { keepAlive: true, timeout: KEPT_FOR_MS, lookup: this.#guard(resolve) };
    this.#agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };
  }

  /**
   * Resolves with the head of the answer.
   *
   * @throws {OutboundError} or, once the signal is aborted, its reason
   */
  async send(request: OutboundRequest): Promise<OutboundAnswer> {
    const { protocol, hostname } = request.url;
    if (protocol !== 'http:' && protocol !== 'https:') {
      throw new OutboundError('refused', `${protocol} is not spoken here; use http or https.`);
    }
    // A literal is never looked up. `URL` has written every spelling of IPv4 as four numbers.
    const host = hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) && !this.#isReachable(host)) throw notReachable(host);
    for (let stale = 0; ; stale++) {
      request.signal?.throwIfAborted();
      const attempt = new Attempt(this.#open(request, host), request);
      try {
        return await attempt.answer;
      } catch (error) {
        if (!attempt.wasStale || stale === MAX_STALE_CONNECTIONS) throw error;
      }
    }
  }

  /** Idle connections and busy ones. */
  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #open({ url, method, headers, body }: OutboundRequest, host: string): ClientRequest {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = {
      host,
      port: url.port,
      path: `${url.pathname}${url.search}`,
      method,
      headers: { 'accept-encoding': 'identity', ...headers, ...length },
    };
    try {
      return url.protocol === 'https:'
        ? https.request({ ...options, agent: this.#agents['https:'] })
        : http.request({ ...options, agent: this.#agents['http:'] });
    } catch (error) {
      // A header that cannot be sent, for one.
      throw new OutboundError('refused', 'The request cannot be sent as it is.', { cause: error });
    }
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

/** One request on one connection, until the head of its answer. */
class Attempt {
  readonly answer: Promise<OutboundAnswer>;
  /** Whether it failed on a kept connection, before anything was answered on it. */
  wasStale = false;
  readonly #call: ClientRequest;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #signal: AbortSignal | undefined;
  readonly #outcome = Promise.withResolvers<OutboundAnswer>();
  readonly #startedAt = performance.now();
  #isSettled = false;

  constructor(call: ClientRequest, { body, patience, signal }: OutboundRequest) {
    this.#call = call;
    this.#signal = signal;
    this.answer = this.#outcome.promise;
    signal?.addEventListener('abort', this.#onAbort);
    this.#limit('It did not begin to answer', patience.firstByte);
    call.once('socket', (socket) => {
      if (call.reusedSocket) return;
      const timer = this.#limit('No connection was made', patience.connect);
      socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => clearTimeout(timer));
    });
    call.once('response', (head: IncomingMessage) => {
      this.#settle();
      const content = new AnswerBody(call, head, patience.idle, signal);
      this.#outcome.resolve({ status: head.statusCode ?? 0, headers: head.headers, body: content });
    });
    // Stays for errors after the head: they come through the body too, and must not be nobody's.
    call.on('error', (error: NodeJS.ErrnoException) => {
      if (!this.#isSettled)
        this.wasStale = call.reusedSocket && STALE.has(error.code ?? '') && !this.#isLate();
      this.#breakOff(toOutboundError(error));
    });
    // Without an answer: such as one that changes the protocol. Every call ends here, and errors are dear to make.
    call.once('close', () => {
      if (this.#isSettled) return;
      this.#breakOff(new OutboundError('broken', 'It closed the connection without an answer.'));
    });
    call.end(body);
  }

  readonly #onAbort = (): void => this.#fail(this.#signal?.reason);

  #limit(what: string, ms: number): NodeJS.Timeout {
    const fail = () => this.#fail(new OutboundError('timeout', `${what} within ${ms / 1000} s.`));
    const timer = setTimeout(fail, ms);
    this.#timers.push(timer);
    return timer;
  }

  #breakOff(error: OutboundError): void {
    const isLost = error.failure === 'broken' && this.#isLate();
    const { message, cause } = error;
    this.#fail(isLost ? new OutboundError('lost', message, { cause }) : error);
  }

  #isLate(): boolean {
    return performance.now() - this.#startedAt > SOON_MS;
  }

  #fail(error: unknown): void {
    if (this.#isSettled) return;
    this.#settle();
    this.#outcome.reject(error);
    this.#call.destroy();
  }

  #settle(): void {
    this.#isSettled = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

const isOutside = (address: string) => isPublicAddress(address) && !isOwnAddress(address);

const resolveBySystem: Resolve = (host, done) => lookUp(host, { all: true }, done);

/** The addresses are not told: they may be names of a private network. */
function notReachable(host: string): OutboundError {
  return new OutboundError('refused', `${host} has no public address, and others are not connected to.`);
}
