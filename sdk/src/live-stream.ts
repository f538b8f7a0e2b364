/** Progress of one call: a loop that ends with the call. */
import { fromEnvelope, isEnvelope } from './error-responses.ts';
import { DrydockError } from './errors.ts';
import { EVENT_STREAM, readData, readMessages } from './event-messages.ts';
import type { Message } from './event-parser.ts';
import { checkNumbers } from './option-checks.ts';
import type { CallOptions, Request, Transport } from './transport.ts';

export interface LiveOptions extends Omit<CallOptions, 'idempotencyKey'> {
  /** Milliseconds of silence, without even a heartbeat, after which the connection counts as dead. Default 60 s. */
  readonly idleTimeoutMs?: number;
}

/** Defines how the messages of a call are read. */
export interface Reading<Event> {
  readonly isLast: (message: Message) => boolean;
  /** @returns undefined for a message that only marks the end */
  readonly read: (message: Message, response: Response, name: string) => Event | undefined;
}

/** Reads typed events, one of which is the last. */
export const readTyped = <Event>(last: string): Reading<Event> => ({
  isLast: ({ type }) => type === last,
  read: (message, response, name) =>
    ({ type: message.type, data: readData(message, response, name) }) as Event,
});

const DONE = '[DONE]';

/** Reads pieces of a model's response, which may include an error. They end with a mark, or with an event of one of these types. */
export const readPieces = <Piece>(...lastTypes: readonly string[]): Reading<Piece> => ({
  isLast: ({ type, data }) => data === DONE || lastTypes.includes(type),
  read: (message, response, name) => {
    if (message.data === DONE) return undefined;
    const piece = readData(message, response, name);
    if (isEnvelope(piece)) throw fromEnvelope(piece, response, name);
    return piece as Piece;
  },
});

/**
 * Events to loop over once: the call is made when the loop begins. Leaving the loop ends the call, including a running command. The loop
 * fails with a DrydockError when the server reports one, and when the connection breaks before the last event: missed events cannot be
 * requested again.
 */
export class LiveStream<Event> implements AsyncIterable<Event> {
  readonly #transport: Transport;
  readonly #request: Request;
  readonly #reading: Reading<Event>;
  readonly #options: LiveOptions;

  constructor(transport: Transport, request: Request, reading: Reading<Event>, options: LiveOptions = {}) {
    checkNumbers(options, 'timeoutMs', 'maxRetries', 'idleTimeoutMs');
    this.#transport = transport;
    // Streams take no idempotency key, so a call whose response was lost is not retried.
    this.#request = { ...request, accept: EVENT_STREAM, takesIdempotencyKey: false };
    this.#reading = reading;
    this.#options = options;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    const { signal, idleTimeoutMs } = this.#options;
    const name = `${this.#request.method} ${this.#request.path}`;
    const end = new AbortController();
    try {
      const response = await this.#transport.open(this.#request, {
        ...this.#options,
        signal: signal ? AbortSignal.any([signal, end.signal]) : end.signal,
      });
      let hasEnded = false;
      for await (const message of readMessages({ response, name, end, idleTimeoutMs })) {
        if (message.kind === 'retry') continue;
        const event = this.#reading.read(message, response, name);
        hasEnded = this.#reading.isLast(message);
        if (event !== undefined) yield event;
      }
      signal?.throwIfAborted();
      if (!hasEnded) {
        const detail = 'The connection broke before the call had ended.';
        throw new DrydockError({ type: 'connection_error', request: name, detail });
      }
    } finally {
      end.abort();
    }
  }
}
