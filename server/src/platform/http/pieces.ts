/** Sends a document in pieces: only as fast as its reader takes it, and not at all once the reader has left. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';
import { toAttachment } from './content-disposition.ts';
import type { ReplyBody } from './reply.ts';

type Piece = string | Buffer;

export interface PiecesOptions {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** All of them text, or all of them bytes. */
  readonly pieces: AsyncIterable<Piece>;
  /** JSON unless said. */
  readonly contentType?: string;
  /** Of the document: an error that is answered instead has none of them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What all of them must come to, where that is known. */
  readonly sizeBytes?: number | undefined;
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
const PORTION_LENGTH = 64 * 1024;

/** The first portion is made before the answer begins: until then, what fails is answered as in any operation. */
export async function sendPieces(options: PiecesOptions): Promise<FastifyReply> {
  const { reply, contentType = 'application/json; charset=utf-8', headers = {}, sizeBytes } = options;
  const stream = new PieceStream(options);
  // Also while the first portion is made, when nothing else looks at the connection.
  reply.raw.once('close', () => stream.destroy());
  if (reply.raw.closed) stream.destroy(); // it will say so no more
  await stream.begin();
  if (stream.destroyed) return reply.hijack(); // nobody is there
  if (sizeBytes !== undefined) reply.header('content-length', sizeBytes);
  return reply.headers(headers).type(contentType).send(stream);
}

/** Sends a user's file as an attachment: a browser must not show it, whatever type it claims. */
export function sendDownload(
  { name, stream, sizeBytes }: ReplyBody<unknown> & { kind: 'file' },
  more: Readonly<Record<string, string>>,
  to: Pick<PiecesOptions, 'request' | 'reply' | 'stillAllowed'>,
): Promise<FastifyReply> {
  const headers = {
    ...more,
    'content-disposition': toAttachment(name),
    'content-security-policy': 'sandbox',
  };
  return sendPieces({ ...to, pieces: stream, contentType: 'application/octet-stream', headers, sizeBytes });
}

class PieceStream extends Readable {
  private readonly options: PiecesOptions;
  private readonly timings: PiecesTimings;
  private readonly pieces: AsyncIterator<Piece>;
  private first: Piece | null | undefined;
  private gathered = 0;
  private checkedAt = performance.now();
  private stall: NodeJS.Timeout | undefined;

  constructor(options: PiecesOptions) {
    super({ highWaterMark: PORTION_LENGTH });
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

  private pass(portion: Piece | null): void {
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
  private async gather(): Promise<Piece | null> {
    const portion: Piece[] = [];
    let length = 0;
    while (length < PORTION_LENGTH && !this.destroyed) {
      if (performance.now() - this.checkedAt >= this.timings.recheckMs) await this.recheck();
      const { done, value } = await this.pieces.next();
      if (done) break;
      portion.push(value);
      length += value.length;
    }
    this.gathered += length;
    this.requireSize(length === 0);
    return length === 0 ? null : join(portion);
  }

  /** Or the client would wait for what does not come, or take the rest for the next answer. */
  private requireSize(isAtEnd: boolean): void {
    const { sizeBytes } = this.options;
    if (sizeBytes === undefined || this.destroyed) return;
    if (isAtEnd ? this.gathered === sizeBytes : this.gathered <= sizeBytes) return;
    throw new ApiError('conflict_error', 'The file changed while it was read; read it again.');
  }

  private async recheck(): Promise<void> {
    await this.options.stillAllowed();
    this.checkedAt = performance.now();
  }
}

function join(pieces: readonly Piece[]): Piece {
  const [first = ''] = pieces;
  if (pieces.length === 1) return first;
  return typeof first === 'string' ? pieces.join('') : Buffer.concat(pieces as readonly Buffer[]);
}
