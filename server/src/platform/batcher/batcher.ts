/** Micro-batches: one write for many callers. A caller's promise resolves when the batch that holds its item is committed. */
import pg from 'pg';
import { ApiError } from '../errors.ts';

export interface BatcherOptions<Item, Result> {
  /**
   * Writes the items in one transaction and returns one result per item, in order. On failure, either nothing was written or the outcome is
   * unknown; it may then be called again with each item alone.
   */
  readonly write: (items: Item[]) => Promise<Result[]>;
  readonly maxBatch?: number;
  /**
   * Returns an item's share of a batch's capacity; an item with a share above 1 gets a batch of its own. The default is 0 for all items.
   */
  readonly shareOf?: (item: Item) => number;
  readonly maxInFlight?: number;
  /**
   * Maximum number of items that wait for a batch; further ones are refused, so that overload is reported instead of buffered in memory.
   */
  readonly maxWaiting?: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
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
    this.waiting.push({ item, resolve, reject });
    this.schedule();
    return promise;
  }

  /** Writes the queued items and accepts no more. Resolves when every item has its result; never rejects. */
  async drain(): Promise<void> {
    this.isDraining = true;
    while (this.waiting.length > 0 || this.inFlight.size > 0) {
      this.send();
      await Promise.race(this.inFlight);
    }
  }

  /** Sends at the end of this turn of the event loop, so that items added in one turn share a batch. */
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
      const results = await this.write(batch.map(({ item }) => item));
      if (results.length !== batch.length) throw new Error('a batch must give one result per item');
      for (const [index, result] of results.entries()) batch[index]?.resolve(result);
    } catch (error) {
      if (batch.length > 1 && isFaultOfItem(error)) await this.writeOneByOne(batch);
      else for (const { reject } of batch) reject(error);
    }
  }

  /** Stops at the first failure that no single item caused: the remaining items would fail likewise. */
  private async writeOneByOne(batch: Waiting<Item, Result>[]): Promise<void> {
    for (const [index, one] of batch.entries()) {
      const { resolve, reject } = one;
      try {
        const [result] = await this.write([one.item]);
        resolve(result as Result);
      } catch (error) {
        if (isFaultOfItem(error)) reject(error);
        else return batch.slice(index).forEach((untried) => untried.reject(error));
      }
    }
  }
}

/** Error classes caused by an item: conflicting rows in a batch, bad data, broken constraints, values beyond a limit of PostgreSQL. */
const FAULT_CLASSES = new Set(['21', '22', '23', '54']);

/**
 * Only these errors are retried row by row: PostgreSQL, or our own code before COMMIT, has refused the items, so nothing of the batch is
 * stored. After any other error, such as a connection lost during COMMIT, the batch may be stored.
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
