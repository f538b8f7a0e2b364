/** Content of any size that is generated while it is read and identified by its hash. */
import { type Cipheriv, createCipheriv, createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';

const MIB = 2 ** 20;
const KEY = Buffer.alloc(16, 'drydock');

export interface LargeContent {
  readonly stream: Readable;
  /** Hash of the bytes read so far. */
  sha256(): string;
  /** Returns a range; its start is a multiple of 16. */
  at(start: number, length: number): Buffer;
}

/**
 * Generates incompressible noise.
 * @param measure is called every 16 MB
 */
export function makeContent(sizeBytes: number, measure: () => void = () => undefined): LargeContent {
  const hash = createHash('sha256');
  return {
    stream: Readable.from(generate(sizeBytes, hash, measure), { objectMode: false, highWaterMark: MIB }),
    sha256: () => hash.copy().digest('hex'),
    at: (start, length) => noiseFrom(start).update(Buffer.alloc(length)),
  };
}

async function* generate(sizeBytes: number, hash: Hash, measure: () => void): AsyncGenerator<Buffer> {
  const noise = noiseFrom(0);
  for (let at = 0; at < sizeBytes; at += MIB) {
    const chunk = noise.update(Buffer.alloc(Math.min(MIB, sizeBytes - at)));
    hash.update(chunk);
    yield chunk;
    if (at % (16 * MIB) === 0) measure();
  }
}

function noiseFrom(start: number): Cipheriv {
  const counter = Buffer.alloc(16);
  counter.writeUInt32BE(start / 16, 12);
  return createCipheriv('aes-128-ctr', KEY, counter);
}
