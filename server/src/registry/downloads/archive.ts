/** Several files as one tar.gz: streamed, and the same bytes for the same files. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Header, Pax } from 'tar';

export interface ArchivedFile {
  readonly path: string;
  readonly size_bytes: number;
  readonly open: () => Promise<AsyncIterable<Uint8Array> | Iterable<Uint8Array>>;
}

const BLOCK_BYTES = 512;
/** Weights hardly shrink at all, and text does well enough: more would cost several times the time. */
const GZIP_LEVEL = 1;
const NEVER = new Date(0);

/** In the order given. Fails when a file does not hold what it should. */
export function createArchive(files: readonly ArchivedFile[], signal: AbortSignal): Readable {
  const gzip = createGzip({ level: GZIP_LEVEL });
  const entries = Readable.from(writeEntries(files), { objectMode: false });
  // What goes wrong reaches whoever reads the archive.
  pipeline(entries, gzip, { signal }).catch((error: Error) => gzip.destroy(error));
  return gzip;
}

async function* writeEntries(files: readonly ArchivedFile[]): AsyncGenerator<Uint8Array> {
  for (const { path, size_bytes, open } of files) {
    yield toHeader(path, size_bytes);
    let written = 0;
    for await (const chunk of await open()) {
      written += chunk.length;
      yield chunk;
    }
    if (written !== size_bytes) throw new Error(`${path} holds ${written} bytes instead of ${size_bytes}`);
    yield Buffer.alloc(-size_bytes & (BLOCK_BYTES - 1));
  }
  yield Buffer.alloc(2 * BLOCK_BYTES);
}

/** With an extended one before it where the path is long or not ASCII, or the size needs more than eleven octal digits. */
export function toHeader(path: string, size: number): Buffer {
  const header = new Header({ path, size, type: 'File', mode: 0o644, uid: 0, gid: 0, mtime: NEVER });
  const block = Buffer.alloc(BLOCK_BYTES);
  const needsPax = header.encode(block);
  return needsPax ? Buffer.concat([new Pax({ path, size, mtime: NEVER }).encode(), block]) : block;
}
