/** Reservations of credits for the calls of this process, renewed as long as the calls last. */
import type { Db } from '../../platform/db/connect.ts';
import type { Log } from '../../platform/log.ts';
import type { Reference } from '../../platform/metering/credits.ts';
import { renewAll } from '../../platform/metering/reservations.ts';

export interface HoldTimings {
  /** Reservations of a process that died expire after this time. */
  readonly holdMs: number;
  readonly renewMs: number;
}

/** Renewals may fail for some minutes before a reservation in use expires. */
const TIMINGS: HoldTimings = { holdMs: 300_000, renewMs: 60_000 };

export class HeldCredits {
  private readonly db: Db;
  private readonly log: Log;
  private readonly timings: HoldTimings;
  private readonly held = new Map<string, Reference>();
  private timer: NodeJS.Timeout | undefined;

  constructor(db: Db, log: Log, timings = TIMINGS) {
    this.db = db;
    this.log = log;
    this.timings = timings;
  }

  expiry(): string {
    return new Date(Date.now() + this.timings.holdMs).toISOString();
  }

  add(held: Reference): void {
    this.held.set(held.reference, held);
    this.timer ??= setInterval(() => void this.renew(), this.timings.renewMs).unref();
  }

  delete({ reference }: Reference): void {
    this.held.delete(reference);
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async renew(): Promise<void> {
    if (this.held.size === 0) return;
    try {
      await renewAll(this.db, [...this.held.values()], this.expiry());
    } catch (error) {
      this.log.warn({ err: error, calls: this.held.size }, 'what is held for calls could not be renewed');
    }
  }
}
