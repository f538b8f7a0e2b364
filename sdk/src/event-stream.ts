/** Server-sent events as an endless loop that survives broken connections. */
import { DrydockError } from './errors.ts';
import { EVENT_STREAM, readData, readMessages } from './event-messages.ts';
import { checkHeaderValue, checkNumbers } from './option-checks.ts';
import { backOffMs, findPauseMs, pause } from './retries.ts';
import type { CallOptions, Request, Transport } from './transport.ts';

/** One event. */
export interface ServerEvent<Data = unknown> {
  /** Resume position after this event: pass it as `lastEventId`. */
  readonly id: string | undefined;
  readonly type: string;
  readonly data: Data;
}

export interface EventOptions extends Omit<CallOptions, 'idempotencyKey'> {
  /** Id of the last seen event; only later events are sent. */
  readonly lastEventId?: string;
  /** Milliseconds of silence, without even a heartbeat, after which the connection counts as dead. Default 60 s. */
  readonly idleTimeoutMs?: number;
  /**
   * Time for which a broken connection is retried without success before the loop fails. Default 60 s, Infinity for no limit; one attempt
   * is always made. Applies instead of `maxRetries`, which is for the first connection.
   */
  readonly reconnectForMs?: number;
}

const RECONNECT_FOR_MS = 60_000;
/** A new token that expires sooner than this counts as invalid, unless an event came with it. */
const FRESH_TOKEN_MS = 60_000;

/**
 * Events to loop over. A broken connection is reopened after the last seen event, so that none is missed or repeated. The loop ends when
 * the stream is complete or the signal is aborted; it fails with a DrydockError when the server reports one, and when it cannot be reached
 * for too long. If `accessToken` is a function, an expired token is replaced on the way.
 */
export class EventStream<Data = unknown> implements AsyncIterable<ServerEvent<Data>> {
  readonly #transport: Transport;
  readonly #request: Request;
  readonly #options: EventOptions;

  constructor(transport: Transport, request: Request, options: EventOptions = {}) {
    checkNumbers(options, 'timeoutMs', 'maxRetries', 'idleTimeoutMs', 'reconnectForMs');
    this.#transport = transport;
    this.#request = request;
    this.#options = options;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ServerEvent<Data>, void, undefined> {
    const { signal } = this.#options;
    try {
      yield* this.#follow();
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  }

  async *#follow(): AsyncGenerator<ServerEvent<Data>, void, undefined> {
    const { signal, lastEventId } = this.#options;
    const place: Place = { lastEventId, pauseMs: 0, failures: 0 };
    for (;;) {
      const end = new AbortController();
      let failure: DrydockError | undefined;
      try {
        const response = await this.#open(place, end.signal);
        if (response.status === 204) return;
        yield* this.#read(response, place, end);
      } catch (error) {
        if (!(error instanceof DrydockError)) throw error;
        failure = error;
      } finally {
        end.abort();
      }
      await pause(this.#findPauseMs(place, failure), signal);
    }
  }

  #open({ lastEventId, failures }: Place, end: AbortSignal): Promise<Response> {
    const { signal } = this.#options;
    if (lastEventId !== undefined) checkHeaderValue('lastEventId', lastEventId);
    const headers: Record<string, string> = lastEventId ? { 'last-event-id': lastEventId } : {};
    return this.#transport.open(
      { ...this.#request, accept: EVENT_STREAM, headers },
      {
        ...this.#options,
        ...(failures > 0 && { maxRetries: 0 }), // the loop itself reconnects
        signal: signal ? AbortSignal.any([signal, end]) : end,
      },
    );
  }

  /** Returns the delay before the next connection; throws when there is to be none. */
  #findPauseMs(place: Place, failure: DrydockError | undefined): number {
    const { retryPauseMs } = this.#transport.options;
    place.failures += 1;
    place.brokenAt ??= performance.now();
    if (failure && this.#isRenewable(place, failure)) return backOffMs(1, retryPauseMs);
    const { reconnectForMs = RECONNECT_FOR_MS } = this.#options;
    // Errors sent within a stream are final, and the first connection has had its retries.
    const isFirst = place.failures === 1;
    const isLate = !isFirst && performance.now() - place.brokenAt >= reconnectForMs;
    if (isLate || (failure && isFirst)) throw failure ?? this.#broken();
    if (!failure) return place.pauseMs + backOffMs(place.failures, retryPauseMs);
    const attempt = { isRepeatable: true, hasIdempotencyKey: false, failures: place.failures };
    const pauseMs = findPauseMs(attempt, failure, retryPauseMs);
    if (pauseMs === undefined) throw failure;
    return place.pauseMs + pauseMs;
  }

  /** Returns whether the credential can be replaced, and was not replaced just now. */
  #isRenewable(place: Place, { type }: DrydockError): boolean {
    if (type !== 'expired_token_error' || typeof this.#transport.options.credential !== 'function')
      return false;
    const { renewedAt } = place;
    place.renewedAt = performance.now();
    return renewedAt === undefined || place.renewedAt - renewedAt > FRESH_TOKEN_MS;
  }

  /** Yields events until the connection ends. */
  async *#read(
    response: Response,
    place: Place,
    end: AbortController,
  ): AsyncGenerator<ServerEvent<Data>, void, undefined> {
    const onLife = () => {
      place.failures = 0;
      place.brokenAt = undefined;
    };
    const { idleTimeoutMs } = this.#options;
    for await (const message of readMessages({ response, name: this.#name, end, idleTimeoutMs, onLife })) {
      if (message.kind === 'retry') {
        place.pauseMs = message.pauseMs;
        continue;
      }
      const { id, type } = message;
      const data = readData(message, response, this.#name) as Data;
      this.#options.signal?.throwIfAborted();
      place.lastEventId = id ?? place.lastEventId;
      place.renewedAt = undefined;
      yield { id, type, data };
    }
  }

  #broken(): DrydockError {
    const detail = 'The event stream broke and could not be continued.';
    return new DrydockError({ type: 'connection_error', request: this.#name, detail });
  }

  get #name(): string {
    return `${this.#request.method} ${this.#request.path}`;
  }
}

/** Position in a stream across all its connections. */
interface Place {
  lastEventId: string | undefined;
  /** Delay before a reconnect as requested by the server. */
  pauseMs: number;
  /** Consecutive connections that received nothing, not even a heartbeat. */
  failures: number;
  /** Time of the first of these failures, in milliseconds. */
  brokenAt?: number | undefined;
  /** Time at which the credential was last found expired, if no event has arrived since. */
  renewedAt?: number | undefined;
}
