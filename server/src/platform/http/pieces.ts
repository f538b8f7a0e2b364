/** Sends a document in pieces: only as fast as its reader takes it, and not at all once the reader has left. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';

export interface PiecesOptions {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly pieces: AsyncIterable<string>;
  /** Fails once the caller may read no further. */
  readonly stillAllowed: () => Promise<unknown>;
  readonly timings?: PiecesTimings;
}

export interface PiecesTimings {
  /** Between two checks that the caller may still read. */
  readonly recheckMs: number;
  /** A reader that takes nothing for so long is cut off. */
  readonly stallMs: number;
}

const TIMINGS: PiecesTimings = { recheckMs: 10_000, stallMs: 30_000 };

/** Sent together, so that not every small piece is a write of its own. */
const PORTION_CHARACTERS = 64 * 1024;

/** The first portion is made before the answer begins: until then, what fails is answered as in any operation. */
export async function sendPieces(options: PiecesOptions): Promise<FastifyReply> {
  const { reply } = options;
  const stream = new PieceStream(options);
  // Also while the first portion is made, when nothing else looks at the connection.
  reply.raw.once('close', () => stream.destroy());
  if (reply.raw.closed) stream.destroy(); // it will say so no more
  await stream.begin();
  if (stream.destroyed) return reply.hijack(); // nobody is there
  return reply.type('application/json; charset=utf-8').send(stream);
}

class PieceStream extends Readable {
  private readonly options: PiecesOptions;
  private readonly timings: PiecesTimings;
  private readonly pieces: AsyncIterator<string>;
  private first: string | null | undefined;
  private checkedAt = performance.now();
  private stall: NodeJS.Timeout | undefined;

  constructor(options: PiecesOptions) {
    super({ highWaterMark: PORTION_CHARACTERS });
    this.options = options;
    this.timings = options.timings ?? TIMINGS;
    this.pieces = options.pieces[Symbol.asyncIterator]();
  }

  async begin(): Promise<void> {
    try {
      this.first = await this.gather();
    } catch (error) {
      this.destroy();
      throw error;
    }
  }

  override _read(): void {
    clearTimeout(this.stall);
    const { first } = this;
    this.first = undefined;
    if (first === undefined) void this.proceed();
    else this.pass(first);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.stall);
    void this.stopMaking();
    done(error);
  }

  /** Whoever makes the pieces is told that no more are wanted. */
  private async stopMaking(): Promise<void> {
    try {
      await this.pieces.return?.();
    } catch (error) {
      this.options.request.log.warn({ err: error }, 'an answer in pieces did not end well');
    }
  }

  private async proceed(): Promise<void> {
    try {
      const portion = await this.gather();
      if (!this.destroyed) this.pass(portion);
    } catch (error) {
      this.cutOff(error);
    }
  }

  private pass(portion: string | null): void {
    this.push(portion);
    if (portion === null) return;
    const giveUp = () => this.cutOff(new ApiError('invalid_error', 'The reader takes nothing any more.'));
    this.stall = setTimeout(giveUp, this.timings.stallMs);
  }

  /** Half a document is no document: the connection ends without the end of the answer. */
  private cutOff(error: unknown): void {
    if (this.destroyed) return;
    const level = error instanceof ApiError && error.status < 500 ? 'warn' : 'error';
    this.options.request.log[level]({ err: error }, 'an answer was cut off');
    this.options.reply.raw.destroy();
    this.destroy();
  }

  /** @returns null at the end */
  private async gather(): Promise<string | null> {
    let portion = '';
    while (portion.length < PORTION_CHARACTERS && !this.destroyed) {
      if (performance.now() - this.checkedAt >= this.timings.recheckMs) await this.recheck();
      const { done, value } = await this.pieces.next();
      if (done) break;
      portion += value;
    }
    return portion === '' ? null : portion;
  }

  private async recheck(): Promise<void> {
    await this.options.stillAllowed();
    this.checkedAt = performance.now();
  }
}
