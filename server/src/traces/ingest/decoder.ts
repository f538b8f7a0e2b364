/** Unpacks and decodes bodies in two threads: one for small bodies, one for bodies that may take seconds. */
import { type DecodeOptions, DecodeThread, type EncodedSpans } from './decode-thread.ts';

const MEBIBYTE = 1024 * 1024;
const MAX_UNPACKED_BYTES = 128 * MEBIBYTE;
const SMALL_BYTES = MEBIBYTE;
const SMALL_UNPACKED_BYTES = 4 * MEBIBYTE;

/**
 * Decodes several bodies concurrently, so that the thread is never idle and no organization waits for spans of another one to be stored.
 */
const SMALL = {
  maxBytes: SMALL_UNPACKED_BYTES,
  isLast: false,
  heapMebibytes: 192,
  atOnce: 24,
  atOnceOfOne: 6,
  idleMs: 600_000,
};
/** Decodes two bodies of two organizations at a time: the largest body may take a minute, and more than two should not be in memory. */
const LARGE = {
  maxBytes: MAX_UNPACKED_BYTES,
  isLast: true,
  heapMebibytes: 768,
  atOnce: 2,
  atOnceOfOne: 1,
  idleMs: 10_000,
};

export class Decoder {
  private readonly small = new DecodeThread(SMALL);
  private readonly large = new DecodeThread(LARGE);

  /**
   * Resolves when all spans are stored.
   * @returns the number of spans with invalid ids
   * @throws ApiError when the body is invalid
   */
  async decode(encoded: EncodedSpans, options: DecodeOptions): Promise<{ readonly badIds: number }> {
    let left = encoded;
    if (encoded.body.length <= SMALL_BYTES) {
      const decoded = await this.small.decode(encoded, options);
      if ('badIds' in decoded) return decoded;
      left = { ...encoded, body: decoded.returned };
    }
    const decoded = await this.large.decode(left, options);
    if ('badIds' in decoded) return decoded;
    throw new Error('A body was returned by the thread that returns none.');
  }

  async close(): Promise<void> {
    await Promise.all([this.small.close(), this.large.close()]);
  }
}
