/** The ledger of calls in PostgreSQL: calls that begin or end at the same moment share a batch. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Batcher } from '../../platform/batcher/batcher.ts';
import type { Db } from '../../platform/db/connect.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { type Reservation, reserveAll } from '../../platform/metering/reservations.ts';
import type { BegunCall, CallEnd, CallLedger } from '../call-ledger.ts';
import { type Cost, highestCost } from './cost.ts';
import { HeldCredits, type HoldTimings } from './held-credits.ts';
import { UnwrittenCalls } from './unwritten-calls.ts';
import { type Entry, isRefused, referenceOf, toEntry, writeCalls } from './write-calls.ts';

export interface MeteredCallsOptions {
  readonly db: Db;
  readonly credits: 'unlimited' | 'enforced';
  readonly log: Log;
  readonly holding?: HoldTimings;
}

/** Delays between retries while the caller waits. After the last one the caller gets an error, and the call is stored later. */
const WAIT_MS = [50, 250, 1_000];

/** Forbids retries of this 429, which OpenAI's clients would repeat and which would be refused again. */
const NO_RETRY = { 'x-should-retry': 'false' };

export class MeteredCalls implements CallLedger {
  private readonly isEnforced: boolean;
  private readonly reservations: Batcher<Reservation, ApiError | undefined>;
  private readonly entries: Batcher<Entry, undefined>;
  private readonly held: HeldCredits;
  private readonly unwritten: UnwrittenCalls;

  constructor({ db, credits, log, holding }: MeteredCallsOptions) {
    this.isEnforced = credits === 'enforced';
    this.reservations = new Batcher({
      // Concurrent reservations of one organization would block each other in the database.
      maxInFlight: 1,
      write: (reservations) => transaction(db, (trx) => reserveAll(trx, reservations)),
    });
    this.entries = new Batcher({
      // Calls that end while a batch is written share the next one, which costs less per call than two batches at once.
      maxInFlight: 1,
      write: async (entries) => {
        await writeCalls(db, entries, this.isEnforced);
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

  async end(call: BegunCall, end: CallEnd): Promise<Cost | undefined> {
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
    return entry.cost;
  }

  /** Stores all ended calls, and accepts no more. */
  async drain(): Promise<void> {
    this.held.close();
    await this.unwritten.drain();
    await Promise.all([this.reservations.drain(), this.entries.drain()]);
  }
}
