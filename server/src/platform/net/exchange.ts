/** One request on one connection, and its answer. */
import { AnswerBody } from './answer-body.ts';
import type { AnswerHead } from './answer-head.ts';
import type { Connection, ExchangeTaker } from './connection.ts';
import { OutboundError, toOutboundError } from './outbound-error.ts';
import type { OutboundAnswer, OutboundRequest } from './outbound-request.ts';
import type { RequestBytes } from './request-bytes.ts';

/** Who breaks off sooner, ways not counted, has not begun with what was asked. Later, it may have been done, and is not asked for again. */
const SOON_MS = 100;
const LONGEST_WAY_MS = 900;

/** Told once. */
export interface Outcome {
  /** With the head. */
  resolve(answer: OutboundAnswer): void;
  reject(error: unknown): void;
  /** In its place where it failed on a kept connection, which the other side may have closed just now, before anything was answered. */
  again?(): void;
}

export class Exchange implements ExchangeTaker {
  // Not the request: its body may be large, and the answer may take hours.
  readonly #idleMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #connection: Connection;
  readonly #keep: (forMs: number) => void;
  /** undefined once it was told. */
  #outcome: Outcome | undefined;
  #headTimer: NodeJS.Timeout | undefined;
  #connectTimer: NodeJS.Timeout | undefined;
  /** undefined until there is a connection to send it on. */
  #sentAt: number | undefined;
  #body: AnswerBody | undefined;

  /** @param keep is called when the connection is good for another one */
  constructor(
    connection: Connection,
    { patience, signal }: OutboundRequest,
    outcome: Outcome,
    keep: (forMs: number) => void,
  ) {
    this.#connection = connection;
    this.#idleMs = patience.idle;
    this.#signal = signal;
    this.#outcome = outcome;
    this.#keep = keep;
  }

  begin({ method, patience }: OutboundRequest, bytes: RequestBytes): void {
    const connection = this.#connection;
    this.#signal?.addEventListener('abort', this.#onAbort);
    this.#headTimer = this.#limit('It did not begin to answer', patience.firstByte);
    if (connection.isUsed) this.#sentAt = performance.now();
    else this.#limitConnecting(patience.connect);
    connection.send(bytes, method, this);
  }

  onHead({ status, headers, framing }: AnswerHead): void {
    if (!this.#outcome) return;
    const connection = this.#connection;
    // Nothing is no gzip.
    const encoding = framing === 'none' ? undefined : headers['content-encoding'];
    // Before it is settled: what fails here fails the request.
    this.#body = new AnswerBody(encoding, this.#idleMs, {
      pause: () => connection.pause(),
      resume: () => connection.resume(),
      destroy: () => connection.destroy(),
      left: () => this.#signal?.removeEventListener('abort', this.#onAbort),
    });
    this.#settle()?.resolve({ status, headers, body: this.#body });
  }

  onData(piece: Buffer): void {
    this.#body?.take(piece);
  }

  onEnd(keptForMs: number): void {
    if (keptForMs > 0) this.#keep(keptForMs);
    this.#body?.end();
  }

  onBreak(error: Error, isSent: boolean, hasBegun: boolean): void {
    const failure = toOutboundError(error, this.#sentAt !== undefined);
    if (this.#body) return this.#body.fail(failure);
    const mayBeDone = isSent && (hasBegun || this.#isLate());
    const isBroken = failure.failure === 'broken';
    const isStale = this.#connection.isUsed && isBroken && !mayBeDone;
    const told =
      isBroken && mayBeDone ? new OutboundError('lost', failure.message, { cause: error }) : failure;
    this.#fail(told, isStale);
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.#signal?.reason;
    if (this.#body) this.#body.abort(reason);
    else this.#fail(reason);
  };

  #limitConnecting(ms: number): void {
    this.#connectTimer = this.#limit('No connection was made', ms);
    this.#connection.whenConnected(() => {
      clearTimeout(this.#connectTimer);
      this.#sentAt = performance.now();
    });
  }

  #limit(what: string, ms: number): NodeJS.Timeout {
    return setTimeout(
      () => this.#fail(new OutboundError('timeout', `${what} within ${toSeconds(ms)} s.`)),
      ms,
    );
  }

  #isLate(): boolean {
    const wayMs = Math.min(LONGEST_WAY_MS, 2 * this.#connection.roundTripMs);
    return this.#sentAt !== undefined && performance.now() - this.#sentAt > SOON_MS + wayMs;
  }

  #fail(error: unknown, isStale = false): void {
    const outcome = this.#settle();
    if (!outcome) return;
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#connection.destroy();
    if (isStale && outcome.again) outcome.again();
    else outcome.reject(error);
  }

  /** @returns who is to be told; undefined where it was told before */
  #settle(): Outcome | undefined {
    const outcome = this.#outcome;
    this.#outcome = undefined;
    clearTimeout(this.#headTimer);
    clearTimeout(this.#connectTimer);
    return outcome;
  }
}

/** For people: what is left of a time is no round number. */
const toSeconds = (ms: number) => Number((ms / 1000).toFixed(2));
