/** Bytes that arrive in pieces of any size, taken in pieces of the size that is wanted. */

export class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Some of the next bytes, at most so many; undefined at the end. */
  async take(most: number): Promise<Buffer | undefined> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return undefined;
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.length);
    }
    const taken = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  /** The next bytes, exactly so many unless the end comes before. */
  async takeAll(count: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let left = count; left > 0; ) {
      const piece = await this.take(left);
      if (!piece) break;
      pieces.push(piece);
      left -= piece.length;
    }
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  }

  /** No more of it is wanted. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
