/** Pieces of files, one after the other, as one stream. */
import { close, constants, open, read } from 'node:fs';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';

const { O_RDONLY } = constants;

/** Raw descriptors: a FileHandle costs more than reading a small file. */
const openFile = promisify(open);
const readFile = promisify(read);
const closeFile = promisify(close);

/** Large enough that the trips to the thread pool do not matter, small enough that a thousand readers fit in memory. */
const CHUNK_BYTES = 256 * 1024;

export interface Piece {
  readonly path: string;
  readonly start: number;
  readonly length: number;
}

/** In one go, for what is small: by callbacks, as each promise in between would cost as much as what it waits for. */
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
        // Nobody waits for it, and what was read is whole whether it works or not.
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

/** Resolves when the first file is open, so that one that is missing is known before anything was promised to anyone. */
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

  /** Not while something is being read: its descriptor could be another file's by then. */
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
