/** The HTTP exchange of a call with its provider: the AI SDK's `fetch`, which tracks the progress. */
import type { Share } from '../../admission/budget.ts';
import type { ChatCall } from '../chat-model.ts';
import { StreamIdleTimeout } from '../stream-idle-timeout.ts';
import type { FetchFunction } from './translated-provider.ts';

/** Far more than any response, so that an endless one cannot fill the memory. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** The SDK continues long responses with further requests, as often as the provider says. */
const MAX_REQUESTS = 64;

/** Describes what the provider did, in words that follow its name. */
export class Unreadable extends Error {}

export class Exchange {
  readonly #fetch: typeof fetch;
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal;
  readonly #room: Share;
  readonly #silence: StreamIdleTimeout;
  #requests = 0;
  #bytes = 0;
  #bytesBeforeContent = 0;
  /** True after the provider has begun to respond: from then on the call is charged, and not retried. */
  hasResponse = false;

  constructor(
    fetch: typeof globalThis.fetch,
    { signal, room }: Pick<ChatCall, 'signal' | 'room'>,
    maxSilenceMs: number,
  ) {
    this.#fetch = fetch;
    this.#signal = AbortSignal.any([signal, this.#ended.signal]);
    this.#room = room;
    this.#silence = new StreamIdleTimeout(maxSilenceMs);
  }

  /** Closes the connection, even when its data is not being read. */
  readonly end = (): void => this.#ended.abort();

  /** @param next waits for the next content of a stream; the SDK hides pings */
  readonly waitForContent = async <Word>(next: () => PromiseLike<Word>): Promise<Word> => {
    this.#silence.startWaiting();
    const word = await next();
    this.#silence.contentReceived();
    this.#bytesBeforeContent = this.#bytes;
    return word;
  };

  /** True after the request was sent; earlier failures are caused by the request. */
  get wasSent(): boolean {
    return this.#requests > 0;
  }

  readonly fetch: FetchFunction = async (input, init) => {
    if (++this.#requests > MAX_REQUESTS) throw new Unreadable('asks for more and more requests');
    const headers = new Headers(init?.headers);
    // Removes the empty key header that the SDK sends for a provider without a key.
    for (const name of ['x-api-key', 'x-goog-api-key']) if (headers.get(name) === '') headers.delete(name);
    const response = await this.#fetch(input, { ...init, headers, redirect: 'manual', signal: this.#signal });
    if (!response.body) return response;
    this.hasResponse ||= response.ok;
    this.#silence.restart();
    const { status, headers: received } = response;
    return new Response(response.body.pipeThrough(this.#watched()), { status, headers: received });
  };

  #watched(): TransformStream<Uint8Array, Uint8Array> {
    return new TransformStream({
      transform: (piece, controller) => {
        const refusal = this.#refuse(piece.length);
        if (refusal) controller.error(refusal);
        else controller.enqueue(piece);
      },
    });
  }

  #refuse(bytes: number): Error | undefined {
    this.#bytes += bytes;
    if (this.#bytes > MAX_ANSWER_BYTES) return new Unreadable('answered more than 64 MiB');
    // The SDK buffers everything since its last part: for a whole response, all of it.
    return this.#silence.check(bytes) ?? this.#room.take(this.#bytes - this.#bytesBeforeContent);
  }
}
