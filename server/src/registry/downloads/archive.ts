/** Several files as one tar.gz: streamed, and the same bytes for the same files. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type TarFile, writeTar } from '../../platform/tar.ts';

/** Weights hardly shrink at all, and text does well enough: more would cost several times the time. */
const GZIP_LEVEL = 1;

/** In the order given. Fails when a file does not hold what it should. */
export function createArchive(files: readonly TarFile[], signal: AbortSignal): Readable {
  const gzip = createGzip({ level: GZIP_LEVEL });
  const entries = Readable.from(writeTar(files), { objectMode: false });
  // What goes wrong reaches whoever reads the archive.
  pipeline(entries, gzip, { signal }).catch((error: Error) => gzip.destroy(error));
  return gzip;
}
