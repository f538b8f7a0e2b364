/**
 * The way of rows into the process that answers a question: a named pipe for each table, since DuckDB opens what it reads by a
 * name, which the sockets that Node gives its children cannot be opened by.
 */
import { closeSync, constants, openSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { runProgram } from '../process/run-program.ts';
import type { TableNeed } from '../sql-tables/table-need.ts';
import type { RowCounter } from './row-counter.ts';

const MKFIFO = { command: 'mkfifo', env: { PATH: '/usr/bin:/bin' }, timeoutMs: 10_000 };

/** Open on this side: to write into it, and to read, so that it can be written into before its reader is there. */
export interface Pipe {
  readonly writing: number;
  readonly holding: number;
}

/** Named 0, 1 and so on. Who opens one of them finds a writer, and waits for nobody. */
export async function makePipes(folder: string, count: number): Promise<Pipe[]> {
  await mkdir(folder, { mode: 0o700 });
  const names = Array.from({ length: count }, (_, index) => String(index));
  const made = await runProgram({ ...MKFIFO, args: ['-m', '600', '--', ...names], cwd: folder });
  if (made.exitCode !== 0) throw new Error(`Pipes could not be made: ${made.stderr.slice(-300)}`);
  return names.map((name) => {
    const path = join(folder, name);
    const holding = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    return { holding, writing: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK) };
  });
}

export interface CsvSink extends Writable {
  /** Every byte was given over, or nobody wanted more. */
  isWhole(): boolean;
  /** Its reader has ended. */
  leave(): void;
}

/** When its reader has opened it: from now on it closes, without an error, when the reader does. */
export function openSink(pipe: Pipe, need: TableNeed, counter: RowCounter | undefined): CsvSink {
  closeSync(pipe.holding);
  const socket = new Socket({ fd: pipe.writing, readable: false, writable: true });
  // A byte order mark is one at the very beginning only.
  socket.write(`${need.columns.map((name) => `"${name.replaceAll('"', '""')}"`).join(',')}\n`);
  return new PipeSink(socket, counter);
}

class PipeSink extends Writable implements CsvSink {
  readonly #socket: Socket;
  readonly #counter: RowCounter | undefined;
  #isLeft = false;

  constructor(socket: Socket, counter: RowCounter | undefined) {
    super({ decodeStrings: true });
    this.#socket = socket;
    this.#counter = counter;
    // Not later: a source that goes on writing would keep this process from closing it.
    socket.on('error', () => this.leave());
    socket.on('close', () => this.leave());
  }

  leave(): void {
    if (!this.writableFinished && !this.destroyed) this.#isLeft = true;
    this.destroy();
  }

  isWhole(): boolean {
    return this.writableFinished || this.#isLeft;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#counter?.add(chunk);
    this.#socket.write(chunk, (error) => {
      if (error) this.leave();
      done();
    });
  }

  /** Rows come one by one, and a pipe takes 64 KiB at once. */
  override _writev(chunks: { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'binary', done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
