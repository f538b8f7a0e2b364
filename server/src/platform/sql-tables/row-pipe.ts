/**
 * Sends a table's rows to the query process through named pipes, since DuckDB opens its input by name, which is impossible for the sockets
 * that Node gives to children. See segments.ts for the reason of several. The end of a segment does not mean the end of the rows: DuckDB
 * then waits for the next one. The end of the rows is marked by plain files without rows in place of the pipes, so that an interruption is
 * never mistaken for the end.
 */
import { closeSync, constants, fstatSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { PIPES, pipePath, segmentBytes } from './segments.ts';

/** Polling intervals while the reader is busy: short at first, then longer. */
const WATCH_MS = [1, 10] as const;
const SOON = 200;

export interface RowPipeOptions {
  readonly folder: string;
  /** Number of the need from 0, and its columns. */
  readonly need: number;
  readonly columns: readonly string[];
  readonly segments: number;
}

/** Expects whole rows in each write. Fails with EPIPE when the reader has disconnected. */
export class RowPipe extends Writable {
  readonly #options: RowPipeOptions;
  readonly #header: string;
  #segment = 0;
  #bytes = 0;
  #socket: Socket | undefined;
  #isClosing = false;

  constructor(options: RowPipeOptions) {
    super({ highWaterMark: 64 * 1024 });
    this.#options = options;
    // Quotes the names in the header; a byte order mark is only special at the very beginning.
    this.#header = `${options.columns.map((name) => `"${name.replaceAll('"', '""')}"`).join(',')}\n`;
  }

  override _write(rows: Buffer, _encoding: BufferEncoding, done: Done): void {
    callBack(this.#put(rows), done);
  }

  override _writev(chunks: { readonly chunk: Buffer }[], done: Done): void {
    callBack(this.#put(Buffer.concat(chunks.map(({ chunk }) => chunk))), done);
  }

  override _final(done: Done): void {
    callBack(this.#end(), done);
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#socket?.destroy();
    done(error);
  }

  async #put(rows: Buffer): Promise<void> {
    const socket = await this.#open();
    this.#bytes += rows.length;
    const isLast = this.#segment === this.#options.segments - 1;
    await write(socket, rows);
    if (this.#bytes < segmentBytes(this.#segment) || isLast) return;
    await this.#close(socket);
    this.#segment++;
    this.#bytes = 0;
  }

  /** Ends an open segment: until it is closed, its reader opens no other. */
  async #end(): Promise<void> {
    const socket = await this.#open();
    const { folder, need } = this.#options;
    for (let pipe = 0; pipe < PIPES; pipe++) {
      const path = pipePath(folder, need, pipe);
      writeFileSync(`${path}.end`, this.#header, { flag: 'wx', mode: 0o600 });
      renameSync(`${path}.end`, path);
    }
    await this.#close(socket);
  }

  /** @returns when the reader can have received everything */
  async #close(socket: Socket): Promise<void> {
    this.#isClosing = true;
    await new Promise<void>((closed, failed) => {
      socket.once('close', closed).once('error', failed);
      socket.end(() => socket.destroy());
    });
    this.#socket = undefined;
    this.#isClosing = false;
  }

  async #open(): Promise<Socket> {
    if (this.#socket) return this.#socket;
    const { folder, need } = this.#options;
    const file = await this.#whenRead(pipePath(folder, need, this.#segment));
    const socket = new Socket({ fd: file, readable: false, writable: true });
    socket.on('error', (error) => this.destroy(error));
    this.#socket = socket;
    socket.on('close', () => this.#isClosing || this.destroy(readerLeft()));
    await write(socket, Buffer.from(this.#header));
    return socket;
  }

  /** Waits until the other end opens it, which waits for this end as well. */
  async #whenRead(path: string): Promise<number> {
    for (let tries = 0; ; tries++) {
      if (this.destroyed) throw readerLeft();
      const file = tryOpen(path);
      if (file !== undefined) return file;
      await sleep(WATCH_MS[tries < SOON ? 0 : 1]);
    }
  }
}

type Done = (error?: Error | null) => void;

/** Reports a promise to the callback of a stream. */
function callBack(work: Promise<void>, done: Done): void {
  const succeeded = () => done();
  work.then(succeeded, done);
}

function tryOpen(path: string): number | undefined {
  try {
    const file = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    if (fstatSync(file).isFIFO()) return file;
    closeSync(file);
    throw new Error(`${path} is not a pipe any more.`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENXIO') return undefined;
    throw error;
  }
}

const readerLeft = () => Object.assign(new Error('Nobody reads the rows any more.'), { code: 'EPIPE' });

const write = (socket: Socket, bytes: Buffer) =>
  new Promise<void>((written, failed) => {
    socket.write(bytes, (error) => (error ? failed(error) : written()));
  });
