/**
 * Small blobs that were read a moment ago. A blob never changes, so what is kept is always right; the index is asked
 * before, so nobody sees an object that is gone. For small content the trips to the thread pool cost more than all else.
 */
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
    if (content.length > this.maxBytes) return;
    this.contents.set(id, content);
    this.bytes += content.length;
    for (const oldest of this.contents.keys()) {
      if (this.bytes <= this.maxBytes) return;
      this.forget(oldest);
    }
  }

  forget(id: string): void {
    this.bytes -= this.contents.get(id)?.length ?? 0;
    this.contents.delete(id);
  }
}
