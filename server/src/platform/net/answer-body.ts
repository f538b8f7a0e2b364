/** The body of an answer, piece by piece, as fast as it is taken. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { OutboundError, toOutboundError } from './outbound-error.ts';

/** What may wait here for a slow reader. */
const MAX_WAITING_BYTES = 256 * 1024;
/** For a connection to be used again, the rest of its answer has to be read: this much, for so long. */
const MAX_REST_BYTES = 64 * 1024;
const MAX_REST_MS = 1_000;

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

export class AnswerBody implements AsyncIterableIterator<Buffer> {
  readonly #call: ClientRequest;
  readonly #head: IncomingMessage;
  readonly #source: Readable;
  readonly #signal: AbortSignal | undefined;
  readonly #idleMs: number;
  #pieces: Buffer[] = [];
  #waitingBytes = 0;
  #wake: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #error: unknown;
  #state: 'open' | 'ended' | 'failed' | 'released' = 'open';

  constructor(call: ClientRequest, head: IncomingMessage, idleMs: number, signal: AbortSignal | undefined) {
    this.#call = call;
    this.#head = head;
    this.#idleMs = idleMs;
    this.#signal = signal;
    this.#source = this.#decoded();
    signal?.addEventListener('abort', this.#onAbort);
    this.#source.on('data', this.#onData);
    this.#source.once('end', () => this.#finish('ended'));
    this.#source.on('error', (error) => this.#fail(toOutboundError(error)));
    // Where it is decoded, its own errors do not come by themselves.
    if (this.#source !== head) head.on('error', (error) => this.#fail(toOutboundError(error)));
    head.once('close', () => {
      if (!head.complete)
        this.#fail(new OutboundError('broken', 'The connection broke off in the middle of the answer.'));
    });
    if (signal?.aborted) this.#onAbort();
  }

  /** All that has come since. One at a time. */
  async next(): Promise<IteratorResult<Buffer>> {
    if (this.#pieces.length === 0 && this.#state === 'open') await this.#arrival();
    const pieces = this.#pieces;
    if (pieces.length > 0) {
      this.#pieces = [];
      this.#waitingBytes = 0;
      if (this.#source.isPaused() && this.#state === 'open') this.#source.resume();
      return { done: false, value: pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces) };
    }
    if (this.#state === 'failed') throw this.#error;
    return { done: true, value: undefined };
  }

  /** Ends the call, since nobody wants the rest. */
  return(): Promise<IteratorResult<Buffer>> {
    if (this.#finish('released')) this.#call.destroy();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Leaves a rest unread that says nothing any more; where it is short and comes soon, the connection is kept. */
  release(): void {
    if (!this.#finish('released')) return;
    let rest = 0;
    const timer = setTimeout(() => this.#call.destroy(), MAX_REST_MS);
    this.#source.on('data', (piece: Buffer) => {
      rest += piece.length;
      if (rest > MAX_REST_BYTES) this.#call.destroy();
    });
    this.#head.once('close', () => clearTimeout(timer));
    this.#source.resume();
  }

  #decoded(): Readable {
    const encoding = this.#head.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
    if (encoding === '' || encoding === 'identity') return this.#head;
    const decoder = DECODERS[encoding]?.();
    if (!decoder) {
      this.#fail(new OutboundError('garbage', 'It encoded its answer in a way that it was not asked for.'));
      return this.#head;
    }
    return this.#head.pipe(decoder);
  }

  /** Resolves when there is something, or nothing more to come. Many small pieces that come at once are taken at once. */
  #arrival(): Promise<void> {
    // Armed only while somebody waits: a slow reader is not the other side's fault.
    this.#timer ??= setTimeout(this.#onSilence, this.#idleMs);
    this.#timer.refresh();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  readonly #onData = (piece: Buffer): void => {
    if (this.#state !== 'open') return;
    this.#pieces.push(piece);
    this.#waitingBytes += piece.length;
    if (this.#waitingBytes >= MAX_WAITING_BYTES) this.#source.pause();
    this.#rouse();
  };

  readonly #onAbort = (): void => this.#fail(this.#signal?.reason);

  readonly #onSilence = (): void => {
    if (!this.#wake) return;
    this.#fail(
      new OutboundError('timeout', `It stopped in the middle of its answer for ${this.#idleMs / 1000} s.`),
    );
  };

  #fail(error: unknown): void {
    this.#error ??= error;
    if (this.#finish('failed')) this.#call.destroy();
  }

  /** False where it was over already. */
  #finish(state: 'ended' | 'failed' | 'released'): boolean {
    if (this.#state !== 'open') return false;
    this.#state = state;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
    if (state === 'released') this.#pieces = [];
    this.#rouse();
    return true;
  }

  #rouse(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
