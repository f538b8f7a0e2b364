/** Pieces of a streamed response, from the first with content. */
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { StreamPiece } from '../chat-model.ts';
import type { ChunkWriter } from './chunks.ts';
import { type Exchange, Unreadable } from './exchange.ts';

type Parts = ReadableStreamDefaultReader<LanguageModelV4StreamPart>;

interface Source {
  /** Waits for the next part, with the timeout of the provider. */
  readonly waitForContent: Exchange['waitForContent'];
  /** Maps an error of the provider's stream to the reader's error. */
  readonly toError: (error: unknown) => unknown;
  /** Closes the connection. */
  readonly leave: () => void;
}

/** Time for a stream to end by itself after its last part, so that its connection can be reused. */
const MAX_REST_MS = 1_000;

/** Not a generator: one that was never started could not be closed. */
export class Pieces implements AsyncIterableIterator<StreamPiece> {
  readonly #parts: Parts;
  readonly #writer: ChunkWriter;
  readonly #source: Source;
  #first: StreamPiece | undefined;
  #error: unknown;
  #isOver = false;

  private constructor(parts: Parts, writer: ChunkWriter, source: Source) {
    this.#parts = parts;
    this.#writer = writer;
    this.#source = source;
  }

  /** Resolves with the first piece; earlier errors are thrown unchanged, and the caller keeps the exchange. */
  static async begin(parts: Parts, writer: ChunkWriter, source: Source): Promise<Pieces> {
    const pieces = new Pieces(parts, writer, source);
    pieces.#first = await pieces.#read();
    return pieces;
  }

  async next(): Promise<IteratorResult<StreamPiece>> {
    try {
      const value = await this.#take();
      return value ? { done: false, value } : { done: true, value: undefined };
    } catch (error) {
      const reason = this.#source.toError(error);
      await this.return();
      throw reason;
    }
  }

  async return(): Promise<IteratorResult<StreamPiece>> {
    this.#isOver = true;
    this.#first = undefined;
    this.#source.leave();
    await this.#parts.cancel().catch(() => undefined);
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #take(): Promise<StreamPiece | undefined> {
    if (this.#first) {
      const first = this.#first;
      this.#first = undefined;
      return first;
    }
    if (this.#error) throw this.#error;
    return this.#isOver ? undefined : await this.#read();
  }

  /** Returns the next part with content, or the end. */
  async #read(): Promise<StreamPiece | undefined> {
    for (;;) {
      const { done, value: part } = await this.#source.waitForContent(() => this.#parts.read());
      if (done) throw unfinished();
      if (part.type === 'error') throw part.error;
      const piece = this.#writer.write(part);
      if (part.type === 'finish') return this.#finish(part, piece);
      if (piece) return piece;
    }
  }

  #finish(part: LanguageModelV4StreamPart & { type: 'finish' }, last: StreamPiece | undefined) {
    if (part.finishReason.unified !== 'interrupted') {
      this.#isOver = true;
      void this.#settle();
      return last;
    }
    // Tokens counted so far were used; a reader that continues gets the error.
    if (!this.#writer.hasContent || !last?.usage) throw unfinished();
    this.#error = unfinished();
    return { ...last, chunks: [] };
  }

  async #settle(): Promise<void> {
    const timer = setTimeout(() => void this.return(), MAX_REST_MS);
    try {
      while (!(await this.#parts.read()).done);
    } catch {
      // everything relevant was sent
    } finally {
      clearTimeout(timer);
    }
  }
}

const unfinished = () => new Unreadable('ended its answer before it was finished');
