/** The body of an answer, piece by piece, as fast as it is taken. */
import type { Duplex } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { OutboundError, toOutboundError } from './outbound-error.ts';

/** What may wait here for a slow reader. */
const MAX_WAITING_BYTES = 256 * 1024;
/** What a buffer takes beside its bytes: many pieces of one byte are no small rest. */
const BUFFER_BYTES = 128;
/** For a connection to be used again, the rest of its answer has to be read: this much, for so long. */
const MAX_REST_BYTES = 64 * 1024;
const MAX_REST_MS = 1_000;

/** No plain object, in which there are more names than these: the other side chooses the name. */
const DECODERS = new Map<string, () => Duplex>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

/** The exchange that it comes from. */
export interface AnswerSource {
  pause(): void;
  resume(): void;
  /** Ends the connection. Not after the end, when that may be another's. */
  destroy(): void;
  /** Nobody reads any more, or there is nothing more to read. */
  left(): void;
}

export class AnswerBody implements AsyncIterableIterator<Buffer> {
  /** For how long it goes on once its request is aborted. */
  graceMs = 0;
  readonly #source: AnswerSource;
  readonly #idleMs: number;
  readonly #decoder: Duplex | undefined;
  #pieces: Buffer[] = [];
  #waitingBytes = 0;
  #isPaused = false;
  #wake: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #graceTimer: NodeJS.Timeout | undefined;
  #error: unknown;
  #state: 'open' | 'ended' | 'failed' | 'released' = 'open';
  /** All of it has come over the wire, also where it is not yet decoded or taken. */
  #isWhole = false;
  /** Of what is left unread; undefined while it is read. */
  #restBytes: number | undefined;

  constructor(encoding: string | string[] | undefined, idleMs: number, source: AnswerSource) {
    this.#idleMs = idleMs;
    this.#source = source;
    this.#decoder = this.#createDecoder(encoding);
  }

  /** As it came over the wire. */
  take(piece: Buffer): void {
    if (this.#restBytes !== undefined) {
      this.#restBytes += piece.length;
      if (this.#restBytes > MAX_REST_BYTES) this.#source.destroy();
    } else if (!this.#decoder) {
      this.#add(piece);
    } else if (!this.#decoder.write(piece)) {
      this.#source.pause();
    }
  }

  /** Nothing more comes over the wire. */
  end(): void {
    this.#isWhole = true;
    if (this.#restBytes !== undefined) clearTimeout(this.#timer);
    else if (this.#decoder) this.#decoder.end();
    else this.#finish('ended');
  }

  fail(error: unknown): void {
    if (this.#restBytes !== undefined) clearTimeout(this.#timer);
    this.#error ??= error;
    if (this.#finish('failed')) this.#breakOff();
  }

  /** Its request is aborted. */
  abort(reason: unknown): void {
    if (this.#state !== 'open' || this.graceMs === 0) this.fail(reason);
    else this.#graceTimer = setTimeout(() => this.fail(reason), this.graceMs);
  }

  /** All that has come since. One at a time. */
  async next(): Promise<IteratorResult<Buffer>> {
    const waited = this.arrival();
    if (waited) await waited;
    const value = this.takeArrived();
    return value ? { done: false, value } : { done: true, value: undefined };
  }

  /** Resolves when there is something, or nothing more to come; undefined where that is so already. One at a time. */
  arrival(): Promise<void> | undefined {
    return this.#pieces.length === 0 && this.#state === 'open' ? this.#arrival() : undefined;
  }

  /** All that has come; undefined at its end. */
  takeArrived(): Buffer | undefined {
    const value = this.#takeWaiting();
    if (!value && this.#state === 'failed') throw this.#error;
    return value;
  }

  /** All of it, where it has come already and in one piece. */
  takeWhole(maxBytes: number): Buffer | undefined {
    const [only, more] = this.#pieces;
    if (this.#state !== 'ended' || !only || more || only.length > maxBytes) return undefined;
    return this.#takeWaiting();
  }

  /** All of it. @param refuse tells why it must not be so long, and the call is ended with that */
  async whole(refuse: (length: number) => Error | undefined): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let length = 0;
    for (;;) {
      if (this.#pieces.length === 0 && this.#state === 'open') await this.#arrival();
      const piece = this.#takeWaiting();
      if (!piece) break;
      pieces.push(piece);
      length += piece.length;
      const refusal = refuse(length);
      if (!refusal) continue;
      await this.return();
      throw refusal;
    }
    if (this.#state === 'failed') throw this.#error;
    return inOne(pieces);
  }

  /** Ends the call, since nobody wants the rest. */
  return(): Promise<IteratorResult<Buffer>> {
    if (this.#finish('released')) this.#breakOff();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Leaves a rest unread that says nothing any more; where it is short and comes soon, the connection is kept. */
  release(): void {
    if (!this.#finish('released') || this.#isWhole) return;
    this.#restBytes = 0;
    this.#timer = setTimeout(() => this.#source.destroy(), MAX_REST_MS);
    this.#source.resume();
  }

  #createDecoder(given: string | string[] | undefined): Duplex | undefined {
    const encoding = given?.toString().trim().toLowerCase() ?? '';
    if (encoding === '' || encoding === 'identity') return undefined;
    const decoder = DECODERS.get(encoding)?.();
    if (!decoder) {
      this.fail(new OutboundError('garbage', 'It encoded its answer in a way that it was not asked for.'));
      return undefined;
    }
    return decoder
      .on('data', (piece: Buffer) => this.#add(piece))
      .on('drain', () => this.#source.resume())
      .on('error', (error) => this.fail(toOutboundError(error)))
      .once('end', () => this.#finish('ended'));
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

  #takeWaiting(): Buffer | undefined {
    const pieces = this.#pieces;
    if (pieces.length === 0) return undefined;
    this.#pieces = [];
    this.#waitingBytes = 0;
    if (this.#isPaused && this.#state === 'open') this.#resume();
    return inOne(pieces);
  }

  #add(piece: Buffer): void {
    if (this.#state !== 'open') return;
    this.#pieces.push(piece);
    this.#waitingBytes += piece.length + BUFFER_BYTES;
    if (this.#waitingBytes >= MAX_WAITING_BYTES) this.#pause();
    this.#rouse();
  }

  #pause(): void {
    this.#isPaused = true;
    (this.#decoder ?? this.#source).pause();
  }

  #resume(): void {
    this.#isPaused = false;
    (this.#decoder ?? this.#source).resume();
  }

  readonly #onSilence = (): void => {
    if (!this.#wake) return;
    this.fail(
      new OutboundError('timeout', `It stopped in the middle of its answer for ${this.#idleMs / 1000} s.`),
    );
  };

  /** False where it was over already. */
  #finish(state: 'ended' | 'failed' | 'released'): boolean {
    if (this.#state !== 'open') return false;
    this.#state = state;
    clearTimeout(this.#timer);
    if (this.#graceTimer) clearTimeout(this.#graceTimer);
    this.#source.left();
    if (state === 'released') this.#pieces = [];
    this.#rouse();
    return true;
  }

  #breakOff(): void {
    if (!this.#isWhole) this.#source.destroy();
  }

  #rouse(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}

const inOne = (pieces: readonly Buffer[]) =>
  pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
