/** A streamed completion on its way to the caller: counts what passes, and stores the call before it ends. */
import type { ChatCompletion, StreamPiece } from '../../platform/llm/chat-model.ts';
import type { CallRecord, CallTotals } from './call-record.ts';

export interface MeteredStreamOptions {
  readonly pieces: AsyncIterable<StreamPiece>;
  /** Aborted when the response is no longer wanted. */
  readonly signal: AbortSignal;
  readonly record: CallRecord;
  /** Sees every piece after it was counted. What it throws ends the stream with an error. */
  readonly observe: (piece: StreamPiece) => void;
  /** Called with the totals of a whole response, before its reader learns that it has ended. */
  readonly completed: (totals: CallTotals) => Promise<void>;
  /** Ends the pieces early, after an error or because the rest is not wanted, and stores the call. Never fails. */
  readonly leave: (source: AsyncIterator<StreamPiece>, error: unknown) => Promise<void>;
  /** Called once, when the call is stored or could not be. */
  readonly close: () => void;
}

type Chunks = readonly ChatCompletion[];

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** A class and not a generator, which could not be left while it waits for a piece. One `next` at a time. */
export class MeteredStream implements AsyncIterableIterator<Chunks> {
  readonly #options: MeteredStreamOptions;
  readonly #source: AsyncIterator<StreamPiece>;
  #hasBegun = false;
  #isOver = false;
  #totals: CallTotals | undefined;

  constructor(options: MeteredStreamOptions) {
    this.#options = options;
    this.#source = options.pieces[Symbol.asyncIterator]();
  }

  get totals(): CallTotals | undefined {
    return this.#totals;
  }

  async next(): Promise<IteratorResult<Chunks>> {
    if (this.#isOver) return DONE;
    try {
      const chunks = await this.#read();
      if (chunks) return { done: false, value: chunks };
    } catch (error) {
      await this.#leave(error);
      throw error;
    }
    this.#isOver = true;
    try {
      this.#totals = await this.#options.record.complete(this.#options.completed);
      return DONE;
    } finally {
      this.#options.close();
    }
  }

  /** Ends the call: the rest is not wanted. */
  async return(): Promise<IteratorResult<Chunks>> {
    // The first piece is at hand already: it was produced, and has to be paid.
    if (!this.#hasBegun) await this.#read().catch(() => undefined);
    if (!this.#isOver) await this.#leave(undefined);
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next chunks; undefined at the end. */
  async #read(): Promise<Chunks | undefined> {
    const { signal, record, observe } = this.#options;
    // The first piece is noted even after an abort: it was produced, and has to be paid.
    if (this.#hasBegun) signal.throwIfAborted();
    this.#hasBegun = true;
    for (;;) {
      const { done, value } = await this.#source.next();
      if (!done) {
        record.note(value);
        observe(value);
      }
      if (!done && value.chunks.length > 0) return value.chunks;
      signal.throwIfAborted();
      if (done) return undefined;
    }
  }

  async #leave(error: unknown): Promise<void> {
    this.#isOver = true;
    await this.#options.leave(this.#source, error);
    this.#options.close();
  }
}
