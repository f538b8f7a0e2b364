/** What one call tells while it works: a loop that ends with the call. */
import { DrydockError } from './errors.ts';
import { EVENT_STREAM, readData, readMessages } from './event-messages.ts';
import { checkNumbers } from './option-checks.ts';
import type { CallOptions, Request, Transport } from './transport.ts';

export interface LiveOptions extends Omit<CallOptions, 'idempotencyKey'> {
  /** After so long without a word, not even a heartbeat, the connection counts as dead. 60 s unless given. */
  readonly idleTimeoutMs?: number;
}

/**
 * Events to loop over once: the call is made when the loop begins. Whoever leaves the loop ends the call, and a command with
 * it. It fails with a DrydockError when the server says so, and when the connection breaks before the last event: what
 * happened cannot be asked for again.
 */
export class LiveStream<Event> implements AsyncIterable<Event> {
  readonly #transport: Transport;
  readonly #request: Request;
  readonly #last: string;
  readonly #options: LiveOptions;

  constructor(transport: Transport, request: Request, last: string, options: LiveOptions = {}) {
    checkNumbers(options, 'timeoutMs', 'maxRetries', 'idleTimeoutMs');
    this.#transport = transport;
    // Streams take no key, so that a call whose answer was lost is not sent again.
    this.#request = { ...request, accept: EVENT_STREAM, takesIdempotencyKey: false };
    this.#last = last;
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
        const data = readData(message, response, name);
        hasEnded = message.type === this.#last;
        yield { type: message.type, data } as Event;
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
