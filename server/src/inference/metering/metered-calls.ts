/** The book of calls in PostgreSQL: whatever begins or ends at the same moment is one batch. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Batcher } from '../../platform/batcher/batcher.ts';
import type { Db } from '../../platform/db/connect.ts';
import { isRetryable, transaction } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { type Reservation, reserveAll } from '../../platform/metering/reservations.ts';
import type { BegunCall, CallBook, CallEnd } from '../call-book.ts';
import { highestCost } from './cost.ts';
import { HeldCredits, type HoldTimings } from './held-credits.ts';
import { UnwrittenCalls } from './unwritten-calls.ts';
import { type Entry, isRefused, isRepeat, referenceOf, toEntry, writeCalls } from './write-calls.ts';

export interface MeteredCallsOptions {
  readonly db: Db;
  readonly credits: 'unlimited' | 'enforced';
  readonly log: Log;
  readonly holding?: HoldTimings;
}

/**
 * Writing again is harmless, and what was answered but is not written is lost to the books. For so long its caller waits; after that
 * the caller is told that it failed, and it is tried on.
 */
const WAIT_MS = [50, 250, 1_000];

/** Of OpenAI's clients: they try every 429 again, and this one would be refused as well. */
const NO_RETRY = { 'x-should-retry': 'false' };

export class MeteredCalls implements CallBook {
  private readonly isEnforced: boolean;
  private readonly reservations: Batcher<Reservation, ApiError | undefined>;
  private readonly entries: Batcher<Entry, undefined>;
  private readonly held: HeldCredits;
  private readonly unwritten: UnwrittenCalls;

  constructor({ db, credits, log, holding }: MeteredCallsOptions) {
    this.isEnforced = credits === 'enforced';
    this.reservations = new Batcher({
      // They take turns within an organization anyway.
      maxInFlight: 1,
      write: (wishes) => transaction(db, (trx) => reserveAll(trx, wishes)),
    });
    this.entries = new Batcher({
      // What ends while one batch is written shares the next: two at once would be smaller, and cost more a call.
      maxInFlight: 1,
      write: async (entries) => {
        await writeTogether(db, entries, this.isEnforced);
        return entries.map(() => undefined);
      },
    });
    this.held = new HeldCredits(db, log, holding);
    this.unwritten = new UnwrittenCalls({
      write: (entry) => this.entries.add(entry),
      settled: ({ call }) => this.held.delete(referenceOf(call)),
      log,
    });
  }

  begin(call: BegunCall): Promise<void> | undefined {
    return this.isEnforced ? this.hold(call) : undefined;
  }

  private async hold(call: BegunCall): Promise<void> {
    const amount = highestCost(call.atMost, call.model.price).credits;
    if (amount === 0) return;
    const held = referenceOf(call);
    const refusal = await this.reservations.add({ ...held, amount, expiresAt: this.held.expiry() });
    if (refusal)
      throw new ApiError(refusal.type, refusal.message, { reason: 'insufficient_quota', headers: NO_RETRY });
    this.held.add(held);
  }

  async end(call: BegunCall, end: CallEnd): Promise<void> {
    const entry = toEntry(call, end);
    for (let attempt = 0; ; attempt++) {
      try {
        await this.entries.add(entry);
        break;
      } catch (error) {
        const wait = WAIT_MS[attempt];
        if (!isRefused(error) && wait !== undefined) {
          await sleep(wait);
          continue;
        }
        if (isRefused(error)) this.held.delete(referenceOf(call));
        else this.unwritten.add(entry);
        throw error;
      }
    }
    if (this.isEnforced) this.held.delete(referenceOf(call));
  }

  /** Writes what has ended, and takes nothing more. */
  async drain(): Promise<void> {
    this.held.close();
    await this.unwritten.drain();
    await Promise.all([this.reservations.drain(), this.entries.drain()]);
  }
}

/**
 * A statement alone is a transaction already; only when it has to be repeated does it need help. That a call is in the books already
 * happens after an error of which nobody knows what it left.
 */
async function writeTogether(db: Db, entries: readonly Entry[], isHeld: boolean): Promise<void> {
  try {
    await writeCalls(db, entries, isHeld, 'fail');
  } catch (error) {
    if (isRepeat(error)) await writeCalls(db, entries, isHeld, 'stay');
    else if (isRetryable(error)) await transaction(db, (trx) => writeCalls(trx, entries, isHeld, 'stay'));
    else throw error;
  }
}
