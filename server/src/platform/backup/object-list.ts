/** The list of object files in a backup: id, bytes and SHA-256, one per line, compressed with zstd. There may be millions. */
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline as connect } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { type Digest, Meter } from './digests.ts';
import { BackupError } from './manifest.ts';

export interface ListedBlob extends Digest {
  readonly id: string;
}

export interface WrittenList {
  readonly files: number;
  /** Total bytes of all objects. */
  readonly bytes: number;
  readonly list: Digest;
}

export async function writeObjectList(path: string, blobs: AsyncIterable<ListedBlob>): Promise<WrittenList> {
  const meter = new Meter();
  let [files, bytes] = [0, 0];
  async function* print() {
    for await (const blob of blobs) {
      files++;
      bytes += blob.bytes;
      yield `${blob.id} ${blob.bytes} ${blob.sha256}\n`;
    }
  }
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(print, createZstdCompress(), (source) => meter.pass(source), file);
  return { files, bytes, list: meter.digest() };
}

const LINE = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) (\d{1,16}) ([0-9a-f]{64})$/;

export async function* readObjectList(path: string): AsyncGenerator<ListedBlob> {
  for await (const line of readLines(path)) {
    const [, id, bytes, sha256] = LINE.exec(line) ?? [];
    if (!id || !bytes || !sha256) throw new BackupError(`${path} is damaged: it holds the line "${line}".`);
    yield { id, bytes: Number(bytes), sha256 };
  }
}

async function* readLines(path: string): AsyncGenerator<string> {
  // The reader of the stream receives a failure; no other listener is needed.
  const text = connect(createReadStream(path), createZstdDecompress(), () => undefined).setEncoding('utf8');
  let rest = '';
  for await (const chunk of text as AsyncIterable<string>) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
