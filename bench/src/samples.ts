/** What is read and written in `storage.ts`, made of bytes that nothing could make fewer. */
import { createCipheriv } from 'node:crypto';

export const LARGE_BYTES = 20_000_000;
export const SMALL_BYTES = 4_096;

/** Always the same. */
export function makeSample(bytes: number): Buffer {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16));
  return cipher.update(Buffer.alloc(bytes));
}
