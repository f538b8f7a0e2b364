/** Work that must not overlap for one id, and may for two. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  async take<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(id) ?? Promise.resolve();
    const mine = before.then(work);
    const done = mine.catch(() => undefined);
    this.last.set(id, done);
    try {
      return await mine;
    } finally {
      if (this.last.get(id) === done) this.last.delete(id);
    }
  }
}
