/**
 * A named pipe that DuckDB reads to its end. Its writer is there before it is opened here, and may be gone before DuckDB opens
 * it, which would then wait for ever: so this process is a writer as well, until DuckDB has it open.
 */
import { closeSync, constants, fstatSync, openSync, readdirSync } from 'node:fs';

const WATCH_MS = 1;

export class InputPipe {
  readonly path: string;
  readonly #kept: number;

  constructor(path: string) {
    this.path = path;
    this.#kept = openSync(path, constants.O_RDWR);
  }

  /** While a statement runs that reads it. */
  async whileRead<Result>(read: () => Promise<Result>): Promise<Result> {
    const { dev, ino } = fstatSync(this.#kept);
    const isSame = (name: string) => {
      const stat = statOpen(Number(name));
      return stat?.ino === ino && stat.dev === dev;
    };
    const watch = setInterval(() => {
      if (readdirSync('/dev/fd').filter(isSame).length < 2) return;
      clearInterval(watch);
      closeSync(this.#kept);
    }, WATCH_MS);
    try {
      return await read();
    } finally {
      clearInterval(watch);
    }
  }
}

function statOpen(file: number) {
  try {
    return fstatSync(file);
  } catch {
    return undefined;
  }
}
