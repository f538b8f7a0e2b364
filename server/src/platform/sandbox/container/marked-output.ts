/** One output of a command, without what its script says in between behind a mark: that it runs, and how it ended. */
import { Readable } from 'node:stream';

/** What may wait for its reader; who writes no more than that ends also where nobody reads. */
const MAX_WAITING_BYTES = 256 * 1024;
const MAX_WORD_BYTES = 24;

export class MarkedOutput extends Readable {
  /** The script has said that the command has ended, or nothing comes any more. */
  isOver = false;
  /** Its reader has enough for now. */
  isFull = false;
  /** What it has no room for is lost. */
  isDropping = false;
  private readonly mark: Buffer;
  private readonly told: (word: string) => void;
  private readonly changed: () => void;
  /** The beginning of a mark, or one with a word that is not whole. */
  private held: Buffer = Buffer.alloc(0);

  /** @param changed whether more can be taken */
  constructor(mark: string, told: (word: string) => void, changed: () => void) {
    super({ highWaterMark: MAX_WAITING_BYTES });
    this.mark = Buffer.from(mark);
    this.told = told;
    this.changed = changed;
  }

  /** More of what came. */
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
      // Whoever looks for the mark can write it; what follows is no word of the script's then.
      if (word === '') this.give(rest.subarray(0, 1));
      else this.told(word);
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

  /** Where it begins; where it may have begun at the end; or the end. */
  private findMark(bytes: Buffer): number {
    const at = bytes.indexOf(this.mark);
    if (at >= 0) return at;
    const longest = Math.min(this.mark.length - 1, bytes.length);
    for (let length = longest; length > 0; length -= 1) {
      if (bytes.subarray(-length).equals(this.mark.subarray(0, length))) return bytes.length - length;
    }
    return bytes.length;
  }

  /** @returns with the character that ends it; undefined where it is not whole, '' where there is none */
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
