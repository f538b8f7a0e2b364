/** Keeps the output of a program, up to a limit. */
import type { Readable } from 'node:stream';

export interface KeptOutput {
  readonly text: () => string;
  /** Whether output was dropped. */
  readonly isTruncated: () => boolean;
}

/** Output beyond the limit is read and dropped, so that the program can finish. */
export function keepOutput(stream: Readable, limit: number): KeptOutput {
  let kept = Buffer.alloc(0);
  let length = 0;
  let isTruncated = false;
  stream.on('error', () => undefined);
  stream.on('data', (chunk: Buffer) => {
    const piece = chunk.subarray(0, limit - length);
    // One growing buffer: a program that writes single bytes would otherwise cost a hundred times its output.
    if (length + piece.length > kept.length)
      kept = Buffer.concat([kept], roomFor(length + piece.length, limit));
    length += piece.copy(kept, length);
    if (piece.length === chunk.length) return;
    isTruncated = true;
    // Dropped output is read slowly: a flood at full speed would occupy the only thread of this process.
    stream.pause();
    setTimeout(() => stream.resume(), 1);
  });
  // Decodes the output as a whole, since a character may arrive in two chunks. A character that was cut at the limit is left out.
  const text = () =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(kept.subarray(0, length), { stream: isTruncated });
  return { text, isTruncated: () => isTruncated };
}

const roomFor = (bytes: number, limit: number) => Math.min(limit, Math.max(2 * bytes, 4096));
