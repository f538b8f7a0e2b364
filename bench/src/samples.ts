/** The objects that `storage.ts` reads and writes, with incompressible bytes. */
import { createCipheriv } from 'node:crypto';

export const LARGE_BYTES = 20_000_000;
export const SMALL_BYTES = 4_096;

/** Deterministic content. */
export function makeSample(bytes: number): Buffer {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16));
  return cipher.update(Buffer.alloc(bytes));
}
