/** Where rows go: takes them as fast as its reader does, and knows when that has left. */
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

  /** Why it takes no more, where it has not got everything. */
  get error(): Error | undefined {
    if (!this.#isClosed || this.#stream.writableFinished) return undefined;
    return this.#error ?? READER_LEFT;
  }

  /** Called once, when it takes no more. */
  onLeft(listener: (() => void) | undefined): void {
    this.#onLeft = listener;
    if (this.#isClosed) listener?.();
  }

  /** @returns what resolves when there is room for more, or nobody wants more; undefined where there is room */
  write(rows: Buffer): Promise<void> | undefined {
    if (this.#isClosed || this.#stream.write(rows)) return undefined;
    return new Promise<void>((resolve) => {
      this.#onRoom = resolve;
    });
  }

  /** Resolves when its reader could have all of it. @throws why it has not */
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

const READER_LEFT = Object.assign(new Error('Nobody takes the rows any more.'), { code: 'EPIPE' });
