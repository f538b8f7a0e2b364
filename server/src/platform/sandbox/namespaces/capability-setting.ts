/** Setting the capabilities of sandboxes that live: for each one after the other, and not beyond its end. */
import { ApiError } from '../../errors.ts';
import { Turns } from './turns.ts';

export class CapabilitySetting {
  private readonly turns = new Turns();
  private readonly ends = new Map<string, AbortController>();

  async take(id: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    await this.turns.take(id, async () => {
      const end = this.ends.get(id) ?? new AbortController();
      this.ends.set(id, end);
      await work(end.signal);
    });
  }

  /** Nothing is written for it any more when this resolves. */
  async end(id: string): Promise<void> {
    this.ends.get(id)?.abort(new ApiError('conflict_error', 'The sandbox has ended.'));
    await this.turns.take(id, async () => void this.ends.delete(id));
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.ends.keys()].map((id) => this.end(id)));
  }
}
