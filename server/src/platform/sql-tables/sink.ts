/** Where rows go: takes them as fast as its reader does, and knows when that has left. */

/** What a stream says of which only the reader has had enough. */
const READER_LEFT: ReadonlySet<string | undefined> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_WRITE_AFTER_END',
]);

export class Sink {
  readonly #stream: NodeJS.WritableStream & { readonly destroyed?: boolean; destroy?: () => unknown };
  #isClosed: boolean;
  #error: NodeJS.ErrnoException | undefined;
  #onRoom: (() => void) | undefined;
  #onEnd: (() => void) | undefined;
  #onLeft: (() => void) | undefined;

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
    this.#isClosed = this.#stream.destroyed === true;
    stream.on('drain', () => this.#onRoom?.());
    stream.on('close', () => this.#close());
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#error ??= error;
      this.#close();
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Called once, when nobody reads on. */
  onLeft(listener: (() => void) | undefined): void {
    this.#onLeft = listener;
    if (this.#isClosed) listener?.();
  }

  /** Resolves when there is room for more, or nobody wants more. */
  async write(piece: Buffer): Promise<void> {
    if (this.#isClosed || this.#stream.write(piece)) return;
    await new Promise<void>((resolve) => {
      this.#onRoom = resolve;
    });
  }

  /** Resolves when its reader could have all of it. @throws when something else has gone wrong than that nobody reads */
  async end(): Promise<void> {
    if (!this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#onEnd = resolve;
        this.#stream.end(() => resolve());
      });
    }
    if (this.#error && !READER_LEFT.has(this.#error.code)) throw this.#error;
  }

  destroy(): void {
    if (this.#stream.destroy) this.#stream.destroy();
    else this.#stream.end();
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
