/** Unpacks and decodes what is sent, in threads of their own: one for what is small, one for what may take seconds. */
import { type DecodeOptions, DecodeThread, type EncodedSpans } from './decode-thread.ts';

const MEBIBYTE = 1024 * 1024;
const MAX_UNPACKED_BYTES = 128 * MEBIBYTE;
const SMALL_BYTES = MEBIBYTE;
const SMALL_UNPACKED_BYTES = 4 * MEBIBYTE;

/** Several at a time, so that the thread does not wait for the next, and no one for what has to be stored of another. */
const SMALL = {
  maxBytes: SMALL_UNPACKED_BYTES,
  isLast: false,
  heapMebibytes: 192,
  atOnce: 24,
  atOnceOfOne: 6,
  idleMs: 600_000,
};
/** Two at a time, of two organizations: the largest may take a minute, and no more than this should be in memory. */
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
   * When all of it is stored.
   * @returns how many spans had ids that cannot be
   * @throws ApiError where the body is to blame
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
