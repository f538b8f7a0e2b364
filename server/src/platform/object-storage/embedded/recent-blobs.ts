/**
 * Small blobs that were read a moment ago. A blob never changes, so what is kept is always right; the index is asked
 * before, so nobody sees an object that is gone. For small content the trips to the thread pool cost more than all else.
 */

/** What an entry takes besides its content, about: many tiny ones must not take more than was allowed. */
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
    // The order of a Map is that of insertion: what is asked for again goes to the end.
    this.contents.delete(id);
    this.contents.set(id, content);
    return content;
  }

  keep(id: string, content: Buffer): void {
    this.forget(id);
    // A small buffer is a slice of a larger one, which would be kept along with it.
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
