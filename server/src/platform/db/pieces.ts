/**
 * Sends large binary values to PostgreSQL in the pieces they consist of. The pg client copies all values of a statement into one buffer
 * that it enlarges again and again: for megabytes that is most of the work, and burdens the garbage collector even more.
 */
import type pg from 'pg';

/** A value whose bytes lie in several buffers, which must not change before the statement has ended. */
export class Pieces {
  readonly parts: readonly Uint8Array[];
  readonly length: number;

  constructor(parts: readonly Uint8Array[]) {
    this.parts = parts;
    this.length = parts.reduce((sum, { length }) => sum + length, 0);
  }

  /** Called by pg for values of a type that it does not know. */
  toPostgres(): Buffer {
    return Buffer.concat(this.parts);
  }
}

interface BindOptions {
  readonly portal?: string;
  readonly statement?: string;
  readonly values?: readonly unknown[];
  readonly binary?: boolean;
  readonly valueMapper: (value: unknown) => Buffer | string | null;
}

type Bind = (options: BindOptions) => void;

/** Patches the connection so that it sends pieces one after the other. */
export function sendPieces(connection: pg.Connection): void {
  const own = connection as unknown as { bind: Bind; readonly stream: NodeJS.WritableStream };
  const bind = own.bind.bind(connection);
  own.bind = (options) => {
    if (!options.values?.some((value) => value instanceof Pieces)) return bind(options);
    const parts = toMessage(options);
    if (own.stream.writable) for (const part of parts) own.stream.write(part);
  };
}

const TEXT = 0;
const BINARY = 1;
const NULL_LENGTH = -1;
const CODE = 'B'.charCodeAt(0);

/** Builds a `Bind` message as the protocol defines it. */
function toMessage(options: BindOptions): Uint8Array[] {
  const { portal = '', statement = '', values = [], binary = false, valueMapper } = options;
  const sent = values.map((value) => (value instanceof Pieces ? value : valueMapper(value)));
  const formats = sent.map((value) => (value instanceof Pieces || value instanceof Buffer ? BINARY : TEXT));
  const names = Buffer.from(`${portal}\0${statement}\0`);
  const body = [names, int16s([formats.length, ...formats, sent.length])];
  for (const value of sent) body.push(...(withLength(value) as Buffer[]));
  body.push(int16s([1, binary ? BINARY : TEXT]));
  const head = Buffer.alloc(5);
  head.writeUInt8(CODE);
  head.writeInt32BE(4 + body.reduce((sum, { length }) => sum + length, 0), 1);
  return [head, ...body];
}

function withLength(value: Pieces | Buffer | string | null): Uint8Array[] {
  if (value === null || value === undefined) return [int32(NULL_LENGTH)];
  if (value instanceof Pieces) return [int32(value.length), ...value.parts];
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return [int32(bytes.length), bytes];
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16s(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeInt16BE(value, 2 * index);
  return bytes;
}
