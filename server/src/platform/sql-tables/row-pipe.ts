/**
 * The way of a table's rows into the process that answers a question: named pipes, since DuckDB opens what it reads by a name,
 * which the sockets that Node gives its children cannot be opened by. See segments.ts for why they are several.
 *
 * Where a segment ends says nothing about the rows: after it DuckDB waits for the next one. That there are no more is told by
 * plain files without rows in the places of the pipes, so that what breaks off is never taken for an end.
 */
import { closeSync, constants, fstatSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { PIPES, pipePath, segmentBytes } from './segments.ts';

/** While its reader is at something else: soon at first, and then now and then. */
const WATCH_MS = [1, 10] as const;
const SOON = 200;

export interface RowPipeOptions {
  readonly folder: string;
  /** Which need it is for, from 0, and what of it. */
  readonly need: number;
  readonly columns: readonly string[];
  readonly segments: number;
}

/** What is written at once are whole rows. Fails with EPIPE when the reader has left. */
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
    // A byte order mark is one at the very beginning only.
    this.#header = `${options.columns.map((name) => `"${name.replaceAll('"', '""')}"`).join(',')}\n`;
  }

  override _write(rows: Buffer, _encoding: BufferEncoding, done: Done): void {
    tell(this.#put(rows), done);
  }

  override _writev(chunks: { readonly chunk: Buffer }[], done: Done): void {
    tell(this.#put(Buffer.concat(chunks.map(({ chunk }) => chunk))), done);
  }

  override _final(done: Done): void {
    tell(this.#end(), done);
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

  /** While a segment is open: until it is closed, its reader opens no other. */
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

  /** @returns when its reader can have all of it */
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

  /** Waits until it is opened at the other end, which waits for this end as well. */
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

/** What a stream is told by a call. */
function tell(work: Promise<void>, done: Done): void {
  const succeeded = () => done();
  work.then(succeeded, done);
}

function tryOpen(path: string): number | undefined {
  try {
    const file = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    if (fstatSync(file).isFIFO()) return file;
    closeSync(file);
    throw new Error(`${path} is no pipe any more.`);
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
