/**
 * Requests that ask for another protocol on their connection, such as a WebSocket's. They pass what every request passes, and are
 * answered like any other unless their operation takes the connection over.
 */
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Budget, type BudgetLimits, connectionBudget } from '../admission/budget.ts';
import { ApiError } from '../errors.ts';
import { hasBody } from './body-arrival.ts';
import { watchCaller } from './caller-watch.ts';

/** What a caller asks for; until it is taken, what fails is answered as in any operation. */
export interface Upgrade {
  /** As it was sent, such as `websocket`. */
  readonly protocol: string;
  /** Once. The operation writes whatever is answered, the 101 too. */
  take(): TakenConnection;
}

export interface TakenConnection {
  /** Its errors are heard; whoever takes it ends it. */
  readonly socket: Socket;
  /** What came behind the request. */
  readonly head: Buffer;
  /**
   * Aborted once the caller may go on no more, with why; or when this server stops, with a `bad_gateway_error`; or, with an
   * AbortError, when the connection is closed. What is still open two seconds later is cut off.
   */
  readonly signal: AbortSignal;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly upgrades: Upgrades;
  }
}

export interface UpgradeTimings {
  /** Between two checks that the caller may still be here. */
  readonly recheckMs: number;
  /** For the last words on a connection. */
  readonly farewellMs: number;
  /** A stop waits so long for requests that are neither answered nor taken. */
  readonly drainMs: number;
}

const TIMINGS: UpgradeTimings = { recheckMs: 10_000, farewellMs: 2_000, drainMs: 10_000 };
const LIMITS: BudgetLimits = { perOwner: 500, total: 4_000 };
/** A peer that is gone without a word is found so. */
const KEEP_ALIVE_MS = 30_000;

interface Asked {
  readonly socket: Socket;
  readonly head: Buffer;
  readonly response: ServerResponse;
}

interface Taking {
  readonly reply: FastifyReply;
  readonly userId: string | undefined;
  /** Fails once the caller may go on no more. */
  readonly recheck: () => Promise<unknown>;
}

export class Upgrades {
  private readonly timings: UpgradeTimings;
  private readonly slots: Budget;
  private readonly paths: RegExp[] = [];
  private readonly asked = new Map<IncomingMessage, Asked>();
  private readonly taken = new Map<IncomingMessage, (reason: Error) => void>();
  private isClosing = false;

  constructor(limits: Partial<BudgetLimits> = {}, timings: Partial<UpgradeTimings> = {}) {
    this.slots = connectionBudget('taken connections', { ...LIMITS, ...limits });
    this.timings = { ...TIMINGS, ...timings };
  }

  /** How many connections are with their operations. */
  get openCount(): number {
    return this.taken.size;
  }

  /** @param url of a route whose operation takes connections over */
  add(url: string): void {
    const parts = url.split('/').map((part) => (part === '*' ? '.*' : part.replace(/^:.*/, '[^/?]+')));
    this.paths.push(new RegExp(`^${parts.join('/')}(\\?|$)`));
  }

  /** Else the header has no meaning, and the request is one like any other. */
  isMeant({ method, url = '', headers, httpVersion }: IncomingMessage): boolean {
    if (method !== 'GET' || httpVersion !== '1.1' || hasBody(headers)) return false;
    return this.paths.some((path) => path.test(url));
  }

  listen(app: FastifyInstance): void {
    app.server.on('upgrade', (request, duplex, head) => {
      const socket = duplex as Socket; // what this server listens with has no others
      socket.on('error', () => undefined); // its end is told by its close
      socket.setTimeout(0);
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false; // nobody parses what comes next
      response.assignSocket(socket);
      response.once('finish', () => this.hangUp(socket));
      this.asked.set(request, { socket, head, response });
      socket.once('close', () => this.asked.delete(request));
      app.server.emit('request', request, response);
    });
  }

  isTaken(raw: IncomingMessage): boolean {
    return this.taken.has(raw);
  }

  /** @returns undefined where no upgrade is asked for */
  find(raw: IncomingMessage, taking: Taking): AskedUpgrade | undefined {
    const asked = this.asked.get(raw);
    return asked && new AskedUpgrade(raw.headers.upgrade ?? '', () => this.take(taking, asked));
  }

  /** Tells those who have taken connections, and cuts off what is open after a moment. */
  async close(): Promise<void> {
    this.isClosing = true;
    const reason = new ApiError('bad_gateway_error', 'This server is being stopped; connect again.');
    const all = [...this.asked.values()];
    const closed = [...this.taken].map(([raw, stop]) => {
      const { socket } = this.asked.get(raw) as Asked;
      const gone = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
      stop(reason);
      return gone;
    });
    await Promise.all(closed);
    setTimeout(() => all.forEach(({ socket }) => socket.destroy()), this.timings.drainMs).unref();
  }

  private take({ reply, userId, recheck }: Taking, { socket, head, response }: Asked): TakenConnection {
    if (socket.destroyed) throw new ApiError('invalid_error', 'The request was broken off.');
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
      response.emit('close'); // for those who count and log requests
      this.taken.delete(raw);
    });
    return { socket, head, signal: watch.signal };
  }

  /** Node ends the connections of its own responses, and this is none. */
  private hangUp(socket: Socket): void {
    socket.resume(); // with unread bytes the caller would see a reset instead of the answer
    socket.end();
    this.cutOffSoon(socket);
  }

  private cutOffSoon(socket: Socket): void {
    const timer = setTimeout(() => socket.destroy(), this.timings.farewellMs);
    socket.once('close', () => clearTimeout(timer));
  }
}

class AskedUpgrade implements Upgrade {
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

  /** @param answer runs the operation. What fails in it once the connection is taken cuts that off */
  async run<Result>(answer: () => Promise<Result>): Promise<Result> {
    try {
      return await answer();
    } catch (error) {
      this.taken?.socket.destroy();
      throw error;
    }
  }
}
