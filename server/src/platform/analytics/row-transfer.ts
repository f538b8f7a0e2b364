/** The rows of a question on their way from their source into the pipes, and what became of it. */
import { closeSync } from 'node:fs';
import type { RowSource, TableNeed } from '../sql-tables/table-need.ts';
import { type CsvSink, makePipes, openSink, type Pipe } from './csv-pipes.ts';
import { RowCounter } from './row-counter.ts';

interface Route {
  readonly source: RowSource;
  readonly onProgress: ((rowsRead: number) => void) | undefined;
}

export class RowTransfer {
  readonly #route: Route;
  readonly #folder: string;
  readonly #onFailure: (error: unknown) => void;
  readonly #leaving = new AbortController();
  readonly #counter: RowCounter | undefined;
  #pipes: Pipe[] = [];
  #sinks: readonly CsvSink[] = [];
  #done: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;

  constructor(route: Route, folder: string, onFailure: (error: unknown) => void) {
    this.#route = route;
    this.#folder = folder;
    this.#onFailure = onFailure;
    this.#counter = route.onProgress && new RowCounter(route.onProgress);
  }

  /** Before their reader opens the pipes. */
  async prepare(needs: readonly TableNeed[]): Promise<void> {
    this.#pipes = await makePipes(this.#folder, needs.length);
  }

  /** When it has. */
  start(needs: readonly TableNeed[]): void {
    this.#sinks = needs.map((need, index) => {
      const pipe = this.#pipes[index];
      if (!pipe) throw new Error(`There is no pipe for ${need.table}.`);
      return openSink(pipe, need, this.#counter);
    });
    this.#pipes = [];
    const sinkOf = (need: TableNeed) => {
      const sink = this.#sinks[needs.indexOf(need)];
      if (!sink) throw new Error(`Nobody needs ${need.table}.`);
      return sink;
    };
    this.#done = this.#route.source.copyOut(needs, sinkOf, this.#leaving.signal).then(
      () => this.#counter?.end(),
      (error: unknown) => {
        // Once its reader has ended, what the source says of it is of no interest, unless rows are missing.
        if (this.#leaving.signal.aborted && this.#sinks.every((sink) => sink.isWhole())) return;
        this.#failure = { error };
        this.#onFailure(error);
      },
    );
  }

  /** When their reader has ended. */
  async stop(): Promise<void> {
    for (const { holding, writing } of this.#pipes.splice(0))
      [holding, writing].forEach((file) => closeSync(file));
    for (const sink of this.#sinks) sink.leave();
    this.#leaving.abort(new Error('The rows are not needed any more.'));
    await this.#done;
  }

  throwIfFailed(): void {
    if (this.#failure) throw this.#failure.error;
    if (!this.#sinks.every((sink) => sink.isWhole()))
      throw new Error('The source has not given all of its rows.');
  }
}
