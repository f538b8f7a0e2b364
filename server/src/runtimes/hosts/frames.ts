/** Frames that carry a command or a terminal between two processes: its input in one direction, its output in the other. */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/** Frame types of both directions; readers skip unknown types. */
export const FRAMES = {
  command: 1,
  stdin: 2,
  stdinEnd: 3,
  resize: 4,
  acknowledge: 5,
  hangUp: 6,
  started: 10,
  stdout: 11,
  stderr: 12,
  exit: 13,
  error: 14,
  ended: 15,
  beat: 16,
  taken: 17,
} as const;

export interface Frame {
  readonly type: number;
  readonly payload: Buffer;
}

const HEAD_BYTES = 5;
const MAX_BYTES = 4 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

/** Resolves when more may be sent, so that a slow reader slows down the sender. */
export async function sendFrame(to: Writable, type: number, payload: Uint8Array = NOTHING): Promise<void> {
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUInt8(type, 0);
  head.writeUInt32BE(payload.length, 1);
  await pour(to, Buffer.concat([head, payload]));
}

const NOTHING = new Uint8Array();

/** Splits output of any size into small frames. */
export async function sendAll(from: Readable, to: Writable, type: number): Promise<void> {
  for await (const chunk of from) await sendPieces(to, type, chunk as Buffer);
}

export async function sendPieces(to: Writable, type: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    await sendFrame(to, type, bytes.subarray(at, at + PIECE_BYTES));
}

/** Writes with backpressure. Data is dropped when the reader is gone. */
export async function pour(to: Writable, bytes: Buffer): Promise<void> {
  if (to.destroyed || to.writableEnded || to.write(bytes)) return;
  const end = new AbortController();
  const { signal } = end;
  const ignore = () => undefined;
  await Promise.race([
    once(to, 'drain', { signal }).catch(ignore),
    once(to, 'close', { signal }).catch(ignore),
  ]);
  end.abort();
}

/** Yields frames as they are consumed. Ends with the stream; a stream that is cut off within a frame throws. */
export async function* readFrames(from: Readable): AsyncGenerator<Frame> {
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of from) {
    pending = pending.length === 0 ? (chunk as Buffer) : Buffer.concat([pending, chunk as Buffer]);
    while (pending.length >= HEAD_BYTES) {
      const length = pending.readUInt32BE(1);
      if (length > MAX_BYTES) throw new Error(`a frame of ${length} bytes is too long`);
      if (pending.length < HEAD_BYTES + length) break;
      yield { type: pending.readUInt8(0), payload: pending.subarray(HEAD_BYTES, HEAD_BYTES + length) };
      pending = pending.subarray(HEAD_BYTES + length);
    }
  }
  if (pending.length > 0) throw new Error('the connection ended within a frame');
}
