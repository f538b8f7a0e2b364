/** Whether a stream says something in time: comments and pings, which keep its connection open, are nothing. */
import { OutboundError } from '../net/outbound-error.ts';

/** More than is sent to keep a connection open: an event that is long in coming. */
const EVENT_BYTES = 16 * 1024;

export class SilenceWatch {
  readonly #maxMs: number;
  #since: number | undefined;
  #bytes = 0;

  constructor(maxMs: number) {
    this.#maxMs = maxMs;
  }

  /** Somebody waits for the next word. Until then a reader takes its time, which is not the provider's fault. */
  expectWord(): void {
    this.#since ??= performance.now();
  }

  /** Until now it could say nothing. */
  restart(): void {
    if (this.#since !== undefined) this.#since = performance.now();
  }

  heardWord(): void {
    this.#since = undefined;
    this.#bytes = 0;
  }

  /** @param bytes that came without a word. @returns what the stream fails with, where it takes too long */
  judge(bytes: number): OutboundError | undefined {
    if (this.#since === undefined) return undefined;
    this.#bytes += bytes;
    const now = performance.now();
    if (now - this.#since <= this.#maxMs) return undefined;
    if (this.#bytes < EVENT_BYTES)
      return new OutboundError('timeout', `It said nothing in its stream for ${this.#maxMs / 1000} s.`);
    this.#since = now;
    this.#bytes = 0;
    return undefined;
  }
}
