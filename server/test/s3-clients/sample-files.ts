/** Creates files of any size with deterministic, incompressible content, and their hashes. */
import { createCipheriv, createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const CHUNK_BYTES = 1024 ** 2;

/** @param seed another seed gives another content */
export async function writeSample(file: string, bytes: number, seed = 0): Promise<string> {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, seed), Buffer.alloc(16));
  const zeros = Buffer.alloc(CHUNK_BYTES);
  function* chunks() {
    for (let left = bytes; left > 0; left -= CHUNK_BYTES)
      yield cipher.update(left < CHUNK_BYTES ? zeros.subarray(0, left) : zeros);
  }
  await pipeline(Readable.from(chunks()), createWriteStream(file));
  return file;
}

export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
