/**
 * Pipes for the output of commands. Node gives its children sockets, which a program cannot reopen as /dev/stdout or /dev/stderr; and a
 * pipe created by this process would belong to this process's user. So they are named pipes that any user may open, in a folder that no
 * other user may enter, and their names are removed before a command sees them. They are created many at a time. Input stays a socket:
 * opening a named pipe whose writer has closed it already would block forever.
 */
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  unlinkSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { ApiError } from '../../../errors.ts';
import { runProgram } from '../../../process/run-program.ts';
import { isMarkOfLiving, readOwnMark } from '../../process-table.ts';
import { OUTER_ENVIRONMENT } from '../host-environment.ts';

export interface Pipe {
  readonly source: Socket;
  /** The command's end, to be closed here after the command has inherited it. */
  readonly given: number;
}

const MADE_AT_ONCE = 32;
const TOO_FEW = 16;

export class Pipes {
  private readonly folder: string;
  private readonly ready: string[] = [];
  private made = 0;
  private making: Promise<void> | undefined;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Uses a folder of its own: another process may use the same data directory. */
  static async open(folder: string): Promise<Pipes> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder)) {
      if (!isMarkOfLiving(name)) rmSync(join(folder, name), { recursive: true, force: true });
    }
    const pipes = new Pipes(mkdtempSync(join(folder, `${readOwnMark()}-`)));
    await pipes.make();
    return pipes;
  }

  /** Returns both pipes or fails. */
  async takeTwo(): Promise<readonly [Pipe, Pipe]> {
    const first = await this.take();
    try {
      return [first, await this.take()];
    } catch (error) {
      first.source.destroy();
      closeSync(first.given);
      throw error;
    }
  }

  private async take(): Promise<Pipe> {
    while (this.ready.length === 0) await this.make();
    const path = this.ready.pop() ?? '';
    // Creates more in the background; a caller that needs a missing pipe gets the error.
    if (this.ready.length < TOO_FEW) this.make().catch(() => undefined);
    // Opens this end first without blocking, since opening one end of a named pipe waits for the other.
    const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const given = openSync(path, constants.O_WRONLY);
      return { source: new Socket({ fd: reading, readable: true, writable: false }), given };
    } catch (error) {
      closeSync(reading);
      throw error;
    } finally {
      unlinkSync(path);
    }
  }

  /** Removes the pipes that were not taken. */
  async close(): Promise<void> {
    await this.making?.catch(() => undefined);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private make(): Promise<void> {
    this.making ??= this.makeMany().finally(() => {
      this.making = undefined;
    });
    return this.making;
  }

  private async makeMany(): Promise<void> {
    const paths = Array.from({ length: MADE_AT_ONCE }, () => join(this.folder, String((this.made += 1))));
    const args = ['-m', '666', '--', ...paths];
    const done = await runProgram({
      command: 'mkfifo',
      args,
      cwd: '/',
      env: OUTER_ENVIRONMENT,
      timeoutMs: 10_000,
    });
    if (done.exitCode !== 0) {
      throw new ApiError(
        'sandbox_provider_error',
        `Pipes could not be made: ${done.stderr.trim().slice(-300)}`,
      );
    }
    this.ready.push(...paths);
  }
}
