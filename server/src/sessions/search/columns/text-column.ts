/**
 * The search texts of sessions, concatenated in blocks of bytes. Each is terminated by a byte that never occurs in UTF-8, so that no match
 * spans two texts.
 */
import { bytesOf, withRoom } from './room.ts';

const SEPARATOR = 0xff;
const FIRST_BLOCK_BYTES = 4_096;
const BLOCK_BYTES = 4_194_304;
/** Fewer bytes of replaced texts than this are not worth rebuilding for. */
const FEW_BYTES = 1_048_576;
const NONE = -1;

interface Block {
  bytes: Buffer;
  used: number;
  /** Number of the first text in the block. */
  readonly first: number;
}

export class TextColumn {
  private readonly blocks: Block[] = [];
  /** Each text in insertion order: its start offset in its block and, in `rows`, the row that owns or owned it. */
  private starts = new Int32Array(0);
  private rows = new Int32Array(0);
  private count = 0;
  /** Number of the text of each row. */
  private texts = new Int32Array(0);
  private blockBytes = 0;
  private usedBytes = 0;
  private unusedBytes = 0;

  get bytes(): number {
    return this.blockBytes + bytesOf(this.starts, this.rows, this.texts);
  }

  /** Whether most bytes belong to texts that no session has any more. */
  get isWorn(): boolean {
    return this.unusedBytes > Math.max(FEW_BYTES, this.usedBytes / 2);
  }

  reserve(rows: number): void {
    this.starts = withRoom(this.starts, rows);
    this.rows = withRoom(this.rows, rows);
    this.texts = withRoom(this.texts, rows);
  }

  /** @param row a row whose current text is replaced */
  replace(row: number, from: Buffer, start: number, end: number): void {
    const [block, first, last] = this.find(row);
    if (from.compare(block.bytes, first, last, start, end) === 0) return;
    this.remove(row);
    this.add(row, from, start, end);
  }

  /** @param row a row without a text */
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

  /** Marks each row whose text contains the part. Yields after every block. */
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

  /** Returns the last text that starts at or before an offset. It is usually one of the next few, so the search begins with small steps. */
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

  /** Returns a block with space for this many bytes. The first block grows, so that few texts need little memory. */
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
