/** Reads a bundle, a tar.gz, while it arrives, with limits on memory, size and content. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { FileTree, findPathProblem } from '../../platform/file-tree.ts';
import { refusal } from './refusal.ts';
import { readTar, type TarEntry } from './tar.ts';

export const MAX_ENTRIES = 10_000;
const MIB = 2 ** 20;
const MAX_UNPACKED_BYTES = 8 * 1_024 * MIB;
/** A small bundle may always unpack to this size; a larger one has a maximum ratio. */
const ALWAYS_UNPACKED_BYTES = 64 * MIB;
const MAX_RATIO = 200;
const CHUNK_BYTES = 256 * 1_024;

export interface BundleFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** Must be read before the next file is requested. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Yields the files in the order of the bundle. Folders are implied by their files; empty folders are dropped. */
export async function* readBundle(bundle: Readable): AsyncGenerator<BundleFile> {
  const tree = new FileTree();
  let count = 0;
  let claimed = 0;
  for await (const entry of readTar(gunzip(bundle))) {
    if (++count > MAX_ENTRIES) throw refusal(`holds more than ${MAX_ENTRIES.toLocaleString('en')} entries`);
    // The sizes that headers claim are added up first, so that too much is refused before anything is processed.
    claimed += entry.sizeBytes;
    if (claimed > MAX_UNPACKED_BYTES) throw tooLarge();
    const path = toPath(entry);
    if (path === undefined) continue;
    const problem =
      findPathProblem(path) ?? (entry.type === 'file' ? tree.addFile(path) : tree.addFolder(path));
    if (problem) throw refusal(problem, entry.path);
    if (entry.type === 'file') yield { path, sizeBytes: entry.sizeBytes, body: entry.body };
  }
}

/** Archivers write "./a" for a file packed from "."; folders end with a slash. Undefined for the root itself. */
function toPath({ type, path }: TarEntry): string | undefined {
  if (type === 'folder' && (path === '.' || path === './')) return undefined;
  const plain = path.startsWith('./') ? path.slice(2) : path;
  return type === 'folder' && plain.endsWith('/') ? plain.slice(0, -1) : plain;
}

async function* gunzip(bundle: Readable): AsyncGenerator<Uint8Array> {
  let packed = 0;
  let unpacked = 0;
  async function* counted(chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      packed += chunk.length;
      yield chunk;
    }
  }
  const unzip = createGunzip({ chunkSize: CHUNK_BYTES });
  const feeding = pipeline(bundle, counted, unzip).then(
    () => undefined,
    (error: unknown) => error,
  );
  try {
    for await (const chunk of unzip as AsyncIterable<Uint8Array>) {
      unpacked += chunk.length;
      if (unpacked > MAX_UNPACKED_BYTES) throw tooLarge();
      if (unpacked > ALWAYS_UNPACKED_BYTES && unpacked > packed * MAX_RATIO)
        throw refusal(`unpacks to more than ${MAX_RATIO} times its size`);
      yield chunk;
    }
  } catch (error) {
    throw isOfZlib(error) ? refusal(explain(error)) : error;
  } finally {
    unzip.destroy();
  }
  const failure = await feeding;
  // Unzipping stops at the first zero after the end of the gzip stream and reads no further.
  if (failure || unzip.bytesWritten < packed) throw refusal('holds more after the end of its gzip stream');
}

const tooLarge = () => refusal('unpacks to more than 8 GiB');

interface ZlibError extends Error {
  readonly code: string;
}

const isOfZlib = (error: unknown): error is ZlibError =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');

const explain = ({ code }: ZlibError) =>
  code === 'Z_BUF_ERROR'
    ? 'is empty, or a gzip stream that ends before its end; send a whole tar.gz'
    : 'is not a gzip stream, or a damaged one; send a tar.gz';
