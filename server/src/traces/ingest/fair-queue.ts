/** Those who wait take turns: whoever has much waiting holds up nobody but themselves. */
export class FairQueue<Item> {
  /** By who waits; the first is the next. */
  private readonly waiting = new Map<string, Item[]>();

  add(owner: string, item: Item): void {
    const own = this.waiting.get(owner);
    if (own) own.push(item);
    else this.waiting.set(owner, [item]);
  }

  /** The next, of the owners whose turn it may be. */
  take(mayBe: (owner: string) => boolean): Item | undefined {
    for (const [owner, own] of this.waiting) {
      if (!mayBe(owner)) continue;
      const item = own.shift();
      this.waiting.delete(owner);
      if (own.length > 0) this.waiting.set(owner, own);
      return item;
    }
    return undefined;
  }
}
