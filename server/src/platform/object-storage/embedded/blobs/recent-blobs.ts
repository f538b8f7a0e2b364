/**
 * Caches small blobs that were read recently. A blob never changes, so a cached one is always right; the index is queried before, so
 * deleted objects stay invisible. For small content the thread pool costs more than everything else.
 */

/** Estimated overhead of an entry, so that many tiny ones do not exceed the budget. */
const ENTRY_BYTES = 256;

export class RecentBlobs {
  private readonly maxBytes: number;
  private readonly contents = new Map<string, Buffer>();
  private bytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  find(id: string): Buffer | undefined {
    const content = this.contents.get(id);
    if (!content) return undefined;
    // A Map is ordered by insertion, so a blob that is read again moves to the end.
    this.contents.delete(id);
    this.contents.set(id, content);
    return content;
  }

  keep(id: string, content: Buffer): void {
    this.forget(id);
    // A small buffer is a slice of a larger one, which would be retained with it.
    const own = Buffer.allocUnsafeSlow(content.length);
    content.copy(own);
    this.contents.set(id, own);
    this.bytes += own.length + ENTRY_BYTES;
    for (const oldest of this.contents.keys()) {
      if (this.bytes <= this.maxBytes) return;
      this.forget(oldest);
    }
  }

  forget(id: string): void {
    const content = this.contents.get(id);
    if (!content) return;
    this.contents.delete(id);
    this.bytes -= content.length + ENTRY_BYTES;
  }
}
