/**
 * A budget of bytes or of connections, with a limit per owner and one for the process. A request over a limit is refused at
 * once as 429: nothing waits. Use FairSemaphore for work that should wait.
 */
import { ApiError } from '../errors.ts';

export interface BudgetLimits {
  readonly perOwner: number;
  readonly total: number;
}

interface BudgetOptions extends BudgetLimits {
  /** Detail of the error at the limit of one owner. */
  readonly ownerLimit: string;
  /** Detail of the error at the limit of the process. */
  readonly totalLimit: string;
  readonly retryAfterSeconds: number;
  /** Amounts up to this one are not counted, so that large requests do not keep out small ones. */
  readonly uncounted?: number;
  /** Headers of the error besides Retry-After. */
  readonly headers?: Readonly<Record<string, string>>;
}

export class Budget {
  readonly #options: BudgetOptions;
  readonly #taken = new Map<string, number>();
  #total = 0;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  get taken(): number {
    return this.#total;
  }

  get uncounted(): number {
    return this.#options.uncounted ?? 0;
  }

  /**
   * Opens an empty share.
   * @param owner undefined counts toward the limit of the process only
   */
  open(owner: string | undefined): Share {
    return new Share(this, owner);
  }

  /**
   * Takes an amount at once.
   *
   * @returns a function that gives the amount back
   * @throws {ApiError} `usage_limit_exceeded_error` at a limit
   */
  hold(owner: string | undefined, amount = 1): () => void {
    const share = this.open(owner);
    const refusal = share.take(amount);
    if (refusal) throw refusal;
    return () => share.free();
  }

  /**
   * Replaces one amount by another. The only share of an owner, and the only one of the process, always fits.
   * @returns the error at a limit
   */
  change(owner: string | undefined, from: number, to: number): ApiError | undefined {
    const { perOwner, total, ownerLimit, totalLimit } = this.#options;
    const own = (owner === undefined ? 0 : (this.#taken.get(owner) ?? 0)) - (owner === undefined ? 0 : from);
    const all = this.#total - from;
    if (to > from) {
      if (own > 0 && own + to > perOwner) return this.#refuse(ownerLimit);
      if (all > 0 && all + to > total) return this.#refuse(totalLimit);
    }
    if (owner !== undefined) {
      if (own + to > 0) this.#taken.set(owner, own + to);
      else this.#taken.delete(owner);
    }
    this.#total = all + to;
    return undefined;
  }

  #refuse(detail: string): ApiError {
    const { headers, retryAfterSeconds } = this.#options;
    return new ApiError('usage_limit_exceeded_error', detail, {
      headers: { ...headers, 'retry-after': String(retryAfterSeconds) },
    });
  }
}

/** The part of a budget that one request or response holds. */
export class Share {
  readonly #budget: Budget;
  readonly #owner: string | undefined;
  #amount = 0;
  #isFreed = false;

  constructor(budget: Budget, owner: string | undefined) {
    this.#budget = budget;
    this.#owner = owner;
  }

  get isEmpty(): boolean {
    return this.#amount === 0;
  }

  /**
   * Holds this amount instead of the one before.
   * @returns the error when it must not
   */
  take(amount: number): Error | undefined {
    const to = amount > this.#budget.uncounted ? amount : 0;
    if (to === this.#amount) return undefined;
    // Nothing would give it back.
    if (this.#isFreed) return new Error('This share of the memory budget was given back already.');
    const refusal = this.#budget.change(this.#owner, this.#amount, to);
    if (!refusal) this.#amount = to;
    return refusal;
  }

  /** Gives everything back for good; can be called more than once. */
  free(): void {
    this.take(0);
    this.#isFreed = true;
  }
}

const MEBIBYTE = 1024 * 1024;
const RETRY_AFTER_SECONDS = 2;

/**
 * A memory budget for large requests or responses.
 * @param what its contents, such as "large requests"
 */
export const memoryBudget = (
  what: string,
  { perOwner = 64 * MEBIBYTE, headers = {} }: { perOwner?: number; headers?: Record<string, string> } = {},
) =>
  new Budget({
    perOwner,
    total: 256 * MEBIBYTE,
    uncounted: MEBIBYTE,
    ownerLimit: `Your ${what} under way have reached the memory limit; try again when one has ended.`,
    totalLimit: `This server has reached its memory limit for ${what}; try again in a few seconds.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    headers,
  });

/**
 * A budget of connections or calls that stay open.
 * @param what its contents, such as "event streams"
 */
export const connectionBudget = (what: string, { perOwner, total }: BudgetLimits) =>
  new Budget({
    perOwner,
    total,
    ownerLimit: `You have ${perOwner} ${what} open, which is the most; close one first.`,
    totalLimit: `This server has as many ${what} open as it takes; try again in a few seconds.`,
    retryAfterSeconds: 5,
  });
