/** Streams several files as one tar.gz, with the same bytes for the same files. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type TarFile, writeTar } from '../../platform/tar.ts';

/** Model weights barely compress, and text compresses well enough: higher levels take several times as long. */
const GZIP_LEVEL = 1;

/** Archives files in the order given. Fails when a file does not have its declared size. */
export function createArchive(files: readonly TarFile[], signal: AbortSignal): Readable {
  const gzip = createGzip({ level: GZIP_LEVEL });
  const entries = Readable.from(writeTar(files), { objectMode: false });
  // Errors reach the reader of the archive.
  pipeline(entries, gzip, { signal }).catch((error: Error) => gzip.destroy(error));
  return gzip;
}
