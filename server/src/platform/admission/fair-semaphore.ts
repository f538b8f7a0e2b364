/**
 * A weighted semaphore that is fair between owners: waiting owners are served in rotation, so that a hundred requests of one
 * owner do not delay the single request of another.
 */
import { ApiError } from '../errors.ts';

export interface Permit {
  readonly owner: string;
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Share of the capacity, 1 by default. A weight above the capacity runs alone. */
  readonly weight?: number;
  /** A request that would wait longer is refused; by default it waits without limit. */
  readonly maxWaitMs?: number | undefined;
}

interface Waiting {
  readonly weight: number;
  readonly begin: () => void;
}

export interface SemaphoreLimits {
  /** Permits that one owner holds at once, even while capacity is free; unlimited by default. */
  readonly maxPerOwner?: number;
  /** First sentence of the error when a request is refused. */
  readonly busy?: string;
}

/** Sent as `Retry-After`. */
const RETRY_SECONDS = 5;
const MAX_WAITING = 64;

export class FairSemaphore {
  readonly #capacity: number;
  readonly #maxPerOwner: number;
  readonly #busy: string;
  #taken = 0;
  /** Permits that each owner holds. */
  readonly #held = new Map<string, number>();
  /** Waiting requests by owner; the owner to be served next comes first. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(capacity: number, limits: SemaphoreLimits = {}) {
    this.#capacity = capacity;
    this.#maxPerOwner = limits.maxPerOwner ?? Number.POSITIVE_INFINITY;
    this.#busy = limits.busy ?? 'Too many data files are being read.';
  }

  /** @throws {ApiError} `usage_limit_exceeded_error` when too many requests wait, or this one waits too long */
  async take<Result>(permit: Permit, work: () => Promise<Result>): Promise<Result> {
    permit.signal.throwIfAborted();
    const { owner } = permit;
    const weight = Math.min(permit.weight ?? 1, this.#capacity);
    if (!this.#isAnyOwnerWaiting() && !this.#hasEnough(owner) && this.#fits(weight))
      this.#begin(owner, weight);
    else await this.#wait(permit, weight);
    try {
      return await work();
    } finally {
      this.#end(owner, weight);
      this.#admit();
    }
  }

  #begin(owner: string, weight: number): void {
    this.#taken += weight;
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + 1);
  }

  #end(owner: string, weight: number): void {
    this.#taken -= weight;
    const left = (this.#held.get(owner) ?? 0) - 1;
    if (left > 0) this.#held.set(owner, left);
    else this.#held.delete(owner);
  }

  #fits(weight: number): boolean {
    return this.#taken + weight <= this.#capacity;
  }

  #hasEnough(owner: string): boolean {
    return (this.#held.get(owner) ?? 0) >= this.#maxPerOwner;
  }

  /** An owner at its own limit does not block the others. */
  #isAnyOwnerWaiting(): boolean {
    for (const owner of this.#waiting.keys()) if (!this.#hasEnough(owner)) return true;
    return false;
  }

  #wait({ owner, signal, maxWaitMs }: Permit, weight: number): Promise<void> {
    const queue = this.#waiting.get(owner) ?? [];
    const busy = () => tooMany(this.#busy);
    if (maxWaitMs !== undefined && queue.length >= MAX_WAITING) throw busy();
    this.#waiting.set(owner, queue);
    return new Promise((resolve, reject) => {
      const leave = (reason: Error) => {
        end();
        queue.splice(queue.indexOf(waiting), 1);
        if (queue.length === 0) this.#waiting.delete(owner);
        reject(reason);
        // The request that left may have been the one that blocked the rest.
        this.#admit();
      };
      const onAbort = () => leave(signal.reason as Error);
      const timer = maxWaitMs === undefined ? undefined : setTimeout(() => leave(busy()), maxWaitMs);
      const end = () => {
        signal.removeEventListener('abort', onAbort);
        clearTimeout(timer);
      };
      const begin = () => {
        end();
        resolve();
      };
      const waiting = { weight, begin };
      queue.push(waiting);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Admits in order without overtaking, since a large request would otherwise starve. */
  #admit(): void {
    for (const [owner, queue] of this.#waiting) {
      if (this.#hasEnough(owner)) continue;
      const [next] = queue;
      if (!next || !this.#fits(next.weight)) return;
      queue.shift();
      this.#waiting.delete(owner);
      if (queue.length > 0) this.#waiting.set(owner, queue);
      this.#begin(owner, next.weight);
      next.begin();
    }
  }
}

const tooMany = (what: string) =>
  new ApiError('usage_limit_exceeded_error', `${what} Try again in a moment.`, {
    headers: { 'retry-after': String(RETRY_SECONDS) },
  });
