/**
 * Remembers answers for less than a second, so that a busy caller costs one look-up and not one per request, and a
 * revoked credential still stops working within a second in every process.
 */
export class ShortMemory<T> {
  private readonly entries = new Map<string, { readonly answer: Promise<T>; readonly until: number }>();
  private readonly milliseconds: number;
  private readonly maxEntries: number;

  constructor(milliseconds = 700, maxEntries = 10_000) {
    this.milliseconds = milliseconds;
    this.maxEntries = maxEntries;
  }

  /** Counts from when the look-up began: what it read was true then. */
  get(key: string, lookUp: () => Promise<T>): Promise<T> {
    const now = performance.now();
    const known = this.entries.get(key);
    if (known && known.until > now) return known.answer;
    if (this.entries.size >= this.maxEntries) this.entries.clear();
    const answer = lookUp();
    const entry = { answer, until: now + this.milliseconds };
    this.entries.set(key, entry);
    // A failure is not remembered: the next one asks again.
    answer.catch(() => {
      if (this.entries.get(key) === entry) this.entries.delete(key);
    });
    return answer;
  }

  clear(): void {
    this.entries.clear();
  }
}
