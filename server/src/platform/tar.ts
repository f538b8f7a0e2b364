/** Writes tar archives while their files are read; the same files give the same bytes. */
import { Header, Pax } from 'tar';

export interface TarFile {
  readonly path: string;
  readonly size_bytes: number;
  readonly open: () => Promise<AsyncIterable<Uint8Array> | Iterable<Uint8Array>>;
  /** 0644 by default. */
  readonly mode?: number;
}

const BLOCK_BYTES = 512;
const FILE_MODE = 0o644;
const NEVER = new Date(0);

/** Writes the files in the given order. Fails when a file has another size than announced. */
export async function* writeTar(
  files: Iterable<TarFile> | AsyncIterable<TarFile>,
): AsyncGenerator<Uint8Array> {
  for await (const { path, size_bytes, open, mode } of files) {
    yield tarHeader(path, size_bytes, mode);
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

/** An extended header precedes it if the path is long or not ASCII, or the size needs more than eleven octal digits. */
export function tarHeader(path: string, size: number, mode = FILE_MODE): Buffer {
  const header = new Header({ path, size, type: 'File', mode, uid: 0, gid: 0, mtime: NEVER });
  const block = Buffer.alloc(BLOCK_BYTES);
  const needsPax = header.encode(block);
  return needsPax ? Buffer.concat([new Pax({ path, size, mtime: NEVER }).encode(), block]) : block;
}
