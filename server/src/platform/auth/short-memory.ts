interface Entry<T> {
  readonly until: number;
  answer: T | Promise<T>;
}

/**
 * Caches results for less than a second, so that a busy caller costs one look-up instead of one per request, and a revoked credential still
 * stops working within a second in every process.
 */
export class ShortMemory<T> {
  private readonly entries = new Map<string, Entry<T>>();
  private readonly milliseconds: number;
  private readonly maxEntries: number;

  constructor(milliseconds = 700, maxEntries = 10_000) {
    this.milliseconds = milliseconds;
    this.maxEntries = maxEntries;
  }

  /** Returns synchronously if cached. The lifetime counts from the start of the look-up: its result was true then. */
  get(key: string, lookUp: () => Promise<T>): T | Promise<T> {
    const now = performance.now();
    const known = this.entries.get(key);
    if (known && known.until > now) return known.answer;
    if (this.entries.size >= this.maxEntries) this.entries.clear();
    const answer = lookUp();
    const entry: Entry<T> = { answer, until: now + this.milliseconds };
    this.entries.set(key, entry);
    void this.settle(key, entry, answer);
    return answer;
  }

  /** A failure is not cached: the next caller looks it up again. */
  private async settle(key: string, entry: Entry<T>, answer: Promise<T>): Promise<void> {
    try {
      entry.answer = await answer;
    } catch {
      if (this.entries.get(key) === entry) this.entries.delete(key);
    }
  }

  /** @returns how many entries are still valid */
  dropExpired(): number {
    const now = performance.now();
    for (const [key, { until }] of this.entries) if (until <= now) this.entries.delete(key);
    return this.entries.size;
  }

  clear(): void {
    this.entries.clear();
  }
}
