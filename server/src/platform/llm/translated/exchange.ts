/** What a call exchanges with its provider: the AI SDK's `fetch`, which notes how far it came. */
import type { Share } from '../../memory-room.ts';
import type { ChatCall } from '../chat-model.ts';
import { toSilenceError } from '../provider-errors.ts';
import type { FetchFunction } from './provider-models.ts';

/** Far more than any answer; a provider that sends without end fills no memory with it. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Long answers are continued by further requests of the SDK, as often as the provider says. */
const MAX_REQUESTS = 64;

/** What the provider did, in words that follow its name. */
export class Unreadable extends Error {}

export class Exchange {
  readonly #fetch: typeof fetch;
  readonly #signal: AbortSignal;
  readonly #maxSilenceMs: number;
  readonly #room: Share;
  #wordExpectedSince: number | undefined;
  #requests = 0;
  #bytes = 0;
  #bytesBeforeWord = 0;
  /** Whether the provider has begun to answer: from then on it is paid for, and not asked again. */
  hasAnswer = false;

  constructor(
    fetch: typeof globalThis.fetch,
    { signal, room }: Pick<ChatCall, 'signal' | 'room'>,
    maxSilenceMs: number,
  ) {
    this.#fetch = fetch;
    this.#signal = signal;
    this.#room = room;
    this.#maxSilenceMs = maxSilenceMs;
  }

  /** Somebody waits for the next word of a stream from now on; pings, which the SDK keeps to itself, are none. */
  readonly expectWord = (): void => {
    this.#wordExpectedSince = performance.now();
    this.#bytesBeforeWord = this.#bytes;
  };

  /** What fails before is the fault of the request. */
  get wasSent(): boolean {
    return this.#requests > 0;
  }

  readonly fetch: FetchFunction = async (input, init) => {
    if (++this.#requests > MAX_REQUESTS) throw new Unreadable('asks for more and more requests');
    const headers = new Headers(init?.headers);
    // A provider without a key: the SDK would send an empty one.
    for (const name of ['x-api-key', 'x-goog-api-key']) if (headers.get(name) === '') headers.delete(name);
    const response = await this.#fetch(input, { ...init, headers, redirect: 'manual', signal: this.#signal });
    if (!response.body) return response;
    this.hasAnswer ||= response.ok;
    if (this.#wordExpectedSince !== undefined) this.expectWord();
    const { status, headers: received } = response;
    return new Response(response.body.pipeThrough(this.#watched()), { status, headers: received });
  };

  #watched(): TransformStream<Uint8Array, Uint8Array> {
    return new TransformStream({
      transform: (piece, controller) => {
        this.#bytes += piece.length;
        const refusal = this.#refuse();
        if (refusal) controller.error(refusal);
        else controller.enqueue(piece);
      },
    });
  }

  #refuse(): Error | undefined {
    if (this.#bytes > MAX_ANSWER_BYTES) return new Unreadable('answered more than 64 MiB');
    const since = this.#wordExpectedSince;
    if (since !== undefined && performance.now() - since > this.#maxSilenceMs)
      return toSilenceError(this.#maxSilenceMs);
    // The SDK holds all since the last part that it gave: of a whole answer, all of it.
    return this.#room.take(this.#bytes - this.#bytesBeforeWord);
  }
}
