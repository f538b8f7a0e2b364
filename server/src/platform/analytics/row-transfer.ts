/** Transfers the rows of a query from their source to the pipes, and reports the outcome. */

import { lstatSync } from 'node:fs';
import { runProgram } from '../process/run-program.ts';
import { PIPES, pipePath } from '../sql-tables/segments.ts';
import type { RowSource, RowWay, TableNeed } from '../sql-tables/table-need.ts';

interface Route extends Omit<RowWay, 'signal'> {
  readonly source: RowSource;
  readonly onFailure: (error: unknown) => void;
}

export class RowTransfer {
  readonly #route: Route;
  readonly #leaving = new AbortController();
  readonly #needs = Promise.withResolvers<readonly TableNeed[]>();
  readonly #done: Promise<void>;
  #making: Promise<void> | undefined;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;

  /** Lets the source prepare from now on. */
  constructor(route: Route) {
    this.#route = route;
    this.#needs.promise.catch(() => undefined); // the source may have ended before
    this.#done = this.#run().catch((error: unknown) => {
      // A reader that has enough rows, or has failed, disconnects; missing rows then cause no result.
      if (this.#isOver || (error as { code?: unknown }).code === 'EPIPE') return;
      this.#failure = { error };
      route.onFailure(error);
    });
  }

  /** Starts before the reader opens the pipes. */
  async start(needs: readonly TableNeed[]): Promise<void> {
    this.#making = makePipes(this.#route.pipes, needs.length, this.#leaving.signal);
    await this.#making;
    this.#needs.resolve(needs);
  }

  /** Called when the reader has ended. Nothing of the transfer runs when this resolves. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.#needs.reject(new Error('Nothing is needed.'));
    this.#leaving.abort(new Error('The rows are no longer needed.'));
    await this.#making?.catch(() => undefined);
    await this.#done;
  }

  throwIfFailed(): void {
    if (this.#failure) throw this.#failure.error;
  }

  async #run(): Promise<void> {
    const { source, pipes, segments, isNiced, onRows } = this.#route;
    const { signal } = this.#leaving;
    await source.copyOut(this.#needs.promise, { pipes, segments, isNiced, signal, onRows });
    const needs = await this.#needs.promise;
    if (!needs.every((_, index) => isGiven(pipes, index)))
      throw new Error('The source has not delivered all of its rows.');
  }
}

const MKFIFO = { command: 'mkfifo', env: { PATH: '/usr/bin:/bin' }, timeoutMs: 10_000 };

/**
 * Creates pipes for this many tables in an existing folder.
 * @throws the signal's reason
 */
export async function makePipes(folder: string, count: number, signal: AbortSignal): Promise<void> {
  const paths = Array.from({ length: count * PIPES }, (_, index) =>
    pipePath(folder, Math.floor(index / PIPES), index),
  );
  const made = await runProgram({ ...MKFIFO, args: ['-m', '600', '--', ...paths], cwd: folder, signal });
  if (made.exitCode !== 0) throw new Error(`Pipes could not be made: ${made.stderr.slice(-300)}`);
}

/** Returns whether all rows of the table were delivered. */
export const isGiven = (folder: string, need: number) => lstatSync(pipePath(folder, need, 0)).isFile();
