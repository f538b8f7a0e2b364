/** Ended calls that could not be stored because the database was unavailable: retried until it is back. */
import type { Log } from '../../platform/log.ts';
import { type Entry, isRefused } from './write-calls.ts';

export interface UnwrittenOptions {
  readonly write: (entry: Entry) => Promise<unknown>;
  /** The entry is stored, or lost. */
  readonly settled: (entry: Entry) => void;
  readonly log: Log;
}

const AGAIN_MS = 2_000;
/** Maximum number of waiting entries, some hundred bytes each. */
const MAX_ENTRIES = 50_000;

export class UnwrittenCalls {
  private readonly options: UnwrittenOptions;
  private readonly entries = new Set<Entry>();
  private timer: NodeJS.Timeout | undefined;

  constructor(options: UnwrittenOptions) {
    this.options = options;
  }

  add(entry: Entry): void {
    if (this.entries.size >= MAX_ENTRIES) return this.lose(entry, new Error('too many calls wait already'));
    this.entries.add(entry);
    this.schedule();
  }

  /** Tries a last time; entries that fail again are lost. */
  async drain(): Promise<void> {
    clearTimeout(this.timer);
    for (const [entry, error] of await this.writeAll()) this.lose(entry, error);
    this.entries.clear();
  }

  private schedule(): void {
    this.timer ??= setTimeout(() => void this.tryAgain(), AGAIN_MS).unref();
  }

  private async tryAgain(): Promise<void> {
    await this.writeAll();
    this.timer = undefined;
    if (this.entries.size > 0) this.schedule();
  }

  /** @returns the entries that could not be stored, with the errors */
  private async writeAll(): Promise<[Entry, unknown][]> {
    const { write, settled } = this.options;
    const failures = await Promise.all(
      [...this.entries].map(async (entry): Promise<[Entry, unknown] | undefined> => {
        try {
          await write(entry);
          this.entries.delete(entry);
          settled(entry);
          return undefined;
        } catch (error) {
          if (!isRefused(error)) return [entry, error];
          this.entries.delete(entry);
          this.lose(entry, error);
          return undefined;
        }
      }),
    );
    return failures.filter((failure) => failure !== undefined);
  }

  /** Logs everything needed to enter the call manually. */
  private lose(entry: Entry, error: unknown): void {
    const { call, end, cost } = entry;
    const { id: callId, organizationId, userId, startedAt } = call;
    const lost = {
      callId,
      organizationId,
      userId,
      startedAt,
      model: call.model.id,
      usage: end.usage,
      credits: cost?.credits ?? 0,
    };
    this.options.log.error({ err: error, ...lost }, 'a call of a model is lost to the books');
    this.options.settled(entry);
  }
}
