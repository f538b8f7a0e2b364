/** Binary request bodies: streamed, limited, and drained instead of reset when they are refused. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../errors.ts';
import type { Upload } from '../operations.ts';
import { bodyTooLarge } from '../responses/error-responses.ts';
import { hasBody } from './body-arrival.ts';

/** Timeout without a received byte while waiting for one. */
const IDLE_MS = 60_000;
/** Bytes that are discarded after a response: most clients read it only after sending everything. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;
const MAX_DISCARD_MS = 5_000;

const invalid = (detail: string, cause?: unknown) => new ApiError('invalid_error', detail, { cause });

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly upload?: Upload;
  }
}

/** Returns what the route of a request accepts as an upload. */
export const findUpload = (request: FastifyRequest) => request.routeOptions.config.upload;

/** Leaves every body to its operation, including JSON, where uploads are mounted. */
export function leaveBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

/** Returns the media type without parameters, in lower case. */
export function mediaTypeOf({ 'content-type': given }: IncomingHttpHeaders): string {
  return given?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** @returns undefined for an uncompressed body */
export function contentEncodingOf({ 'content-encoding': given }: IncomingHttpHeaders): string | undefined {
  const encoding = given?.trim().toLowerCase();
  if (encoding === 'x-gzip') return 'gzip'; // a former name of identity
  return encoding === '' || encoding === 'identity' || encoding === 'none' ? undefined : encoding;
}

/** Checks the headers only, for what the operation would not accept. */
export function findRefusal(
  { headers }: FastifyRequest,
  { contentTypes, contentEncodings, maxBytes }: Upload,
): ApiError | undefined {
  if (Number(headers['content-length']) > maxBytes) return bodyTooLarge(maxBytes);
  const isMeant = headers['content-type'] !== undefined || hasBody(headers);
  const isTaken = '*/*' in contentTypes || Object.hasOwn(contentTypes, mediaTypeOf(headers));
  if (isMeant && !isTaken) {
    const types = Object.keys(contentTypes).join(' or ');
    return invalid(`This operation takes a body of the type ${types}; send it with that Content-Type.`);
  }
  const encoding = contentEncodingOf(headers);
  if (!contentEncodings || encoding === undefined || contentEncodings.includes(encoding)) return undefined;
  const known = `send it with ${contentEncodings.join(', ')}, or as it is`;
  return invalid(`Content-Encoding "${encoding}" is not supported here; ${known}.`);
}

interface UploadOptions {
  readonly maxBytes: number;
  readonly idleMs?: number;
}

/** Bytes of a request's body. Destroying it leaves the connection open, since the response is still to be sent. */
export class UploadBody extends Readable {
  readonly #source: IncomingMessage;
  readonly #maxBytes: number;
  readonly #silence: NodeJS.Timeout;
  #isWaiting = false;
  #received = 0;

  constructor(source: IncomingMessage, { maxBytes, idleMs = IDLE_MS }: UploadOptions) {
    super();
    this.#source = source;
    this.#maxBytes = maxBytes;
    this.#silence = setTimeout(() => this.#onSilence(), idleMs).unref();
    // The reader may start after the failure, and gets the error then.
    this.on('error', () => undefined);
    source.on('data', this.#onData).pause();
    source.once('end', this.#onEnd).once('error', this.#onBreak).once('close', this.#onBreak);
    if (source.destroyed) this.#onBreak();
  }

  override _read(): void {
    this.#isWaiting = true;
    this.#silence.refresh();
    this.#source.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearTimeout(this.#silence);
    this.#source.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onBreak).pause();
    callback(error);
  }

  readonly #onData = (chunk: Buffer) => {
    this.#received += chunk.length;
    if (this.#received > this.#maxBytes) {
      this.destroy(bodyTooLarge(this.#maxBytes));
    } else if (this.push(chunk)) {
      this.#silence.refresh();
    } else {
      this.#isWaiting = false;
      this.#source.pause();
    }
  };

  readonly #onEnd = () => {
    clearTimeout(this.#silence);
    this.#source.off('close', this.#onBreak);
    this.push(null);
  };

  readonly #onBreak = (cause?: Error) => this.destroy(invalid('The request was aborted.', cause));

  /** Time in which the reader is slow does not count. */
  #onSilence(): void {
    if (this.#isWaiting)
      this.destroy(invalid('No byte of the body has arrived for a minute; send it again.'));
    else this.#silence.refresh();
  }
}

/**
 * Called before a response to a request whose body has not arrived completely. Node would close the connection right after it, and unread
 * bytes would cause a reset: so the response is sent completely, and the connection ends a little later.
 */
export function outlastBody(
  { raw, headers }: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  const isArriving = () => !raw.complete && !raw.readableEnded && !raw.destroyed;
  if (!hasBody(headers) || !isArriving() || typeof payload !== 'string') return done(null, payload);
  // A synchronous response is sent before Node has parsed the bytes that came with the headers, in the same packet.
  setImmediate(() => {
    if (!isArriving()) return done(null, payload);
    reply.header('connection', 'close').header('content-length', Buffer.byteLength(payload));
    done(null, Readable.from(respondThenDiscard(payload, raw), { objectMode: false }));
  });
}

async function* respondThenDiscard(text: string, body: IncomingMessage): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
  await discard(body);
}

/** Discards the rest of the body for a while. */
export function discard(body: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let left = MAX_DISCARDED_BYTES;
    const timer = setTimeout(resolve, MAX_DISCARD_MS);
    const end = () => {
      clearTimeout(timer);
      body.pause();
      resolve();
    };
    body.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) end();
    });
    body.once('end', end).once('close', end).once('error', end).resume();
  });
}
