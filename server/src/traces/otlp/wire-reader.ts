/** Reads the protobuf wire format front to back, never beyond the current message. */
import { ApiError } from '../../platform/errors.ts';
import { TextCache, toText } from './text-cache.ts';

const MAX_DEPTH = 64;
/** Maximum number of values: each one is an object in memory, and two bytes on the wire may produce one. */
const MAX_VALUES = 500_000;

const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

const keys = new TextCache(64);
const shortTexts = new TextCache(24);

export class WireReader {
  /** End of the message that is being read. */
  limit: number;
  private at = 0;
  private depth = 1;
  private values = 0;
  private held = 0;
  private mostHeld = 0;
  /** Low and high half of the last varint. */
  private low = 0;
  private high = 0;
  private readonly bytes: Buffer;
  private readonly view: DataView;

  constructor(body: Uint8Array) {
    this.bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    this.view = new DataView(body.buffer, body.byteOffset, body.byteLength);
    this.limit = body.byteLength;
  }

  /** Returns whether the message has another field. */
  hasMore(): boolean {
    return this.at < this.limit;
  }

  /** Current position, for a later `seek`. */
  get position(): number {
    return this.at;
  }

  seek(position: number): void {
    this.at = position;
  }

  /** Returns field number and wire type as one number. */
  tag(): number {
    const first = this.bytes[this.at] ?? 0;
    if (first >= 8 && first < 128 && this.at < this.limit) {
      this.at++;
      return first;
    }
    this.varint();
    if (this.high !== 0 || this.low >>> 3 === 0) throw this.malformed('holds a field without a valid number');
    return this.low;
  }

  /** Enters a nested message; pass the returned value to `leave`. */
  enter(): number {
    const length = this.length();
    const outer = this.limit;
    if (++this.depth > MAX_DEPTH) throw refusal(`The body is nested deeper than ${MAX_DEPTH} levels.`);
    this.limit = this.at + length;
    return outer;
  }

  leave(outer: number): void {
    this.depth--;
    this.limit = outer;
  }

  /** Counts a value that will be held in memory. */
  countValue(): void {
    if (++this.values > MAX_VALUES)
      throw refusal(`A span or a resource holds more than ${MAX_VALUES.toLocaleString('en')} values.`);
  }

  /** Limits the text that the next value may hold: it may grow twelvefold before it is stored. */
  startCount(mostBytes: number): void {
    this.values = 0;
    this.held = 0;
    this.mostHeld = mostBytes;
  }

  uint32(): number {
    this.varint();
    return this.low;
  }

  bool(): boolean {
    this.varint();
    return this.low !== 0 || this.high !== 0;
  }

  /** Returns a number when it is exact, else a bigint. */
  int64(): number | bigint {
    this.varint();
    if (this.high === 0) return this.low;
    const value = (this.high | 0) * 2 ** 32 + this.low;
    if (Number.isSafeInteger(value)) return value;
    return BigInt.asIntN(64, (BigInt(this.high) << 32n) | BigInt(this.low));
  }

  fixed32(): number {
    return this.view.getUint32(this.pass(4), true);
  }

  fixed64(): bigint {
    return this.view.getBigUint64(this.pass(8), true);
  }

  double(): number {
    return this.view.getFloat64(this.pass(8), true);
  }

  key(): string {
    return this.cached(keys);
  }

  text(): string {
    return this.cached(shortTexts);
  }

  /** Returns a view of the body. */
  view8(): Uint8Array {
    const length = this.length();
    return new Uint8Array(this.bytes.buffer, this.bytes.byteOffset + this.hold(length), length);
  }

  /** Skips an unknown field; known fields, from `lowest` to `highest`, are refused with this wire type. */
  skip(tag: number, highest: number, lowest = 1): void {
    const field = tag >>> 3;
    const type = tag & 7;
    if (field >= lowest && field <= highest)
      throw this.malformed(`holds field ${field} as wire type ${type}`);
    if (type === VARINT) this.varint();
    else if (type === FIXED64) this.pass(8);
    else if (type === LENGTH_DELIMITED) this.skipMessage();
    else if (type === FIXED32) this.pass(4);
    else throw this.malformed(`holds a field of wire type ${type}`);
  }

  skipMessage(): void {
    this.pass(this.length());
  }

  private cached(cache: TextCache): string {
    const length = this.length();
    if (length === 0) return '';
    const start = this.hold(length);
    return length > cache.longest ? toText(this.bytes, start, length) : cache.read(this.bytes, start, length);
  }

  private length(): number {
    this.varint();
    if (this.high !== 0) throw this.truncated();
    return this.low;
  }

  private pass(length: number): number {
    const start = this.at;
    if (length > this.limit - start) throw this.truncated();
    this.at = start + length;
    return start;
  }

  private hold(length: number): number {
    const start = this.pass(length);
    this.held += length;
    if (this.held > this.mostHeld)
      throw refusal(`A span, a resource or a scope takes more than ${this.mostHeld / 2 ** 20} MiB.`);
    return start;
  }

  private varint(): void {
    const first = this.byte();
    this.high = 0;
    if (first < 128) {
      this.low = first;
      return;
    }
    let low = first & 127;
    let high = 0;
    for (let shift = 7; ; shift += 7) {
      const byte = this.byte();
      const bits = byte & 127;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else if (shift < 63 || byte <= 1) high |= bits << (shift - 32);
      else throw this.malformed('holds a number of more than 64 bits');
      if (byte < 128) break;
    }
    this.low = low >>> 0;
    this.high = high >>> 0;
  }

  private byte(): number {
    if (this.at >= this.limit) throw this.truncated();
    return this.bytes[this.at++] ?? 0;
  }

  private truncated(): ApiError {
    return this.malformed('ends in the middle of a field, or a message in it does');
  }

  private malformed(what: string): ApiError {
    return refusal(
      `The body is not a valid ExportTraceServiceRequest in protobuf: it ${what}, near byte ${this.at}.`,
    );
  }
}

const refusal = (detail: string) => new ApiError('invalid_error', detail);
