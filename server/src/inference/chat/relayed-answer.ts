/** A streamed answer on its way to the caller: what passes is noted, and the call is written down before its last event. */
import type { StreamPiece } from '../../platform/llm/chat-model.ts';
import type { CallRecord } from './call-record.ts';

export interface RelayOptions {
  readonly pieces: AsyncIterable<StreamPiece>;
  /** Aborted once nobody waits for it. */
  readonly signal: AbortSignal;
  readonly record: CallRecord;
  /** Leaves the pieces before their end, for an error or because the rest is not wanted, and writes the call down. Never fails. */
  readonly leave: (source: AsyncIterator<StreamPiece>, error: unknown) => Promise<void>;
  /** The call is written down, or could not be. */
  readonly over: () => void;
}

const DONE = Buffer.from('data: [DONE]\n\n');
const END = { done: true, value: undefined } as const;

/** No generator, which waits for each piece once more on its way out. One `next` at a time. */
export class RelayedAnswer implements AsyncIterableIterator<Buffer> {
  readonly #options: RelayOptions;
  readonly #source: AsyncIterator<StreamPiece>;
  #hasBegun = false;
  #state: 'open' | 'written' | 'over' = 'open';

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#source = options.pieces[Symbol.asyncIterator]();
  }

  async next(): Promise<IteratorResult<Buffer>> {
    if (this.#state !== 'open') return this.#end();
    const { signal, record } = this.#options;
    try {
      // Not before the first one is noted: it was said, and counts.
      if (this.#hasBegun) signal.throwIfAborted();
      this.#hasBegun = true;
      for (;;) {
        const { done, value } = await this.#source.next();
        if (done) break;
        record.note(value);
        if (value.bytes.length > 0) return { done: false, value: value.bytes };
        signal.throwIfAborted();
      }
      signal.throwIfAborted();
      this.#state = 'written';
      await record.complete();
      return { done: false, value: DONE };
    } catch (error) {
      await this.#leave(error);
      throw error;
    }
  }

  /** The rest is not wanted. */
  async return(): Promise<IteratorResult<Buffer>> {
    await this.#leave(undefined);
    return END;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #leave(error: unknown): Promise<void> {
    if (this.#state === 'open') {
      this.#state = 'written';
      await this.#options.leave(this.#source, error);
    }
    this.#end();
  }

  #end(): typeof END {
    if (this.#state !== 'over') this.#options.over();
    this.#state = 'over';
    return END;
  }
}
