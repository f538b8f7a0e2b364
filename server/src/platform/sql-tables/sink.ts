/** Destination of rows: applies the backpressure of its reader, and detects when that has disconnected. */
import type { Writable } from 'node:stream';

export class Sink {
  readonly #stream: Writable;
  #isClosed = false;
  #error: Error | undefined;
  #onRoom: (() => void) | undefined;
  #onEnd: (() => void) | undefined;
  #onLeft: (() => void) | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('drain', () => this.#onRoom?.());
    stream.on('close', () => this.#close());
    stream.on('error', (error) => {
      this.#error ??= error;
      this.#close();
    });
    if (stream.destroyed) this.#close();
  }

  /** Reason why it accepts no more before everything was received. */
  get error(): Error | undefined {
    if (!this.#isClosed || this.#stream.writableFinished) return undefined;
    return this.#error ?? READER_LEFT;
  }

  /** Called once, when it accepts no more. */
  onLeft(listener: (() => void) | undefined): void {
    this.#onLeft = listener;
    if (this.#isClosed) listener?.();
  }

  /** @returns a promise that resolves when it is ready for more, or closed; undefined when it is ready */
  write(rows: Buffer): Promise<void> | undefined {
    if (this.#isClosed || this.#stream.write(rows)) return undefined;
    return new Promise<void>((resolve) => {
      this.#onRoom = resolve;
    });
  }

  /**
   * Resolves when the reader can have received everything.
   * @throws the reason why it has not
   */
  async end(): Promise<void> {
    if (!this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#onEnd = resolve;
        this.#stream.end(() => resolve());
      });
    }
    if (this.error) throw this.error;
  }

  destroy(): void {
    this.#stream.destroy();
    this.#close();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onRoom?.();
    this.#onEnd?.();
    this.#onLeft?.();
  }
}

const READER_LEFT = Object.assign(new Error('The rows are no longer consumed.'), { code: 'EPIPE' });
