/** Adds credits where they are wanting, takes some back now and then, and knows what the ledger must come to. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../fuzz/random.ts';
import { call } from '../processes.ts';

interface TreasurerOptions {
  readonly random: Random;
  readonly key: string;
  /** Of any server that runs. */
  readonly url: () => string;
}

const RETRY_MS = 50;

export class Treasurer {
  /** The sum of all adjustments that were made. */
  sum = 0;
  count = 0;
  /** Whether somebody was refused for want of credits. */
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

  /** Once, however often it has to be asked for. */
  async adjust(amount: number): Promise<void> {
    const reference = `storm-${++this.count}`;
    const { key, url } = this.options;
    for (;;) {
      const body = { amount, reference };
      const answer = await call(url(), key, 'POST', '/org/main/credits/adjust', body).catch(() => undefined);
      // 409: it was made, and the answer was lost.
      if (answer?.status === 201 || answer?.status === 409) this.sum += amount;
      if (answer && [201, 409, 422].includes(answer.status)) return;
      if (answer && answer.status < 500) throw new Error(JSON.stringify(answer));
      await sleep(RETRY_MS);
    }
  }
}
