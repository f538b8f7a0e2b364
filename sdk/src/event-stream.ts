/** Server-sent events as an endless loop that survives the end of its connections. */
import { DrydockError } from './errors.ts';
import { EVENT_STREAM, readData, readMessages } from './event-messages.ts';
import { checkHeaderValue, checkNumbers } from './option-checks.ts';
import { backOffMs, findPauseMs, pause } from './retries.ts';
import type { CallOptions, Request, Transport } from './transport.ts';

/** One thing that happened. */
export interface ServerEvent<Data = unknown> {
  /** Where to go on after this event: give it as `lastEventId`. */
  readonly id: string | undefined;
  readonly type: string;
  readonly data: Data;
}

export interface EventOptions extends Omit<CallOptions, 'idempotencyKey'> {
  /** Only what came after this event. */
  readonly lastEventId?: string;
  /** After so long without a word, not even a heartbeat, the connection counts as dead. 60 s unless given. */
  readonly idleTimeoutMs?: number;
  /**
   * For how long a connection that broke is made again without success before the loop fails. 60 s unless given,
   * Infinity for ever; once is always tried. Instead of `maxRetries`, which is for the first connection.
   */
  readonly reconnectForMs?: number;
}

const RECONNECT_FOR_MS = 60_000;
/** A new token that has expired after less than this is none, unless an event came with it. */
const FRESH_TOKEN_MS = 60_000;

/**
 * Events to loop over. A connection that breaks is made again after the last event that was seen, so that none is missed
 * and none comes twice. The loop ends when nothing more will come or when the signal is aborted; it fails with a
 * DrydockError when the server says so, and when it cannot be reached for too long. Where `accessToken` is a function, an
 * expired token is replaced on the way.
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
        ...(failures > 0 && { maxRetries: 0 }), // the loop itself connects again
        signal: signal ? AbortSignal.any([signal, end]) : end,
      },
    );
  }

  /** How long to wait before the next connection; throws where there is to be none. */
  #findPauseMs(place: Place, failure: DrydockError | undefined): number {
    const { retryPauseMs } = this.#transport.options;
    place.failures += 1;
    place.brokenAt ??= performance.now();
    if (failure && this.#isRenewable(place, failure)) return backOffMs(1, retryPauseMs);
    const { reconnectForMs = RECONNECT_FOR_MS } = this.#options;
    // What a stream itself says is final, and the first connection has had its retries.
    const isFirst = place.failures === 1;
    const isLate = !isFirst && performance.now() - place.brokenAt >= reconnectForMs;
    if (isLate || (failure && isFirst)) throw failure ?? this.#broken();
    if (!failure) return place.pauseMs + backOffMs(place.failures, retryPauseMs);
    const attempt = { isRepeatable: true, hasIdempotencyKey: false, failures: place.failures };
    const pauseMs = findPauseMs(attempt, failure, retryPauseMs);
    if (pauseMs === undefined) throw failure;
    return place.pauseMs + pauseMs;
  }

  /** Whether the credential can be replaced, and was not just now. */
  #isRenewable(place: Place, { type }: DrydockError): boolean {
    if (type !== 'expired_token_error' || typeof this.#transport.options.credential !== 'function')
      return false;
    const { renewedAt } = place;
    place.renewedAt = performance.now();
    return renewedAt === undefined || place.renewedAt - renewedAt > FRESH_TOKEN_MS;
  }

  /** Until the connection ends. */
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

/** How far a stream was read, over all its connections. */
interface Place {
  lastEventId: string | undefined;
  /** What the server asks to wait before a new connection. */
  pauseMs: number;
  /** Connections in a row that brought nothing, not even a heartbeat. */
  failures: number;
  /** Since when, in milliseconds. */
  brokenAt?: number | undefined;
  /** When the credential was last found to have expired, and no event came since. */
  renewedAt?: number | undefined;
}
