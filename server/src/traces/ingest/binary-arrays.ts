/**
 * Encodes arrays in PostgreSQL's binary format, so that a statement that unnests them needs neither escaping nor parsing. The elements are
 * written separately from the header that holds their count, so that the elements of several writers can form one array.
 */

const ELEMENT_TYPES = {
  bytea: 17,
  bigint: 20,
  smallint: 21,
  integer: 23,
  text: 25,
  json: 114,
  'double precision': 701,
  timestamptz: 1184,
  uuid: 2950,
} as const;

export type ElementType = keyof typeof ELEMENT_TYPES;

const HEAD_BYTES = 20;
const NULL_LENGTH = -1;

/** @param elements as returned by ElementWriters, `count` in total */
export function toArray(type: ElementType, count: number, elements: readonly Uint8Array[]): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeInt32BE(count === 0 ? 0 : 1, 0); // dimensions
  head.writeInt32BE(1, 4); // there may be nulls
  head.writeInt32BE(ELEMENT_TYPES[type], 8);
  if (count === 0) return head.subarray(0, 12);
  head.writeInt32BE(count, 12);
  head.writeInt32BE(1, 16); // the first index
  return Buffer.concat([head, ...elements]);
}

const FIRST_BYTES = 16 * 1024;
/** Maximum UTF-8 bytes of one UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;
/** From this length on, counting the bytes is cheaper than allocating for the worst case. */
const LONG_TEXT = 64 * 1024;
/** PostgreSQL counts microseconds from the start of the year 2000. */
const EPOCH_MICROSECONDS = 946_684_800_000_000n;
const NANOSECONDS = 1_000n;
const LOW_WORD = 2 ** 32;

/**
 * Writes elements one after another. A null is an element without bytes. A buffer that was outgrown or taken is freed at once and not by the
 * next garbage collection, which comes late for memory outside of the heap.
 */
export class ElementWriter {
  private buffer = emptyBuffer();
  private end = 0;

  get bytes(): number {
    return this.end;
  }

  null(): void {
    this.reserve(4);
    this.end = this.buffer.writeInt32BE(NULL_LENGTH, this.end);
  }

  /** Writes text or JSON. Characters that cannot be stored become U+FFFD. */
  text(value: string | null): void {
    if (value === null) return this.null();
    const text = value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
    this.reserve(4 + (text.length > LONG_TEXT ? Buffer.byteLength(text) : MAX_BYTES_PER_UNIT * text.length));
    const length = this.buffer.write(text, this.end + 4);
    this.end = this.buffer.writeInt32BE(length, this.end) + length;
  }

  /** Writes `bytea`, or a `uuid` as 16 bytes. */
  binary(value: Uint8Array | null): void {
    if (value === null) return this.null();
    this.reserve(4 + value.length);
    this.end = this.buffer.writeInt32BE(value.length, this.end);
    this.buffer.set(value, this.end);
    this.end += value.length;
  }

  smallint(value: number): void {
    this.reserve(6);
    this.end = this.buffer.writeInt16BE(value, this.buffer.writeInt32BE(2, this.end));
  }

  integer(value: number | null): void {
    if (value === null) return this.null();
    this.reserve(8);
    this.end = this.buffer.writeInt32BE(value, this.buffer.writeInt32BE(4, this.end));
  }

  /** Writes a `bigint` from a non-negative, exact number. */
  count(value: number | null): void {
    if (value === null) return this.null();
    this.reserve(12);
    const high = this.buffer.writeInt32BE(8, this.end);
    const low = this.buffer.writeUInt32BE(Math.floor(value / LOW_WORD), high);
    this.end = this.buffer.writeUInt32BE(value % LOW_WORD, low);
  }

  double(value: number | null): void {
    if (value === null) return this.null();
    this.reserve(12);
    this.end = this.buffer.writeDoubleBE(value, this.buffer.writeInt32BE(8, this.end));
  }

  /** Writes a `timestamptz`, truncated to microseconds. */
  time(unixNanoseconds: bigint): void {
    const microseconds = unixNanoseconds / NANOSECONDS - EPOCH_MICROSECONDS;
    this.reserve(12);
    this.end = this.buffer.writeBigInt64BE(microseconds, this.buffer.writeInt32BE(8, this.end));
  }

  /** Returns the elements written since the last call, in memory of their own. */
  take(): Uint8Array<ArrayBuffer> {
    const elements = new Uint8Array(this.buffer.buffer.transfer(this.end));
    this.end = 0;
    this.buffer = emptyBuffer();
    return elements;
  }

  private reserve(bytes: number): void {
    const needed = this.end + bytes;
    if (needed <= this.buffer.length) return;
    const length = Math.max(needed, 2 * this.buffer.length, FIRST_BYTES);
    this.buffer = Buffer.from(this.buffer.buffer.transfer(length));
  }
}

const emptyBuffer = () => Buffer.from(new ArrayBuffer(0));
