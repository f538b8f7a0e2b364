/**
 * Upgrade requests, such as for WebSockets. They pass the usual checks, and get an ordinary response unless their operation takes over the
 * connection.
 */
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Budget, type BudgetLimits, connectionBudget } from '../admission/budget.ts';
import { ApiError } from '../errors.ts';
import { watchCaller } from './caller-watch.ts';
import { hasBody } from './requests/body-arrival.ts';

/** An upgrade request; errors before it is taken are ordinary error responses. */
export interface Upgrade {
  /** Protocol as sent, such as `websocket`. */
  readonly protocol: string;
  /** Takes over the connection; can be called once. The operation writes everything, including the 101. */
  take(): TakenConnection;
}

export interface TakenConnection {
  /** Errors have a listener; the code that takes the socket ends it. */
  readonly socket: Socket;
  /** Bytes received after the request. */
  readonly head: Buffer;
  /**
   * Aborted with the reason when the caller is no longer authorized, with a `bad_gateway_error` when this server stops, or with an
   * AbortError when the connection is closed. A connection still open two seconds later is cut off.
   */
  readonly signal: AbortSignal;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly upgrades: Upgrades;
  }
}

export interface UpgradeTimings {
  /** Milliseconds between two checks of the caller's permission. */
  readonly recheckMs: number;
  /** Time for the last messages on a connection. */
  readonly farewellMs: number;
  /** Maximum time that a stop waits for requests without a response that were not taken over. */
  readonly drainMs: number;
}

const TIMINGS: UpgradeTimings = { recheckMs: 10_000, farewellMs: 2_000, drainMs: 10_000 };
const LIMITS: BudgetLimits = { perOwner: 500, total: 4_000 };
/** Detects peers that vanished silently. */
const KEEP_ALIVE_MS = 30_000;

interface Pending {
  readonly socket: Socket;
  readonly head: Buffer;
  readonly response: ServerResponse;
}

interface Taking {
  readonly reply: FastifyReply;
  readonly userId: string | undefined;
  /** Fails when the caller is no longer authorized. */
  readonly recheck: () => Promise<unknown>;
}

export class Upgrades {
  private readonly timings: UpgradeTimings;
  private readonly slots: Budget;
  private readonly paths: RegExp[] = [];
  private readonly pending = new Map<IncomingMessage, Pending>();
  private readonly taken = new Map<IncomingMessage, (reason: Error) => void>();
  private isClosing = false;

  constructor(limits: Partial<BudgetLimits> = {}, timings: Partial<UpgradeTimings> = {}) {
    this.slots = connectionBudget('taken connections', { ...LIMITS, ...limits });
    this.timings = { ...TIMINGS, ...timings };
  }

  /** Number of connections taken over by operations. */
  get openCount(): number {
    return this.taken.size;
  }

  /** @param url of a route whose operation takes connections over */
  add(url: string): void {
    const parts = url.split('/').map((part) => (part === '*' ? '.*' : part.replace(/^:.*/, '[^/?]+')));
    this.paths.push(new RegExp(`^${parts.join('/')}(\\?|$)`));
  }

  /** Otherwise the header is ignored, and the request is an ordinary one. */
  isMeant({ method, url = '', headers, httpVersion }: IncomingMessage): boolean {
    if (method !== 'GET' || httpVersion !== '1.1' || hasBody(headers)) return false;
    return this.paths.some((path) => path.test(url));
  }

  listen(app: FastifyInstance): void {
    app.server.on('upgrade', (request, duplex, head) => {
      const socket = duplex as Socket; // this server listens with no other kind of socket
      socket.on('error', () => undefined); // the end is reported by its close event
      socket.setTimeout(0);
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false; // following bytes are not parsed
      response.assignSocket(socket);
      response.once('finish', () => this.hangUp(socket));
      this.pending.set(request, { socket, head, response });
      socket.once('close', () => this.pending.delete(request));
      app.server.emit('request', request, response);
    });
  }

  isTaken(raw: IncomingMessage): boolean {
    return this.taken.has(raw);
  }

  /** @returns undefined for a request that is not an upgrade */
  find(raw: IncomingMessage, taking: Taking): PendingUpgrade | undefined {
    const pending = this.pending.get(raw);
    return pending && new PendingUpgrade(raw.headers.upgrade ?? '', () => this.take(taking, pending));
  }

  /** Notifies the connections that were taken over, and cuts off those still open after a moment. */
  async close(): Promise<void> {
    this.isClosing = true;
    const reason = new ApiError('bad_gateway_error', 'This server is being stopped; connect again.');
    const all = [...this.pending.values()];
    const closed = [...this.taken].map(([raw, stop]) => {
      const { socket } = this.pending.get(raw) as Pending;
      const gone = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
      stop(reason);
      return gone;
    });
    await Promise.all(closed);
    setTimeout(() => all.forEach(({ socket }) => socket.destroy()), this.timings.drainMs).unref();
  }

  private take({ reply, userId, recheck }: Taking, { socket, head, response }: Pending): TakenConnection {
    if (socket.destroyed) throw new ApiError('invalid_error', 'The request was aborted.');
    if (this.isClosing)
      throw new ApiError('bad_gateway_error', 'This server is being stopped; connect again.');
    const free = this.slots.hold(userId);
    const watch = watchCaller(recheck, this.timings.recheckMs);
    watch.signal.addEventListener('abort', () => this.cutOffSoon(socket));
    const { raw } = reply.request;
    this.taken.set(raw, watch.refuse);
    reply.hijack();
    response.detachSocket(socket);
    response.statusCode = 101;
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.setNoDelay(true);
    socket.once('close', () => {
      watch.leave();
      watch.end();
      free();
      response.emit('close'); // for request counting and logging
      this.taken.delete(raw);
    });
    return { socket, head, signal: watch.signal };
  }

  /** Node closes the connections of its own responses, but not of this one. */
  private hangUp(socket: Socket): void {
    socket.resume(); // unread bytes would cause a reset instead of the response
    socket.end();
    this.cutOffSoon(socket);
  }

  private cutOffSoon(socket: Socket): void {
    const timer = setTimeout(() => socket.destroy(), this.timings.farewellMs);
    socket.once('close', () => clearTimeout(timer));
  }
}

class PendingUpgrade implements Upgrade {
  readonly protocol: string;
  private readonly onTake: () => TakenConnection;
  private taken: TakenConnection | undefined;

  constructor(protocol: string, onTake: () => TakenConnection) {
    this.protocol = protocol;
    this.onTake = onTake;
  }

  take(): TakenConnection {
    if (this.taken) throw new Error('A connection was taken twice.');
    this.taken = this.onTake();
    return this.taken;
  }

  /** @param respond runs the operation. An error after the connection is taken cuts the connection off */
  async run<Result>(respond: () => Promise<Result>): Promise<Result> {
    try {
      return await respond();
    } catch (error) {
      this.taken?.socket.destroy();
      throw error;
    }
  }
}
