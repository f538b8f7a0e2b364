/**
 * Reads messages of protobuf as the objects that OTLP/JSON has for them, except that ids and bytes are views of the body, and integers of 64
 * bits are bigints. The wire format is read by the library; what is checked here is what it leaves open: that a field ends within its
 * message, that numbers fit, and how much a message holds.
 */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { ApiError } from '../../platform/errors.ts';
import type { Json } from './json-shapes.ts';
import type { Field, Message } from './protobuf-fields.ts';

const MAX_DEPTH = 64;
/** Maximum number of values: each one is an object in memory, and two bytes on the wire may produce one. */
const MAX_VALUES = 500_000;
/** A length has at most 32 bits, in at most five bytes, of which the last one has four bits. */
const MAX_LENGTH_BYTES = 5;
const MAX_LAST_OF_LENGTH = 0x0f;
/** A number of 64 bits has at most ten bytes, of which the last one has one bit. */
const MAX_NUMBER_BYTES = 10;
const MAX_LAST_OF_NUMBER = 1;

/** A message within the body: where its content starts and ends, and how deep it is nested. */
export interface Extent {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
}

type Draft = Record<string, unknown>;

export class ProtobufReader {
  readonly whole: Extent;
  private readonly bytes: Uint8Array;
  private readonly reader: BinaryReader;
  private values = 0;
  private mostBytes = 0;
  /** Bytes that the message may still take, counted by its own fields, with all that is nested in them. */
  private left = 0;
  private outermost = 0;

  constructor(body: Uint8Array) {
    this.bytes = new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
    this.reader = new BinaryReader(this.bytes, decodeUtf8);
    this.whole = { start: 0, end: body.byteLength, depth: 1 };
  }

  /**
   * Reads a message without its members, which `members` finds.
   * @param mostBytes maximum size of the message without its members, which may grow twelvefold before it is stored
   */
  read({ start, end, depth }: Extent, message: Message, mostBytes: number): Json {
    this.values = 0;
    this.mostBytes = mostBytes;
    this.left = mostBytes;
    this.outermost = depth;
    const object: Draft = {};
    this.reader.pos = start;
    this.explain(() => this.readFields(object, message, end, depth));
    return object;
  }

  /** Finds the fields of a message that are read one by one; all other fields are only passed. */
  *members({ start, end, depth }: Extent, message: Message): Generator<Extent> {
    for (let next = start; next < end; ) {
      const at = next;
      const member = this.explain(() => this.nextMember(at, message, end));
      next = this.reader.pos;
      if (member !== undefined) yield { start: member, end: next, depth: depth + 1 };
    }
  }

  /** @returns the start of the content of the field at this position, undefined for a field of another kind */
  private nextMember(at: number, { fields }: Message, end: number): number | undefined {
    const { reader } = this;
    reader.pos = at;
    const [number, type] = reader.tag();
    const field = fields[number];
    if (field && field.type !== type) throw this.malformed(`holds field ${number} as wire type ${type}`);
    if (!field?.isMember) return this.skip(number, type, end);
    const length = this.length(end);
    const start = reader.pos;
    reader.pos += length;
    return start;
  }

  private readFields(object: Draft, message: Message, end: number, depth: number): void {
    if (depth > MAX_DEPTH) throw refusal(`The body is nested deeper than ${MAX_DEPTH} levels.`);
    const { reader } = this;
    const { fields, isOneof } = message;
    while (reader.pos < end) {
      const start = reader.pos;
      const [number, type] = reader.tag();
      const field = fields[number];
      if (field === undefined) this.skip(number, type, end);
      else {
        if (field.type !== type) throw this.malformed(`holds field ${number} as wire type ${type}`);
        if (isOneof && !(field.name in object)) this.clear(object);
        this.readField(object, field, end, depth);
      }
      if (depth === this.outermost && !field?.isMember) this.left -= reader.pos - start;
      if (this.left < 0) throw this.tooLarge();
    }
    if (reader.pos > end) throw this.truncated();
  }

