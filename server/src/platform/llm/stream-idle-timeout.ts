/** Detects a stream without content: comments and pings, which only keep its connection open, do not count. */
import { OutboundError } from '../net/outbound-error.ts';

/** More than keep-alive messages amount to: a long event is arriving. */
const EVENT_BYTES = 16 * 1024;

export class StreamIdleTimeout {
  readonly #maxMs: number;
  #since: number | undefined;
  #bytes = 0;

  constructor(maxMs: number) {
    this.#maxMs = maxMs;
  }

  /** Starts the clock when the next content is requested: time in which the reader is slow does not count. */
  startWaiting(): void {
    this.#since ??= performance.now();
  }

  /** Restarts the clock, since the provider could not send anything until now. */
  restart(): void {
    if (this.#since !== undefined) this.#since = performance.now();
  }

  contentReceived(): void {
    this.#since = undefined;
    this.#bytes = 0;
  }

  /**
   * @param bytes received without content.
   * @returns the error of the stream after too long a silence
   */
  check(bytes: number): OutboundError | undefined {
    if (this.#since === undefined) return undefined;
    this.#bytes += bytes;
    const now = performance.now();
    if (now - this.#since <= this.#maxMs) return undefined;
    if (this.#bytes < EVENT_BYTES)
      return new OutboundError('timeout', `Nothing was received in its stream for ${this.#maxMs / 1000} s.`);
    this.#since = now;
    this.#bytes = 0;
    return undefined;
  }
}
