/** One request on one connection, and its answer. */
import type { Dispatcher } from 'undici';
import { AnswerBody } from './answer-body.ts';
import type { Connection } from './connections.ts';
import { isBadHead, OutboundError, toOutboundError } from './outbound-error.ts';
import type { OutboundAnswer, OutboundRequest } from './outbound-request.ts';

/** A kept connection may have been closed by the other side just now. */
const STALE = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
const isStale = (error: NodeJS.ErrnoException) =>
  STALE.has(error.code ?? '') && !isBadHead(error, 'bad response', 'bad upgrade');
/** Who breaks off sooner has not begun with what was asked. Later, it may have been done, and is not asked for again. */
const SOON_MS = 1_000;

/** What becomes of the connection. */
export interface AfterExchange {
  /** It is good for another one. */
  keep(): void;
  drop(): void;
}

export class Exchange implements Dispatcher.DispatchHandler {
  /** Whether it failed on a kept connection, before anything was answered on it. */
  wasStale = false;
  readonly #request: OutboundRequest;
  readonly #connection: Connection;
  readonly #after: AfterExchange;
  readonly #outcome = Promise.withResolvers<OutboundAnswer>();
  readonly #startedAt = performance.now();
  readonly #headTimer: NodeJS.Timeout;
  #connectTimer: NodeJS.Timeout | undefined;
  #body: AnswerBody | undefined;
  #isSettled = false;

  constructor(connection: Connection, request: OutboundRequest, after: AfterExchange) {
    this.#connection = connection;
    this.#request = request;
    this.#after = after;
    const { patience, signal } = request;
    signal?.addEventListener('abort', this.#onAbort);
    this.#headTimer = this.#limit('It did not begin to answer', patience.firstByte);
    if (!connection.isUsed) this.#limitConnecting(patience.connect);
    const { method, headers, url, body } = request;
    connection.client.dispatch(
      {
        path: `${url.pathname}${url.search}`,
        method,
        headers: { 'accept-encoding': 'identity', ...headers },
        body: body ?? null,
      },
      this,
    );
  }

  /** Resolves with the head. */
  get answer(): Promise<OutboundAnswer> {
    return this.#outcome.promise;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // It may have been given up while it waited for its connection.
    if (this.#isSettled) controller.abort(new Error('nobody waits for it'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[]>,
  ): void {
    if (status < 200 || this.#isSettled) return;
    this.#settle();
    const { patience } = this.#request;
    this.#body = new AnswerBody(headers['content-encoding'], patience.idle, {
      pause: () => controller.pause(),
      resume: () => controller.resume(),
      destroy: () => this.#after.drop(),
      left: () => this.#request.signal?.removeEventListener('abort', this.#onAbort),
    });
    this.#outcome.resolve({ status, headers, body: this.#body });
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Buffer): void {
    this.#body?.take(piece);
  }

  onResponseEnd(): void {
    this.#after.keep();
    this.#body?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: NodeJS.ErrnoException): void {
    const failure = toOutboundError(error);
    if (this.#body) return this.#body.fail(failure);
    if (!this.#isSettled) this.wasStale = this.#connection.isUsed && isStale(error) && !this.#isLate();
    const isLost = failure.failure === 'broken' && this.#isLate();
    this.#fail(isLost ? new OutboundError('lost', failure.message, { cause: error }) : failure);
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.#request.signal?.reason;
    if (this.#body) this.#body.fail(reason);
    else this.#fail(reason);
  };

  #limitConnecting(ms: number): void {
    this.#connectTimer = this.#limit('No connection was made', ms);
    this.#connection.client.once('connect', () => clearTimeout(this.#connectTimer));
  }

  #limit(what: string, ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#fail(new OutboundError('timeout', `${what} within ${ms / 1000} s.`)), ms);
  }

  #isLate(): boolean {
    return performance.now() - this.#startedAt > SOON_MS;
  }

  #fail(error: unknown): void {
    if (this.#isSettled) return;
    this.#settle();
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    this.#outcome.reject(error);
    this.#after.drop();
  }

  #settle(): void {
    this.#isSettled = true;
    clearTimeout(this.#headTimer);
    clearTimeout(this.#connectTimer);
  }
}
