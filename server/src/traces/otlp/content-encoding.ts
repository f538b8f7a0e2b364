/** Unpacks bodies within bounds. Synchronous, for a thread that has nothing else to do. */
import {
  constants,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  type ZlibOptions,
  type ZstdOptions,
  zstdDecompressSync,
} from 'node:zlib';
import { ApiError } from '../../platform/errors.ts';

const MIB = 2 ** 20;
const MIN_CHUNK = 64 * 2 ** 10;
const MAX_CHUNK = 4 * MIB;
/** Maximum number of frames. Streaming writers produce a few; each one costs a decoder. */
const MAX_FRAMES = 1000;
/** Window of 8 MiB, the maximum of the content coding (RFC 9659): a frame's window is allocated in our memory. */
const ZSTD_WINDOW_LOG = 23;

export class UnpacksToMore extends ApiError {
  constructor(maxBytes: number) {
    const most = Math.floor(maxBytes / MIB);
    super('invalid_error', `The body unpacks to more than ${most} MiB; send fewer spans in one request.`);
  }
}

type Unpack = (body: Uint8Array, maxBytes: number) => Uint8Array;

export function inflate(body: Uint8Array, encoding: string | undefined, maxBytes: number): Uint8Array {
  const unpack = unpackerOf(encoding);
  if (body.length === 0) return body;
  try {
    return unpack(body, maxBytes);
  } catch (cause) {
    throw cause instanceof ApiError ? cause : toRefusal(cause, encoding, maxBytes);
  }
}

function unpackerOf(encoding: string | undefined): Unpack {
  switch (encoding?.trim().toLowerCase() ?? '') {
    case '':
    case 'identity':
    case 'none':
      return takeAsIs;
    case 'gzip':
    case 'x-gzip':
      return unpackGzip;
    case 'deflate':
      return unpackDeflate;
    case 'zstd':
      return unpackZstd;
    default:
      throw refusal(
        `Content-Encoding "${encoding?.slice(0, 100)}" is not supported here; send gzip, deflate, zstd or none.`,
      );
  }
}

function takeAsIs(body: Uint8Array, maxBytes: number): Uint8Array {
  if (body.length > maxBytes) throw tooLarge(maxBytes);
  return body;
}

function unpackGzip(body: Uint8Array, maxBytes: number): Uint8Array {
  // The last four bytes claim the unpacked size; a buffer of that size avoids copying.
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const length = body.length >= 4 ? view.getUint32(body.length - 4, true) : 0;
  const chunkSize = Math.max(Math.min(length, maxBytes) + 1, MIN_CHUNK);
  return wholly(body, unpackWith(gunzipSync, body, { maxOutputLength: maxBytes, chunkSize }));
}

/** RFC 9110 defines deflate as the zlib format; some clients send the bare stream. */
function unpackDeflate(body: Uint8Array, maxBytes: number): Uint8Array {
  const options = { maxOutputLength: maxBytes, chunkSize: chunkSizeFor(body) };
  const [first = 0, second = 0] = body;
  const isZlib = (first & 0x0f) === 8 && first >>> 4 <= 7 && ((first << 8) | second) % 31 === 0;
  if (!isZlib) return wholly(body, unpackWith(inflateRawSync, body, options));
  return wholly(body, unpackWith(inflateSync, body, options));
}

function unpackZstd(body: Uint8Array, maxBytes: number): Uint8Array {
  const params = { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG };
  const frames: Uint8Array[] = [];
  let used = 0;
  let length = 0;
  while (used < body.length) {
    const rest = body.subarray(used);
    const options = { maxOutputLength: maxBytes - length, chunkSize: chunkSizeFor(rest), params };
    if (frames.length === MAX_FRAMES) throw refusal(`The body holds more than ${MAX_FRAMES} frames of zstd.`);
    if (length >= maxBytes) throw tooLarge(maxBytes);
    const frame = unpackWith(zstdDecompressSync, rest, options);
    if (frame.used === 0) throw trailing();
    used += frame.used;
    length += frame.content.length;
    frames.push(frame.content);
  }
  return frames.length === 1 && frames[0] ? frames[0] : Buffer.concat(frames);
}

const chunkSizeFor = (body: Uint8Array) => Math.min(Math.max(body.length * 8, MIN_CHUNK), MAX_CHUNK);

interface Unpacked {
  readonly content: Uint8Array;
  /** Number of bytes of the body that were consumed. */
  readonly used: number;
}

/** The `info` option also returns the engine, which the types do not declare. */
function unpackWith<Options extends ZlibOptions | ZstdOptions>(
  unpack: (body: Uint8Array, options: Options) => unknown,
  body: Uint8Array,
  options: Options,
): Unpacked {
  const { buffer, engine } = unpack(body, { ...options, info: true }) as {
    buffer: Uint8Array;
    engine: { bytesWritten: number };
  };
  return { content: buffer, used: engine.bytesWritten };
}

function wholly(body: Uint8Array, { content, used }: Unpacked): Uint8Array {
  if (used < body.length) throw trailing();
  return content;
}

function toRefusal(cause: unknown, encoding: string | undefined, maxBytes: number): unknown {
  const code = String((cause as { code?: unknown }).code);
  if (code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(maxBytes);
  if (code === 'Z_BUF_ERROR') return refusal(`The body ends before its ${encoding} stream does.`, cause);
  if (code === 'ZSTD_error_frameParameter_windowTooLarge')
    return refusal('The body asks for a zstd window of more than 8 MiB.', cause);
  if (/^(Z_|ZSTD_)/.test(code)) return refusal(`The body is not valid ${encoding}.`, cause);
  return cause;
}

const tooLarge = (maxBytes: number) => new UnpacksToMore(maxBytes);

const trailing = () => refusal('The body goes on after the end of its compressed stream.');

const refusal = (detail: string, cause?: unknown) => new ApiError('invalid_error', detail, { cause });
