/** Keeps what a program writes, up to a bound. */
import type { Readable } from 'node:stream';

export interface KeptOutput {
  readonly text: () => string;
  /** Some was dropped. */
  readonly isTruncated: () => boolean;
}

/** What exceeds the limit is dropped, and read all the same: the program comes to its end. */
export function keepOutput(stream: Readable, limit: number): KeptOutput {
  let kept = Buffer.alloc(0);
  let length = 0;
  let isTruncated = false;
  stream.on('error', () => undefined);
  stream.on('data', (chunk: Buffer) => {
    const piece = chunk.subarray(0, limit - length);
    // One buffer that grows: a program that writes single bytes would otherwise cost a hundred times its output.
    if (length + piece.length > kept.length)
      kept = Buffer.concat([kept], roomFor(length + piece.length, limit));
    length += piece.copy(kept, length);
    if (piece.length === chunk.length) return;
    isTruncated = true;
    // What is dropped is read slowly: a flood at full speed would take the one thread of this process.
    stream.pause();
    setTimeout(() => stream.resume(), 1);
  });
  // Decoded as a whole: a character may come in two chunks. One that was cut at the limit is left out.
  const text = () =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(kept.subarray(0, length), { stream: isTruncated });
  return { text, isTruncated: () => isTruncated };
}

const roomFor = (bytes: number, limit: number) => Math.min(limit, Math.max(2 * bytes, 4096));
