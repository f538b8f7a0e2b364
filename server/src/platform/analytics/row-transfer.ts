/** The rows of a question on their way from their source into the pipes, and what became of it. */
import type { RowSource, RowWay, TableNeed } from '../sql-tables/table-need.ts';
import { isGiven, makePipes } from './make-pipes.ts';

export interface Route extends Omit<RowWay, 'signal'> {
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

  /** From now on the source can get ready. */
  constructor(route: Route) {
    this.#route = route;
    this.#needs.promise.catch(() => undefined); // the source may have ended before
    this.#done = this.#run().catch((error: unknown) => {
      // Who has all that they want, or has failed, leaves: without all rows there is no answer.
      if (this.#isOver || (error as { code?: unknown }).code === 'EPIPE') return;
      this.#failure = { error };
      route.onFailure(error);
    });
  }

  /** Before their reader opens the pipes. */
  async start(needs: readonly TableNeed[]): Promise<void> {
    this.#making = makePipes(this.#route.pipes, needs.length, this.#leaving.signal);
    await this.#making;
    this.#needs.resolve(needs);
  }

  /** When their reader has ended. Nothing of it runs any more when this resolves. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.#needs.reject(new Error('Nothing is needed.'));
    this.#leaving.abort(new Error('The rows are not needed any more.'));
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
      throw new Error('The source has not given all of its rows.');
  }
}
