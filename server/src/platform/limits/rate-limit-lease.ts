/** The requests that this process has reserved for one subject and may accept without asking the database. */
import { ApiError } from '../errors.ts';
import {
  type Counter,
  type Demand,
  remainingOf,
  secondsUntilAll,
  secondsUntilMore,
  type Taken,
  type Unspent,
} from './windows.ts';

/** The limit data reported to a caller. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

interface Waiter {
  readonly resolve: (allowance: Allowance) => void;
  readonly reject: (error: unknown) => void;
}

/** If a lease is used up faster than this, the next one is twice as large. */
const QUICK_MS = 250;
/** A lease of this size is renewed when half of it is used, so that a busy caller does not wait behind a full pool. */
const RENEWED_FROM = 8;
/** The rest of a lease older than this is given back. */
const LIFE_MS = 500;
/** Requests may be given back elsewhere before the window moves on, so a refusal is cached for no longer than this. */
const REFUSED_MS = 1_000;

export class Lease {
  private readonly counter: Counter;
  private readonly limit: number;
  private readonly take: (demand: Demand) => Promise<Taken>;
  private left = 0;
  private size = 1;
  private taken: Taken | undefined;
  private takenAt = 0;
  private refusedUntil = 0;
  private retryAt = 0;
  private isTaking = false;
  private waiting: Waiter[] = [];

  constructor(counter: Counter, limit: number, take: (demand: Demand) => Promise<Taken>) {
    this.counter = counter;
    this.limit = limit;
    this.take = take;
  }

  /** Returns synchronously while requests are left; fails with 429. */
  spend(): Allowance | Promise<Allowance> {
    const now = performance.now();
    if (this.left > 0) {
      this.left--;
      if (this.isRunningOut() && !this.isTaking) void this.takeForAll();
      return this.describe(now);
    }
    if (now < this.refusedUntil) throw this.refusal(now);
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      if (!this.isTaking) void this.takeForAll();
    });
  }

  /** Takes out the requests that were unused for too long, or all of them with `all`. */
  release(all = false): Unspent[] {
    const isOld = performance.now() - this.takenAt >= LIFE_MS;
    if (this.left === 0 || !(all || isOld)) return [];
    const count = this.left;
    this.left = 0;
    this.size = Math.ceil(this.size / 2);
    return [{ ...this.counter, count }];
  }

  /** Whether the lease holds nothing worth keeping. */
  isIdle(): boolean {
    const now = performance.now();
    const isRecent = now - this.takenAt < LIFE_MS || now < this.refusedUntil;
    return this.left === 0 && !this.isTaking && !isRecent;
  }

  private isRunningOut(): boolean {
    const granted = this.taken?.granted ?? 0;
    return granted >= RENEWED_FROM && this.left <= granted / 2;
  }

  /** All waiting callers share one statement; callers that arrive while it runs share the next. */
  private async takeForAll(): Promise<void> {
    this.isTaking = true;
    try {
      do {
        this.grow();
        const needed = this.waiting.length;
        this.serve(await this.take({ limit: this.limit, needed, wanted: this.size }), needed);
      } while (this.waiting.length > 0);
    } catch (error) {
      for (const { reject } of this.waiting.splice(0)) reject(error);
    } finally {
      this.isTaking = false;
    }
  }

  private grow(): void {
    const largest = Math.max(1, Math.floor(this.limit / 20));
    const wasQuick = performance.now() - this.takenAt < QUICK_MS;
    if (wasQuick) this.size = Math.min(2 * this.size, largest);
  }

  private serve(taken: Taken, needed: number): void {
    const now = performance.now();
    this.taken = taken;
    this.takenAt = now;
    this.left += taken.granted;
    for (const waiter of this.waiting.splice(0, this.left)) {
      this.left--;
      waiter.resolve(this.describe(now));
    }
    // Fewer requests than needed are granted only when nothing remains.
    if (taken.granted < needed) this.refuseAll(taken, now);
  }

  private refuseAll(window: Taken, now: number): void {
    const retryMs = 1_000 * secondsUntilMore(window, this.limit);
    this.retryAt = now + retryMs;
    this.refusedUntil = now + Math.min(retryMs, REFUSED_MS);
    for (const { reject } of this.waiting.splice(0)) reject(this.refusal(now));
  }

  private describe(now: number): Allowance {
    const { taken, limit } = this;
    const remaining = this.left + (taken ? remainingOf(taken, limit) : 0);
    return { limit, remaining, resetSeconds: this.resetSeconds(now) };
  }

  private resetSeconds(now: number): number {
    const untilAll = this.taken ? secondsUntilAll(this.taken) - (now - this.takenAt) / 1_000 : 0;
    return Math.max(1, Math.ceil(untilAll));
  }

  private refusal(now: number): ApiError {
    // The next full second: waiting exactly until more is allowed would be slightly too short.
    const seconds = Math.floor((this.retryAt - now) / 1_000) + 1;
    const detail = `More than ${this.limit} ${this.counter.class} requests a minute; try again in ${seconds} s.`;
    return new ApiError('usage_limit_exceeded_error', detail, {
      headers: {
        'retry-after': String(seconds),
        ...rateLimitHeaders({ limit: this.limit, remaining: 0, resetSeconds: this.resetSeconds(now) }),
      },
    });
  }
}

export function rateLimitHeaders({ limit, remaining, resetSeconds }: Allowance): Record<string, string> {
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetSeconds),
  };
}
