/** The content of a file, identified by its length and SHA-256, which are computed while it is read or written. */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

export interface Digest {
  readonly bytes: number;
  readonly sha256: string;
}

export class Meter {
  private readonly hash: Hash = createHash('sha256');
  private bytes = 0;

  add(chunk: Buffer): void {
    this.hash.update(chunk);
    this.bytes += chunk.length;
  }

  async *pass(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      this.add(chunk);
      yield chunk;
    }
  }

  digest(): Digest {
    return { bytes: this.bytes, sha256: this.hash.digest('hex') };
  }
}

export async function digestFile(path: string): Promise<Digest> {
  const meter = new Meter();
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) meter.add(chunk);
  return meter.digest();
}

/** Resolves when the content is on disk; the folder entry is not yet. */
export async function copyDurably(from: string, to: string): Promise<Digest> {
  const meter = new Meter();
  const file = createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(createReadStream(from), (source) => meter.pass(source), file);
  return meter.digest();
}
