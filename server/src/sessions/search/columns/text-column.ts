/**
 * The texts that sessions are searched by, one after the other in blocks of bytes. A byte that no UTF-8 holds stands behind
 * each, so that nothing is found across two of them.
 */
import { bytesOf, withRoom } from './room.ts';

const SEPARATOR = 0xff;
const FIRST_BLOCK_BYTES = 4_096;
const BLOCK_BYTES = 4_194_304;
/** Fewer bytes of replaced texts than this are not worth a word. */
const FEW_BYTES = 1_048_576;
const NONE = -1;

interface Block {
  bytes: Buffer;
  used: number;
  /** The number of its first text. */
  readonly first: number;
}

export class TextColumn {
  private readonly blocks: Block[] = [];
  /** By text, in the order in which they came: where it begins in its block, and whose it is or was. */
  private starts = new Int32Array(0);
  private rows = new Int32Array(0);
  private count = 0;
  /** By row, the number of its text. */
  private texts = new Int32Array(0);
  private blockBytes = 0;
  private usedBytes = 0;
  private unusedBytes = 0;

  get bytes(): number {
    return this.blockBytes + bytesOf(this.starts, this.rows, this.texts);
  }

  /** Whether most of it is texts that are no session's any more. */
  get isWorn(): boolean {
    return this.unusedBytes > Math.max(FEW_BYTES, this.usedBytes / 2);
  }

  reserve(rows: number): void {
    this.starts = withRoom(this.starts, rows);
    this.rows = withRoom(this.rows, rows);
    this.texts = withRoom(this.texts, rows);
  }

  /** @param from of a row that has a text already, which it loses */
  replace(row: number, from: Buffer, start: number, end: number): void {
    const [block, first, last] = this.find(row);
    if (from.compare(block.bytes, first, last, start, end) === 0) return;
    this.remove(row);
    this.add(row, from, start, end);
  }

  /** @param row that has no text */
  add(row: number, from: Buffer, start: number, end: number): void {
    const block = this.blockFor(end - start + 1);
    const text = this.count++;
    this.starts = withRoom(this.starts, this.count);
    this.rows = withRoom(this.rows, this.count);
    this.texts = withRoom(this.texts, row + 1);
    this.starts[text] = block.used;
    this.rows[text] = row;
    this.texts[row] = text;
    from.copy(block.bytes, block.used, start, end);
    block.used += end - start;
    block.bytes[block.used++] = SEPARATOR;
    this.usedBytes += end - start + 1;
  }

  remove(row: number): void {
    const [, first, last] = this.find(row);
    this.unusedBytes += last - first + 1;
    this.texts[row] = NONE;
  }

  /** Sets the mark of each row whose text contains the part. Stops after every block, to go on when asked to. */
  *mark(part: Buffer, marks: Uint8Array): Generator<void> {
    for (const [index, block] of this.blocks.entries()) {
      this.markBlock(block, this.blocks[index + 1]?.first ?? this.count, part, marks);
      yield;
    }
  }

  private markBlock({ bytes, used, first }: Block, end: number, part: Buffer, marks: Uint8Array): void {
    const { starts, rows, texts } = this;
    const filled = bytes.subarray(0, used);
    let text = first;
    for (let at = filled.indexOf(part); at !== -1; ) {
      text = this.textAt(at, text, end);
      const row = rows[text] as number;
      if (texts[row] === text) marks[row] = 1;
      if (++text === end) return;
      at = filled.indexOf(part, starts[text] as number);
    }
  }

  /** The last text that begins at or before a place: usually one of the next few, so the steps begin small. */
  private textAt(at: number, from: number, end: number): number {
    let low = from;
    let step = 1;
    while (low + step < end && (this.starts[low + step] as number) <= at) {
      low += step;
      step *= 2;
    }
    let high = Math.min(low + step, end);
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.starts[middle] as number) <= at) low = middle;
      else high = middle;
    }
    return low;
  }

  private find(row: number): [Block, first: number, last: number] {
    const text = this.texts[row] as number;
    let [low, high] = [0, this.blocks.length];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.blocks[middle] as Block).first <= text) low = middle;
      else high = middle;
    }
    const block = this.blocks[low] as Block;
    const isLast = text + 1 === (this.blocks[low + 1]?.first ?? this.count);
    const next = isLast ? block.used : (this.starts[text + 1] as number);
    return [block, this.starts[text] as number, next - 1];
  }

  /** With room for so many bytes. The first grows, so that few texts take little. */
  private blockFor(bytes: number): Block {
    const last = this.blocks.at(-1);
    if (last && last.used + bytes <= last.bytes.length) return last;
    if (last && last.used + bytes <= BLOCK_BYTES) {
      this.blockBytes -= last.bytes.length;
      const length = Math.min(BLOCK_BYTES, Math.max(2 * last.bytes.length, last.used + bytes));
      const larger = this.allocate(length);
      last.bytes.copy(larger, 0, 0, last.used);
      last.bytes = larger;
      return last;
    }
    const length = Math.max(bytes, last ? BLOCK_BYTES : FIRST_BLOCK_BYTES);
    const block = { bytes: this.allocate(length), used: 0, first: this.count };
    this.blocks.push(block);
    return block;
  }

  private allocate(bytes: number): Buffer {
    this.blockBytes += bytes;
    return Buffer.allocUnsafeSlow(bytes);
  }
}
