/** Micro-batches: many callers, one write. A caller is answered when the batch that holds its item is committed. */
import pg from 'pg';
import { apart, endingTransactions, findLastStep, type LastStep } from '../db/transaction.ts';
import { ApiError } from '../errors.ts';

export interface BatcherOptions<Item, Result> {
  /**
   * Writes the items in one transaction, and returns one result per item, in their order. When it fails, either nothing
   * was written or the outcome is unknown; and it may be called again with each item alone.
   */
  readonly write: (items: Item[]) => Promise<Result[]>;
  readonly maxBatch?: number;
  /** Of an item, as a share of what a batch can hold; one that is larger has a batch of its own. All are as small as can be unless said. */
  readonly shareOf?: (item: Item) => number;
  readonly maxInFlight?: number;
  /** Items that wait for a batch; one more is refused, so that overload is told and not stored in memory. */
  readonly maxWaiting?: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  /** Of the caller's own transactions; it goes with the item into the transaction that writes it. */
  readonly lastStep: LastStep | undefined;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

const RETRY_AFTER_SECONDS = 1;

export class Batcher<Item, Result> {
  private readonly write: (items: Item[]) => Promise<Result[]>;
  private readonly maxBatch: number;
  private readonly shareOf: (item: Item) => number;
  private readonly maxInFlight: number;
  private readonly maxWaiting: number;
  private readonly waiting: Waiting<Item, Result>[] = [];
  private readonly inFlight = new Set<Promise<void>>();
  private isScheduled = false;
  private isDraining = false;

  constructor(options: BatcherOptions<Item, Result>) {
    const { write, maxBatch = 200, shareOf = () => 0, maxInFlight = 2, maxWaiting = 10_000 } = options;
    this.write = write;
    this.maxBatch = maxBatch;
    this.shareOf = shareOf;
    this.maxInFlight = maxInFlight;
    this.maxWaiting = maxWaiting;
  }

  add(item: Item): Promise<Result> {
    if (this.isDraining) return Promise.reject(refusal('This server is stopping'));
    if (this.waiting.length >= this.maxWaiting)
      return Promise.reject(refusal('Too much is waiting to be written'));
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.waiting.push({ item, lastStep: findLastStep(), resolve, reject });
    this.schedule();
    return promise;
  }

  /** Writes what waits and takes nothing more. Resolves when every item has been answered; never rejects. */
  async drain(): Promise<void> {
    this.isDraining = true;
    while (this.waiting.length > 0 || this.inFlight.size > 0) {
      this.send();
      await Promise.race(this.inFlight);
    }
  }

  /** At the end of this turn of the event loop: what arrives in one turn shares a batch. */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.send();
    });
  }

  private send(): void {
    while (this.waiting.length > 0 && this.inFlight.size < this.maxInFlight) {
      const sent = this.writeBatch(this.takeBatch()).finally(() => {
        this.inFlight.delete(sent);
        this.schedule();
      });
      this.inFlight.add(sent);
    }
  }

  private takeBatch(): Waiting<Item, Result>[] {
    let share = 0;
    const end = this.waiting.findIndex(({ item }, index) => {
      share += this.shareOf(item);
      return index > 0 && (index === this.maxBatch || share > 1);
    });
    return this.waiting.splice(0, end === -1 ? this.waiting.length : end);
  }

  private async writeBatch(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.writeFor(batch);
      if (results.length !== batch.length) throw new Error('a batch must give one result per item');
      for (const [index, result] of results.entries()) batch[index]?.resolve(result);
    } catch (error) {
      if (batch.length > 1 && isFaultOfItem(error)) await this.writeOneByOne(batch);
      else for (const { reject } of batch) reject(error);
    }
  }

  /** Ends the transaction with the last steps of every caller in the batch, not of the one that happened to send it. */
  private writeFor(batch: readonly Waiting<Item, Result>[]): Promise<Result[]> {
    const lastSteps = batch.flatMap(({ lastStep }) => lastStep ?? []);
    const write = () => this.write(batch.map(({ item }) => item));
    // Without a last step one statement needs no BEGIN and COMMIT, which are two round trips.
    if (lastSteps.length === 0) return apart(write);
    const endAll: LastStep = async (trx) => {
      for (const lastStep of lastSteps) await lastStep(trx);
    };
    return endingTransactions(endAll, write);
  }

  /** Stops at the first failure that is no item's own: what has not been tried would fail likewise. */
  private async writeOneByOne(batch: Waiting<Item, Result>[]): Promise<void> {
    for (const [index, one] of batch.entries()) {
      const { resolve, reject } = one;
      try {
        const [result] = await this.writeFor([one]);
        resolve(result as Result);
      } catch (error) {
        if (isFaultOfItem(error)) reject(error);
        else return batch.slice(index).forEach((untried) => untried.reject(error));
      }
    }
  }
}

/** Two rows of a batch in each other's way, bad data, broken constraints, values beyond a limit of PostgreSQL. */
const FAULT_CLASSES = new Set(['21', '22', '23', '54']);

/**
 * Only these are written again, row by row: PostgreSQL, or our own code before COMMIT, has refused them, so nothing of
 * the batch is stored. After anything else, such as a connection that is lost during COMMIT, it may well be.
 */
export function isFaultOfItem(error: unknown): boolean {
  if (error instanceof ApiError) return error.status < 500;
  return error instanceof pg.DatabaseError && FAULT_CLASSES.has(error.code?.slice(0, 2) ?? '');
}

function refusal(reason: string): ApiError {
  const detail = `${reason}; send it again in ${RETRY_AFTER_SECONDS} s.`;
  return new ApiError('usage_limit_exceeded_error', detail, {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  });
}
