/** Adds credits when they run out, takes some back now and then, and knows the expected sum of the ledger. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../fuzz/random.ts';
import { call } from '../processes.ts';

interface TreasurerOptions {
  readonly random: Random;
  readonly key: string;
  /** URL of any running server. */
  readonly url: () => string;
}

const RETRY_MS = 50;

export class Treasurer {
  /** The sum of all adjustments. */
  sum = 0;
  count = 0;
  /** Whether a call was refused for lack of credits. */
  isWanted = false;
  private readonly options: TreasurerOptions;

  constructor(options: TreasurerOptions) {
    this.options = options;
  }

  async work(signal: AbortSignal): Promise<void> {
    const { random } = this.options;
    while (!signal.aborted) {
      if (this.isWanted) {
        this.isWanted = false;
        await this.adjust(random.integer(1_000, 5_000));
      } else if (random.chance(0.05)) await this.adjust(-random.integer(1, 50));
      await sleep(RETRY_MS);
    }
  }

  /** Takes effect once, however often the request is repeated. */
  async adjust(amount: number): Promise<void> {
    const reference = `storm-${++this.count}`;
    const { key, url } = this.options;
    for (;;) {
      const body = { amount, reference };
      const response = await call(url(), key, 'POST', '/org/main/credits/adjust', body).catch(
        () => undefined,
      );
      // 409: the adjustment was made, but its response was lost.
      if (response?.status === 201 || response?.status === 409) this.sum += amount;
      if (response && [201, 409, 422].includes(response.status)) return;
      if (response && response.status < 500) throw new Error(JSON.stringify(response));
      await sleep(RETRY_MS);
    }
  }
}
