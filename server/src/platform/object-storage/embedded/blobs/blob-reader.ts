/** Streams ranges of several files in sequence. */
import { close, constants, open, read } from 'node:fs';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';

const { O_RDONLY } = constants;

/** Uses raw descriptors, because a FileHandle costs more than reading a small file. */
const openFile = promisify(open);
const readFile = promisify(read);
const closeFile = promisify(close);

/** Large enough to amortize the thread pool, small enough for a thousand concurrent readers. */
const CHUNK_BYTES = 256 * 1024;

export interface Piece {
  readonly path: string;
  readonly start: number;
  readonly length: number;
}

/** Reads a small range in one go, with callbacks, because each promise would cost as much as the operation. */
export function readPiece({ path, start, length }: Piece): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    open(path, O_RDONLY, (failure, file) => {
      if (failure) return reject(failure);
      const buffer = Buffer.allocUnsafe(length);
      let filled = 0;
      const readOn = () => read(file, buffer, filled, length - filled, start + filled, takeIn);
      const takeIn = (error: Error | null, bytesRead: number) => {
        filled += bytesRead;
        if (!error && bytesRead > 0 && filled < length) return readOn();
        // Not awaited, because the data is complete even if closing fails.
        close(file, warnOf);
        if (filled === length) resolve(buffer);
        else reject(error ?? endsEarly(path, start + length));
      };
      readOn();
    });
  });
}

function warnOf(error: Error | null): void {
  if (error) process.emitWarning(error);
}

const endsEarly = (path: string, end: number) => new Error(`${path} ends before byte ${end}`);

/** Resolves when the first file is open, so that a missing one is reported before a response has started. */
export async function openPieces(pieces: readonly [Piece, ...Piece[]]): Promise<Readable> {
  return new PieceStream(await openFile(pieces[0].path, 'r'), pieces);
}

class PieceStream extends Readable {
  private readonly pieces: readonly Piece[];
  private current = 0;
  private done = 0;
  private file: number | undefined;
  private work: Promise<void> = Promise.resolve();

  constructor(file: number, pieces: readonly Piece[]) {
    super({ highWaterMark: CHUNK_BYTES });
    this.file = file;
    this.pieces = pieces;
  }

  override _read(): void {
    this.work = this.pushNext();
  }

  private async pushNext(): Promise<void> {
    try {
      const chunk = await this.readNext();
      if (!this.destroyed) this.push(chunk);
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  private async readNext(): Promise<Buffer | null> {
    const piece = this.pieces[this.current];
    if (!piece) return null;
    this.file ??= await openFile(piece.path, 'r');
    const bytes = await readBytes(
      this.file,
      piece,
      this.done,
      Math.min(CHUNK_BYTES, piece.length - this.done),
    );
    this.done += bytes.length;
    if (this.done === piece.length) {
      await this.closeCurrent();
      this.current++;
      this.done = 0;
    }
    return bytes;
  }

  private async closeCurrent(): Promise<void> {
    const { file } = this;
    this.file = undefined;
    if (file !== undefined) await closeFile(file);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    void this.release(error, callback);
  }

  /** Waits for a running read: otherwise its descriptor could have been reused for another file. */
  private async release(error: Error | null, callback: (error: Error | null) => void): Promise<void> {
    let outcome = error;
    try {
      await this.work;
      await this.closeCurrent();
    } catch (failure) {
      outcome ??= failure as Error;
    }
    callback(outcome);
  }
}

async function readBytes(
  file: number,
  { path, start }: Piece,
  offset: number,
  length: number,
): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(length);
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await readFile(file, buffer, filled, length - filled, start + offset + filled);
    if (bytesRead === 0) throw endsEarly(path, start + offset + length);
    filled += bytesRead;
  }
  return buffer;
}
