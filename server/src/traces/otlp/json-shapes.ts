/**
 * Reads the fields of parsed OTLP/JSON with their expected types, and records every mismatch. From protobuf come the same objects, with ids
 * and bytes as they are.
 */
import { type Issue, invalidValues } from '../../platform/errors.ts';
import { toStorableText } from '../../platform/storable-text.ts';

export type Json = Readonly<Record<string, unknown>>;

/** Maximum number of reported mistakes: a response must not be much longer than the request that it refuses. */
const MAX_NAMED = 100;
const MAX_UINT32 = 2 ** 32 - 1;
const MAX_UINT64 = 2n ** 64n - 1n;

/** Placeholder of an invalid length: a span with such an id is dropped, as in protobuf. */
const BAD_ID = new Uint8Array(1);
const NO_BYTES = new Uint8Array(0);
const NOTHING: readonly never[] = [];

/** JSON clients send null for missing values. */
const isAbsent = (value: unknown) => value === undefined || value === null;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export class Shapes {
  /** Path of the current position, for error reports. */
  readonly path: (string | number)[] = ['body'];
  private readonly issues: Issue[] = [];

  get isFine(): boolean {
    return this.issues.length === 0;
  }

  /** Throws when a mismatch was recorded. */
  finish(): void {
    if (this.issues.length > 0) throw invalidValues(this.issues);
  }

  /** Records that the value at the path, or its given field, is not as expected. */
  wrong(expected: string, field?: string): void {
    const loc = field === undefined ? [...this.path] : [...this.path, field];
    this.issues.push({ loc, msg: `Expected ${expected}.`, type: 'invalid_type' });
    if (this.issues.length >= MAX_NAMED) this.finish();
  }

  text(object: Json, field: string): string {
    const value = object[field];
    if (typeof value === 'string') return toText(value);
    if (!isAbsent(value)) this.wrong('a string', field);
    return '';
  }

  list(object: Json, field: string): readonly unknown[] {
    const value = object[field];
    if (Array.isArray(value)) return value;
    if (!isAbsent(value)) this.wrong('an array', field);
    return NOTHING;
  }

  object(object: Json, field: string): Json | undefined {
    const value = object[field];
    if (isObject(value)) return value;
    if (!isAbsent(value)) this.wrong('an object', field);
    return undefined;
  }

  /** A value that is not hexadecimal becomes an unusable id. */
  id(object: Json, field: string): Uint8Array {
    const value = object[field];
    if (typeof value === 'string') return value === '' ? NO_BYTES : (hexBytes(value) ?? BAD_ID);
    if (value instanceof Uint8Array) return value;
    if (!isAbsent(value)) this.wrong('an id in hexadecimal digits', field);
    return NO_BYTES;
  }

  enumeration(object: Json, field: string): number {
    const value = object[field];
    if (typeof value === 'number' && Number.isInteger(value)) return Math.max(value, 0);
    if (!isAbsent(value)) this.wrong('the number of one of the values of OTLP', field);
    return 0;
  }

  uint32(object: Json, field: string): number {
    const value = object[field];
    if (isAbsent(value)) return 0;
    const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= MAX_UINT32)
      return number + 0;
    this.wrong('an integer of 32 bits, without a sign', field);
    return 0;
  }

  uint64(object: Json, field: string): bigint {
    const value = object[field];
    if (isAbsent(value)) return 0n;
    const number = typeof value === 'string' && !/^\d{1,20}$/.test(value) ? undefined : toBigInt(value);
    if (number !== undefined && number >= 0n && number <= MAX_UINT64) return number;
    this.wrong('an integer of 64 bits, without a sign, in a string', field);
    return 0n;
  }
}

/** Reads a string of digits or a number. */
export function toBigInt(value: unknown): bigint | undefined {
  if (typeof value === 'string' || typeof value === 'bigint') return BigInt(value);
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : undefined;
}

/** Replaces characters that PostgreSQL cannot store by U+FFFD. */
export const toText = (text: string) =>
  text.isWellFormed() && !text.includes('\0') ? text : toStorableText(text);

function hexBytes(hex: string): Uint8Array | undefined {
  if (hex.length % 2 === 1) return undefined;
  const bytes = new Uint8Array(hex.length / 2);
  for (let index = 0; index < bytes.length; index++) {
    const byte = (digit(hex.charCodeAt(2 * index)) << 4) | digit(hex.charCodeAt(2 * index + 1));
    if (byte < 0) return undefined;
    bytes[index] = byte;
  }
  return bytes;
}

/** Returns a negative number for a code that is not a hexadecimal digit. */
function digit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1;
}
