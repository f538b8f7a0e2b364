/** Limits the request rate of a subject across all processes with few statements. */
import type { Db } from '../db/connect.ts';
import type { Log } from '../log.ts';
import { type Allowance, Lease } from './rate-limit-lease.ts';
import {
  type Counter,
  type Demand,
  giveBack,
  type RateClass,
  takeRequests,
  type Unspent,
} from './windows.ts';

/** Requests a minute; 0 = no limit. */
export type RateLimits = Readonly<Record<RateClass, number>>;

const TICK_MS = 500;
const MAX_LEASES = 10_000;

export interface RateLimiterOptions {
  readonly db: Db;
  readonly limits: RateLimits;
  readonly log: Log;
}

export class RateLimiter {
  private readonly db: Db;
  private readonly limits: RateLimits;
  private readonly log: Log;
  private readonly leases = new Map<string, Lease>();
  private timer: NodeJS.Timeout | undefined;
  private givingBack: Promise<void> | undefined;

  constructor({ db, limits, log }: RateLimiterOptions) {
    this.db = db;
    this.limits = limits;
    this.log = log;
  }

  /** Counts one request: synchronously if the lease has requests left. Fails with 429; undefined if there is no limit. */
  spend(subject: string, rateClass: RateClass): Allowance | undefined | Promise<Allowance> {
    const limit = this.limits[rateClass];
    if (limit === 0) return undefined;
    const name = `${rateClass} ${subject}`;
    const lease = this.leases.get(name) ?? this.open(name, { subject, class: rateClass }, limit);
    return lease.spend();
  }

  /** Gives the unused requests back for the other processes. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    await this.givingBack;
    await this.collect(true);
  }

  private open(name: string, counter: Counter, limit: number): Lease {
    const lease = new Lease(counter, limit, (demand) => this.take(counter, demand));
    // If there are more subjects than are worth keeping, each further one queries the database by itself.
    if (this.leases.size >= MAX_LEASES) return lease;
    this.leases.set(name, lease);
    this.timer ??= this.schedule();
    return lease;
  }

  /** Waits for requests that are being given back, which would otherwise be missing just when they are needed. */
  private async take(counter: Counter, demand: Demand) {
    await this.givingBack;
    return takeRequests(this.db, counter, demand);
  }

  private schedule(): NodeJS.Timeout {
    return setTimeout(() => void this.tick(), TICK_MS).unref();
  }

  private async tick(): Promise<void> {
    await this.collect(false);
    for (const [name, lease] of this.leases) if (lease.isIdle()) this.leases.delete(name);
    this.timer = this.leases.size > 0 ? this.schedule() : undefined;
  }

  private async collect(all: boolean): Promise<void> {
    const unspent = [...this.leases.values()].flatMap((lease) => lease.release(all));
    if (unspent.length === 0) return;
    this.givingBack = this.giveBack(unspent);
    await this.givingBack;
    this.givingBack = undefined;
  }

  /** After a failure they merely stay used until their window ends. */
  private async giveBack(unspent: Unspent[]): Promise<void> {
    try {
      await giveBack(this.db, unspent);
    } catch (error) {
      this.log.warn({ err: error, subjects: unspent.length }, 'unspent requests could not be given back');
    }
  }
}
