/** Server-sent events as an endless loop that survives the end of its connections. */
import { fromEnvelope, parseJson, unexpectedAnswer } from './error-answers.ts';
import { DrydockError } from './errors.ts';
import { EventParser, type Message } from './event-parser.ts';
import { backOffMs, pause } from './retries.ts';
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
  /** After so long without a word, not even a heartbeat, the connection counts as dead. */
  readonly idleTimeoutMs?: number;
}

const EVENT_STREAM = 'text/event-stream';
const IDLE_TIMEOUT_MS = 60_000;

/**
 * Events to loop over. A connection that breaks is made again after the last event that was seen, so that none is missed
 * and none comes twice. The loop ends when nothing more will come or when the signal is aborted; it fails with a
 * DrydockError when the server says so, and when it cannot be reached for too long.
 */
export class EventStream<Data = unknown> implements AsyncIterable<ServerEvent<Data>> {
  readonly #transport: Transport;
  readonly #request: Request;
  readonly #options: EventOptions;

  constructor(transport: Transport, request: Request, options: EventOptions = {}) {
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
    const { signal, lastEventId, maxRetries = this.#transport.options.maxRetries } = this.#options;
    const place: Place = { lastEventId, pauseMs: 0, failures: 0 };
    for (;;) {
      const end = new AbortController();
      try {
        const response = await this.#open(place, end.signal);
        if (response.status === 204) return;
        yield* this.#read(response, place, end);
      } finally {
        end.abort();
      }
      place.failures += 1;
      if (place.failures > maxRetries) throw this.#broken();
      await pause(place.pauseMs + backOffMs(place.failures, this.#transport.options.retryPauseMs), signal);
    }
  }

  #open({ lastEventId }: Place, end: AbortSignal): Promise<Response> {
    const { signal } = this.#options;
    const headers: Record<string, string> = lastEventId ? { 'last-event-id': lastEventId } : {};
    return this.#transport.open(
      { ...this.#request, accept: EVENT_STREAM, headers },
      { ...this.#options, signal: signal ? AbortSignal.any([signal, end]) : end },
    );
  }

  /** Until the connection ends. */
  async *#read(
    response: Response,
    place: Place,
    end: AbortController,
  ): AsyncGenerator<ServerEvent<Data>, void, undefined> {
    if (!response.headers.get('content-type')?.startsWith(EVENT_STREAM)) {
      throw unexpectedAnswer(response, this.#name, 'The answer is no event stream.');
    }
    const parser = new EventParser();
    for await (const text of readTexts(response, end, this.#options.idleTimeoutMs ?? IDLE_TIMEOUT_MS)) {
      place.failures = 0;
      for (const message of parser.push(text)) {
        if (message.kind === 'retry') place.pauseMs = message.pauseMs;
        else {
          place.lastEventId = message.id ?? place.lastEventId;
          yield this.#toEvent(message, response);
        }
      }
    }
  }

  #toEvent({ id, type, data }: Message, response: Response): ServerEvent<Data> {
    const value = parseJson(data);
    if (type === 'error') throw fromEnvelope(value, response, this.#name);
    if (value === undefined) {
      throw unexpectedAnswer(response, this.#name, `The data of event "${id ?? ''}" is not JSON.`);
    }
    return { id, type, data: value as Data };
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
}

async function* readTexts(
  response: Response,
  end: AbortController,
  idleTimeoutMs: number,
): AsyncGenerator<string, void, undefined> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  const readChunk = async () => {
    // Only while waiting: a loop that takes long over an event is no fault of the connection.
    const timer = setTimeout(() => end.abort(), idleTimeoutMs);
    try {
      return await reader?.read();
    } catch {
      return undefined; // broken is no different from ended: the loop connects again
    } finally {
      clearTimeout(timer);
    }
  };
  for (let chunk = await readChunk(); chunk && !chunk.done; chunk = await readChunk()) {
    yield decoder.decode(chunk.value as Uint8Array, { stream: true });
  }
}