  private readField(object: Draft, field: Field, end: number, depth: number): void {
    const { reader } = this;
    const { name, type, read, message, isMember } = field;
    const start = reader.pos;
    if (type !== WireType.LengthDelimited) {
      object[name] = read?.(reader);
      if (type === WireType.Varint) this.checkNumber(start);
      return;
    }
    const length = this.length(end);
    if (!isMember && length > this.left) throw this.tooLarge();
    if (message) this.readFields(this.enter(object, field), message, reader.pos + length, depth + 1);
    else if (read) {
      reader.pos = start;
      object[name] = read(reader);
    } else reader.pos += length;
  }

  /** Returns the object for a nested message: a new one in a list, else the one that is there, since messages are merged. */
  private enter(object: Draft, { name, isRepeated }: Field): Draft {
    if (!isRepeated) {
      const before = object[name] as Draft | undefined;
      if (before !== undefined) return before;
    } else this.countValue();
    const nested: Draft = {};
    if (!isRepeated) object[name] = nested;
    else if (object[name] === undefined) object[name] = [nested];
    else (object[name] as Draft[]).push(nested);
    return nested;
  }

  /** Removes the member of a oneof that another one replaces. */
  private clear(object: Draft): void {
    for (const name in object) {
      this.countValue();
      delete object[name];
    }
  }

  private countValue(): void {
    if (++this.values > MAX_VALUES)
      throw refusal(`A span or a resource holds more than ${MAX_VALUES.toLocaleString('en')} values.`);
  }

  /** Reads the length of a field, which the library would cut to 32 bits and hold against the end of the body only. */
  private length(end: number): number {
    const { reader } = this;
    const start = reader.pos;
    const length = reader.uint32();
    const size = reader.pos - start;
    const last = this.bytes[reader.pos - 1] ?? 0;
    const isCut = size > MAX_LENGTH_BYTES || (size === MAX_LENGTH_BYTES && last > MAX_LAST_OF_LENGTH);
    if (isCut || length > end - reader.pos) throw this.truncated();
    return length;
  }

  private skip(number: number, type: WireType, end: number): undefined {
    const { reader } = this;
    const start = reader.pos;
    if (type === WireType.StartGroup || type === WireType.EndGroup)
      throw this.malformed(`holds a field of wire type ${type}`);
    if (type === WireType.LengthDelimited) this.length(end);
    reader.pos = start;
    reader.skip(type, number);
    if (type === WireType.Varint) this.checkNumber(start);
    if (reader.pos > end) throw this.truncated();
  }

  private checkNumber(start: number): void {
    const size = this.reader.pos - start;
    if (size < MAX_NUMBER_BYTES) return;
    const last = this.bytes[this.reader.pos - 1] ?? 0;
    if (size > MAX_NUMBER_BYTES || last > MAX_LAST_OF_NUMBER) throw this.tooLong();
  }

  private tooLarge(): ApiError {
    return refusal(`A span, a resource or a scope takes more than ${this.mostBytes / 2 ** 20} MiB.`);
  }

  /** Turns the library's errors about the body into refusals. */
  private explain<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof RangeError) throw this.truncated(error);
      const message = error instanceof Error ? error.message : '';
      if (message.startsWith('illegal tag'))
        throw this.malformed(`holds a field without a valid number or type (${message})`, error);
      if (message === 'invalid varint') throw this.tooLong(error);
      throw error;
    }
  }

  private truncated(cause?: unknown): ApiError {
    return this.malformed('ends in the middle of a field, or a message in it does', cause);
  }

  private tooLong(cause?: unknown): ApiError {
    return this.malformed('holds a number of more than 64 bits', cause);
  }

  private malformed(what: string, cause?: unknown): ApiError {
    return refusal(
      `The body is not a valid ExportTraceServiceRequest in protobuf: it ${what}, near byte ${this.reader.pos}.`,
      cause,
    );
  }
}

/** Invalid bytes become U+FFFD. */
const decodeUtf8 = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

const refusal = (detail: string, cause?: unknown) => new ApiError('invalid_error', detail, { cause });
