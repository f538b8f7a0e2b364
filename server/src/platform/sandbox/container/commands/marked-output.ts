/** One output of a command, without the script's reports after a mark: that the command runs, and its exit code. */
import { Readable } from 'node:stream';

/** Maximum buffered output; a writer of no more than that ends even when nobody reads. */
const MAX_WAITING_BYTES = 256 * 1024;
const MAX_WORD_BYTES = 24;

export class MarkedOutput extends Readable {
  /** True when the script has reported the end of the command, or the connection has ended. */
  isOver = false;
  /** True when the reader's buffer is full. */
  isFull = false;
  /** True when output beyond the buffer is dropped. */
  isDropping = false;
  private readonly mark: Buffer;
  private readonly onWord: (word: string) => void;
  private readonly changed: () => void;
  /** Start of a mark, or a mark with an incomplete word. */
  private held: Buffer = Buffer.alloc(0);

  /** @param changed called when the ability to take more has changed */
  constructor(mark: string, onWord: (word: string) => void, changed: () => void) {
    super({ highWaterMark: MAX_WAITING_BYTES });
    this.mark = Buffer.from(mark);
    this.onWord = onWord;
    this.changed = changed;
  }

  /** Adds received bytes. */
  add(bytes: Buffer): void {
    let rest: Buffer = this.held.length > 0 ? Buffer.concat([this.held, bytes]) : bytes;
    this.held = Buffer.alloc(0);
    while (rest.length > 0 && !this.isOver) {
      const at = this.findMark(rest);
      this.give(rest.subarray(0, at));
      rest = rest.subarray(at);
      const word = this.readWord(rest);
      if (word === undefined) {
        this.held = rest;
        return;
      }
      // A command can read the mark and print it; what follows is then not a report of the script.
      if (word === '') this.give(rest.subarray(0, 1));
      else this.onWord(word);
      rest = rest.subarray(word === '' ? 1 : this.mark.length + word.length);
    }
  }

  finish(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.give(this.held);
    this.held = Buffer.alloc(0);
    this.isFull = false;
    if (!this.destroyed) this.push(null);
  }

  private give(bytes: Buffer): void {
    if (bytes.length === 0 || this.destroyed || (this.isDropping && this.isFull)) return;
    this.isFull = !this.push(bytes);
  }

  /** Returns the position of the mark; of its possible start at the end; or the end. */
  private findMark(bytes: Buffer): number {
    const at = bytes.indexOf(this.mark);
    if (at >= 0) return at;
    const longest = Math.min(this.mark.length - 1, bytes.length);
    for (let length = longest; length > 0; length -= 1) {
      if (bytes.subarray(-length).equals(this.mark.subarray(0, length))) return bytes.length - length;
    }
    return bytes.length;
  }

  /** @returns the word with its terminating character; undefined for an incomplete word, '' for none */
  private readWord(bytes: Buffer): string | undefined {
    const { length } = this.mark;
    const text = bytes.toString('latin1', length, length + MAX_WORD_BYTES);
    const word = /^ [^.\n]*[.\n]/.exec(text)?.[0];
    if (word !== undefined) return word;
    return text === '' || (text.startsWith(' ') && text.length < MAX_WORD_BYTES) ? undefined : '';
  }

  override _read(): void {
    this.isFull = false;
    this.changed();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.isFull = false;
    this.changed();
    done(error);
  }
}
