/**
 * HTTP to addresses that others gave us. What it connects to is decided on the very address that is connected to, so no name, no
 * spelling and no change of a name's addresses leads into this machine or its network. Redirects are answers like any other.
 */
import { type LookupAddress, lookup as lookUp } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isOwnAddress, isPublicAddress } from './addresses.ts';
import type { Connection } from './connection.ts';
import { Connections } from './connections.ts';
import { Exchange, type Outcome } from './exchange.ts';
import { OutboundError } from './outbound-error.ts';
import type { OutboundAnswer, OutboundRequest, Patience } from './outbound-request.ts';
import { type RequestBytes, toRequestBytes } from './request-bytes.ts';
import { partsOf, type UrlParts } from './url-parts.ts';

export type { OutboundAnswer, OutboundRequest, Patience };

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

export class GuardedClient {
  readonly #isReachable: (address: string) => boolean;
  readonly #connections: Connections;

  constructor({ isReachable = isOutside, resolve = resolveBySystem }: GuardedClientOptions = {}) {
    this.#isReachable = isReachable;
    this.#connections = new Connections(this.#guard(resolve));
  }

  /**
   * Resolves with the head of the answer.
   *
   * @throws {OutboundError} or, once the signal is aborted, its reason
   */
  send(request: OutboundRequest): Promise<OutboundAnswer> {
    // One promise for all of it: with every call of a model, each more would be waited for.
    return new Promise((resolve, reject) => {
      const { origin } = this.#check(request);
      const bytes = toRequestBytes(request);
      request.signal?.throwIfAborted();
      this.#begin(request, bytes, this.#connections.take(origin), {
        resolve,
        reject,
        // That a kept connection was closed just now is no failure of the request. Once: a new one cannot be.
        again: () => this.#begin(request, bytes, this.#connections.open(origin), { resolve, reject }),
      });
    });
  }

  #check({ url }: OutboundRequest): UrlParts {
    const parts = partsOf(url);
    const { protocol, hostname } = parts;
    if (protocol !== 'http:' && protocol !== 'https:')
      throw new OutboundError('refused', `${protocol} is not spoken here; use http or https.`);
    // A literal is never looked up. `URL` has written every spelling of IPv4 as four numbers.
    if (isIP(hostname) && !this.#isReachable(hostname)) throw notReachable(hostname);
    return parts;
  }

  /** How many connections there are, or are being made. */
  get connectionCount(): number {
    return this.#connections.size;
  }

  /** Idle connections and busy ones; what is under way on them fails. */
  close(): void {
    this.#connections.close();
  }

  #begin(request: OutboundRequest, bytes: RequestBytes, connection: Connection, outcome: Outcome): void {
    const { origin } = partsOf(request.url);
    new Exchange(connection, request, outcome, (forMs) =>
      this.#connections.keep(origin, connection, forMs),
    ).begin(request, bytes);
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

const isOutside = (address: string) => isPublicAddress(address) && !isOwnAddress(address);

const resolveBySystem: Resolve = (host, done) => lookUp(host, { all: true }, done);

/** The addresses are not told: they may be names of a private network. */
function notReachable(host: string): OutboundError {
  return new OutboundError('refused', `${host} has no public address, and others are not connected to.`);
}
