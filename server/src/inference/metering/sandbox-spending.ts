/** Holds the model calls of a sandbox to its spend limit, also while a response is still being written. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError } from '../../platform/errors.ts';

/** What a sandbox may spend and call. */
export interface Allowance {
  readonly sandboxId: string;
  /** null: no limit. */
  readonly limitUsd: number | null;
  /** The one model that it may call; null: every model. */
  readonly model: string | null;
}

/** One call under way, against the limit of its sandbox. */
export interface SpendMeter {
  /** @throws {ApiError} `usage_limit_exceeded_error` once this call and the others under way exceed the limit */
  note(costUsd: number): void;
  close(): void;
}

/** Keeps clients from repeating a call that would be refused again. */
const NO_RETRY = { 'x-should-retry': 'false' };

/**
 * All calls of a sandbox come through the host that it runs on, so the calls under way are known in this process. A call reads what was spent
 * when it begins: the cost of calls that end while it is under way is first seen by the next call.
 */
export class SandboxSpending {
  readonly #db: Db;
  readonly #underWay = new Map<string, Map<SpendMeter, number>>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** @throws {ApiError} `usage_limit_exceeded_error` when the limit is reached */
  async begin(organizationId: string, { sandboxId, limitUsd }: Allowance): Promise<SpendMeter | undefined> {
    if (limitUsd === null) return undefined;
    const spent = await this.#readSpent(organizationId, sandboxId);
    const calls = this.#underWay.get(sandboxId) ?? new Map<SpendMeter, number>();
    this.#underWay.set(sandboxId, calls);
    const sum = () => calls.values().reduce((total, cost) => total + cost, spent);
    if (sum() >= limitUsd) throw limitReached(limitUsd);
    const meter: SpendMeter = {
      note(costUsd) {
        calls.set(meter, costUsd);
        if (sum() > limitUsd) throw limitReached(limitUsd);
      },
      close: () => {
        calls.delete(meter);
        if (calls.size === 0 && this.#underWay.get(sandboxId) === calls) this.#underWay.delete(sandboxId);
      },
    };
    calls.set(meter, 0);
    return meter;
  }

  async #readSpent(organizationId: string, sandboxId: string): Promise<number> {
    const { rows } = await sql<{ cost_usd: number }>`
      SELECT cost_usd FROM sandbox_spending
       WHERE organization_id = ${organizationId} AND sandbox_id = ${sandboxId}`.execute(this.#db);
    return rows[0]?.cost_usd ?? 0;
  }
}

const limitReached = (limitUsd: number) =>
  new ApiError(
    'usage_limit_exceeded_error',
    `The model calls of this sandbox have reached its spend limit of $${limitUsd}. Raise sandbox.spend_limit_usd in the config of its runtime, and start it again.`,
    { reason: 'spend_limit_reached', headers: NO_RETRY },
  );
