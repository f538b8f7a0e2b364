/** Enforces the spend limit of a sandbox, even while a response is being generated. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError } from '../../platform/errors.ts';

/** Spend limit and allowed model of a sandbox. */
export interface Allowance {
  readonly sandboxId: string;
  /** Null: no limit. */
  readonly limitUsd: number | null;
  /** The only model that the sandbox may call; null: every model. */
  readonly model: string | null;
}

/** A call in progress, counted against the limit of its sandbox. */
export interface SpendMeter {
  /** @throws {ApiError} `usage_limit_exceeded_error` as soon as this call and the others of its sandbox exceed the limit */
  note(costUsd: number): void;
  /** Records the final cost with which the call is stored. */
  settle(costUsd: number): void;
  close(): void;
}

export interface CallBounds {
  /** Maximum cost of a call whose cost is unknown until it ends; 0 for a stream, whose cost is recorded as it grows. */
  readonly atMostUsd: number;
  readonly signal: AbortSignal;
}

/** Keeps clients from repeating a call that would be refused again. */
const NO_RETRY = { 'x-should-retry': 'false' };

interface CallUnderWay {
  costUsd: number;
  readonly atMostUsd: number;
}

/** The spending of a sandbox while it has calls in progress. */
interface Account {
  /** Cost of the calls stored before the first of these calls began. */
  readonly spentBefore: Promise<number>;
  endedUsd: number;
  readonly calls: Set<CallUnderWay>;
  users: number;
  /** Resolves when a call ends. */
  next: PromiseWithResolvers<void>;
}

/** All calls of a sandbox go through its host, so this process knows all calls in progress. */
export class SandboxSpending {
  readonly #db: Db;
  readonly #accounts = new Map<string, Account>();

  constructor(db: Db) {
    this.#db = db;
  }

  /**
   * Waits while the calls in progress might still spend the rest of the limit.
   * @throws {ApiError} `usage_limit_exceeded_error` when the limit is reached
   */
  async begin(
    organizationId: string,
    { sandboxId, limitUsd }: Allowance,
    { atMostUsd, signal }: CallBounds,
  ): Promise<SpendMeter | undefined> {
    if (limitUsd === null) return undefined;
    const account = this.#enter(organizationId, sandboxId);
    try {
      const spentBefore = await account.spentBefore;
      const left = () =>
        limitUsd - spentBefore - account.endedUsd - sum(account.calls, ({ costUsd }) => costUsd);
      const unused = () => sum(account.calls, (call) => Math.max(0, call.atMostUsd - call.costUsd));
      while (left() > 0 && left() <= unused()) await untilEnded(account, signal);
      if (left() <= 0) throw limitReached(limitUsd);
      const call = { costUsd: 0, atMostUsd };
      account.calls.add(call);
      return {
        note: (costUsd) => {
          call.costUsd = costUsd;
          if (left() < 0) throw limitReached(limitUsd);
        },
        settle: (costUsd) => {
          call.costUsd = costUsd;
        },
        close: () => {
          if (!account.calls.delete(call)) return;
          account.endedUsd += call.costUsd;
          this.#leave(sandboxId, account);
        },
      };
    } catch (error) {
      this.#leave(sandboxId, account);
      throw error;
    }
  }

  #enter(organizationId: string, sandboxId: string): Account {
    const account = this.#accounts.get(sandboxId) ?? {
      spentBefore: this.#readSpent(organizationId, sandboxId),
      endedUsd: 0,
      calls: new Set(),
      users: 0,
      next: Promise.withResolvers(),
    };
    this.#accounts.set(sandboxId, account);
    account.users++;
    return account;
  }

  /** The last call closes the account: all calls are stored at that point, so the next account reads them all. */
  #leave(sandboxId: string, account: Account): void {
    account.users--;
    if (account.users === 0) this.#accounts.delete(sandboxId);
    account.next.resolve();
    account.next = Promise.withResolvers();
  }

  async #readSpent(organizationId: string, sandboxId: string): Promise<number> {
    const { rows } = await sql<{ cost_usd: number }>`
      SELECT cost_usd FROM sandbox_spending
       WHERE organization_id = ${organizationId} AND sandbox_id = ${sandboxId}`.execute(this.#db);
    return rows[0]?.cost_usd ?? 0;
  }
}

const sum = (calls: ReadonlySet<CallUnderWay>, of: (call: CallUnderWay) => number) =>
  calls.values().reduce((total, call) => total + of(call), 0);

async function untilEnded({ next }: Account, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<void>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([next.promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

const limitReached = (limitUsd: number) =>
  new ApiError(
    'usage_limit_exceeded_error',
    `The model calls of this sandbox have reached its spend limit of $${limitUsd}. Raise sandbox.spend_limit_usd in the config of its runtime, and start it again.`,
    { reason: 'spend_limit_reached', headers: NO_RETRY },
  );
