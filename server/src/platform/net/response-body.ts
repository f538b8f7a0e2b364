/** The body of a response: decoded, chunk by chunk, as fast as its reader takes it. */
import type { IncomingMessage } from 'node:http';
import { type Duplex, pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { OutboundError, toOutboundError } from './outbound-error.ts';

/** A connection is kept for the next request if at most this much is unread and arrives within this time. */
const MAX_REST_BYTES = 64 * 1024;
const MAX_REST_MS = 1_000;

/** A Map, since an object has inherited names, and the server chooses the name. */
const DECODERS = new Map<string, () => Duplex>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

export interface BodyOptions {
  /** Milliseconds to wait for the next chunk. */
  readonly idleMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly toError: (error: unknown) => unknown;
}

export class ResponseBody implements AsyncIterableIterator<Buffer> {
  /** Milliseconds for which reading may continue after the signal is aborted. */
  graceMs = 0;
  readonly #stream: Readable;
  readonly #options: BodyOptions;
  #graceTimer: NodeJS.Timeout | undefined;
  #error: unknown;
  #isOver = false;
  /** Resumes a waiting reader. */
  #wake: (() => void) | undefined;

  constructor(response: IncomingMessage, options: BodyOptions) {
    this.#options = options;
    this.#stream = decode(response);
    this.#stream
      .on('readable', this.#onChange)
      .on('end', this.#onChange)
      .on('error', (error) => {
        this.#error = error;
        this.#onChange();
      })
      .once('close', () => {
        this.#forget();
        this.#onChange();
      });
    options.signal?.addEventListener('abort', this.#onAbort);
    if (options.signal?.aborted) this.#onAbort();
  }

  /** Returns all bytes that have arrived since the last call, also if the connection broke after them. One call at a time. */
  async next(): Promise<IteratorResult<Buffer>> {
    while (!this.#isOver) {
      const chunk = this.#stream.read() as Buffer | null;
      if (chunk) return { done: false, value: chunk };
      if (this.#stream.readableEnded) break;
      if (this.#error !== undefined || this.#stream.closed) throw this.#fail();
      await this.#change();
    }
    this.#isOver = true;
    return DONE;
  }

  /**
   * Reads the whole body.
   * @param refuse returns the error for a body of this length; the response is ended with that error
   */
  async whole(refuse: (length: number) => Error | undefined): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of this) {
      chunks.push(chunk);
      length += chunk.length;
      const refusal = refuse(length);
      if (refusal) throw refusal; // which also ends the response
    }
    return Buffer.concat(chunks);
  }

  /** Ends the response, and its connection unless the whole response has arrived. */
  return(): Promise<IteratorResult<Buffer>> {
    this.#isOver = true;
    this.#stream.destroy();
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Leaves the rest unread. The connection is kept if that rest is short and arrives soon. */
  release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    let rest = 0;
    const timer = setTimeout(() => this.#stream.destroy(), MAX_REST_MS);
    this.#stream
      .off('readable', this.#onChange)
      .on('data', (chunk: Buffer) => {
        rest += chunk.length;
        if (rest > MAX_REST_BYTES) this.#stream.destroy();
      })
      .once('close', () => clearTimeout(timer))
      .resume();
  }

  /** Resolves when there may be something to read. The timeout runs only during this wait: a slow reader is not the server's fault. */
  async #change(): Promise<void> {
    const { idleMs } = this.#options;
    const timer = setTimeout(() => this.#stream.destroy(stalled(idleMs)), idleMs);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    clearTimeout(timer);
  }

  readonly #onChange = (): void => {
    this.#wake?.();
    this.#wake = undefined;
  };

  #fail(): unknown {
    this.#isOver = true;
    const { signal, toError } = this.#options;
    if (signal?.aborted && this.#error === signal.reason) return this.#error;
    return toError(toOutboundError(this.#error, true));
  }

  readonly #onAbort = (): void => {
    const abort = () => this.#stream.destroy(this.#options.signal?.reason);
    if (this.graceMs === 0) abort();
    else this.#graceTimer = setTimeout(abort, this.graceMs);
  };

  #forget(): void {
    clearTimeout(this.#graceTimer);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
  }
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

const stalled = (ms: number) =>
  new OutboundError('timeout', `It stopped in the middle of its response for ${ms / 1000} s.`);

function decode(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? '';
  const isEmpty =
    [204, 304].includes(response.statusCode ?? 0) || Number(response.headers['content-length']) === 0;
  if (encoding === '' || encoding === 'identity' || isEmpty) return response;
  const decoder = DECODERS.get(encoding)?.();
  if (decoder) return pipeline(response, decoder, () => undefined);
  return response.destroy(
    new OutboundError('garbage', 'It uses a content encoding that it was not asked for.'),
  );
}
