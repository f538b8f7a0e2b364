/** Passes a streamed completion on to the caller: counts the output, and stores the call before it ends. */
import type { ChatCompletion, StreamPiece } from '../../platform/llm/chat-model.ts';
import type { CallRecord, CallTotals } from './call-record.ts';

export interface MeteredStreamOptions {
  readonly pieces: AsyncIterable<StreamPiece>;
  /** Aborted when the response is no longer wanted. */
  readonly signal: AbortSignal;
  readonly record: CallRecord;
  /** Receives every piece after it was counted. An error thrown here ends the stream. */
  readonly observe: (piece: StreamPiece) => void;
  /** Called with the totals of a complete response, before its reader sees the end. */
  readonly completed: (totals: CallTotals) => Promise<void>;
  /** Ends the pieces early, after an error or because the rest is not wanted, and stores the call. Never fails. */
  readonly leave: (source: AsyncIterator<StreamPiece>, error: unknown) => Promise<void>;
  /** Called once, when the call is stored or could not be. */
  readonly close: () => void;
}

type Chunks = readonly ChatCompletion[];

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** A class instead of a generator, which could not be closed while it waits for a piece. Allows one `next` at a time. */
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

  /** Cancels the call, since the rest is not wanted. */
  async return(): Promise<IteratorResult<Chunks>> {
    // The first piece was already generated, so it has to be charged.
    if (!this.#hasBegun) await this.#read().catch(() => undefined);
    if (!this.#isOver) await this.#leave(undefined);
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Returns the next chunks; undefined at the end. */
  async #read(): Promise<Chunks | undefined> {
    const { signal, record, observe } = this.#options;
    // The first piece counts even after an abort, since it was already generated.
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
