/** Sets the capabilities of running sandboxes: one change per sandbox at a time, and none after its end. */

import { KeyedLock } from '../../../admission/keyed-lock.ts';
import { ApiError } from '../../../errors.ts';

export class CapabilitySetting {
  private readonly lock = new KeyedLock();
  private readonly ends = new Map<string, AbortController>();

  async take(id: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    await this.lock.run(id, async () => {
      const end = this.ends.get(id) ?? new AbortController();
      this.ends.set(id, end);
      await work(end.signal);
    });
  }

  /** Resolves when no more changes are written for the sandbox. */
  async end(id: string): Promise<void> {
    this.ends.get(id)?.abort(new ApiError('conflict_error', 'The sandbox has ended.'));
    await this.lock.run(id, async () => void this.ends.delete(id));
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.ends.keys()].map((id) => this.end(id)));
  }
}
