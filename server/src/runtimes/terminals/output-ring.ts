/** A ring buffer with the last bytes that a terminal has shown. Bytes are numbered from the first that was ever shown. */

const FIRST_BYTES = 4 * 1024;

export class OutputRing {
  readonly #capacity: number;
  /** A byte is stored at its number modulo the length. The buffer grows on demand, because most terminals show little. */
  #room: Buffer = Buffer.allocUnsafeSlow(0);
  #start = 0;
  #end = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Number of the oldest byte that is kept. */
  get start(): number {
    return this.#start;
  }

  /** Number of the next byte to be written. */
  get end(): number {
    return this.#end;
  }

  append(bytes: Buffer): void {
    this.#makeRoom(this.#end - this.#start + bytes.length);
    this.#end += bytes.length;
    this.#start = Math.max(this.#start, this.#end - this.#room.length);
    const kept = bytes.subarray(Math.max(0, bytes.length - this.#room.length));
    this.#put(kept, this.#end - kept.length);
  }

  /**
   * Returns a copy of at most this many bytes; empty at the end.
   * @param from number of the first byte, which must be kept
   */
  read(from: number, most: number): Buffer {
    const bytes = Buffer.allocUnsafe(Math.min(most, this.#end - from));
    const at = from % this.#room.length || 0;
    const copied = this.#room.copy(bytes, 0, at, at + bytes.length);
    this.#room.copy(bytes, copied, 0, bytes.length - copied);
    return bytes;
  }

  #put(bytes: Buffer, number: number): void {
    const at = number % this.#room.length || 0;
    const copied = bytes.copy(this.#room, at);
    bytes.copy(this.#room, 0, copied);
  }

  #makeRoom(bytes: number): void {
    const wanted = Math.min(bytes, this.#capacity);
    if (wanted <= this.#room.length) return;
    const kept = this.read(this.#start, this.#end - this.#start);
    let length = Math.max(FIRST_BYTES, this.#room.length);
    while (length < wanted) length *= 2;
    this.#room = Buffer.allocUnsafeSlow(Math.min(length, this.#capacity));
    this.#put(kept, this.#start);
  }
}
