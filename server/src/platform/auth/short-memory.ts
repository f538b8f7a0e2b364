interface Entry<T> {
  readonly until: number;
  result: T | Promise<T>;
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
    if (known && known.until > now) return known.result;
    if (this.entries.size >= this.maxEntries) this.entries.clear();
    const result = lookUp();
    const entry: Entry<T> = { result, until: now + this.milliseconds };
    this.entries.set(key, entry);
    void this.settle(key, entry, result);
    return result;
  }

  /** A failure is not cached: the next caller looks it up again. */
  private async settle(key: string, entry: Entry<T>, result: Promise<T>): Promise<void> {
    try {
      entry.result = await result;
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
