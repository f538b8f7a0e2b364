/** Streams a document in pieces: with backpressure, and not at all after the reader has disconnected. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../errors.ts';
import { toAttachment } from './content-disposition.ts';
import type { ReplyBody } from './reply.ts';

type Piece = string | Buffer;

export interface PiecesOptions {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** All pieces are text, or all are bytes. */
  readonly pieces: AsyncIterable<Piece>;
  /** Default JSON. */
  readonly contentType?: string;
  /** Headers of the document, which an error response does not have. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Expected total size, if known. */
  readonly sizeBytes?: number | undefined;
  /** Fails when the caller is no longer authorized. */
  readonly stillAllowed: () => Promise<unknown>;
  readonly timings?: PiecesTimings;
}

export interface PiecesTimings {
  /** Milliseconds between two checks of the caller's permission. */
  readonly recheckMs: number;
  /** Milliseconds after which a reader that stopped reading is cut off. */
  readonly stallMs: number;
}

const TIMINGS: PiecesTimings = { recheckMs: 10_000, stallMs: 30_000 };

/** Small pieces are joined up to this length, to save writes. */
const PORTION_LENGTH = 64 * 1024;

/** The first portion is produced before the response begins: errors until then are ordinary error responses. */
export async function sendPieces(options: PiecesOptions): Promise<FastifyReply> {
  const { reply, contentType = 'application/json; charset=utf-8', headers = {}, sizeBytes } = options;
  const stream = new PieceStream(options);
  // Covers the first portion too, during which nothing else watches the connection.
  reply.raw.once('close', () => stream.destroy());
  if (reply.raw.closed) stream.destroy(); // the event is not emitted again
  await stream.begin();
  if (stream.destroyed) return reply.hijack(); // the client has disconnected
  if (sizeBytes !== undefined) reply.header('content-length', sizeBytes);
  return reply.headers(headers).type(contentType).send(stream);
}

/** Sends a user's file as an attachment: a browser must not display it, whatever type it claims. */
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

  /** Closes the generator of the pieces. */
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
    const giveUp = () => this.cutOff(new ApiError('invalid_error', 'The reader stopped reading.'));
    this.stall = setTimeout(giveUp, this.timings.stallMs);
  }

  /** Ends the connection without the end of the response, so that half a document is not taken for a whole one. */
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

  /** A client would otherwise wait for missing bytes, or take extra bytes for the next response. */
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
