/** Reads what COPY sends in its binary format, piece by piece as it arrives. */

const HEADER_BYTES = 19;
const END = -1;
const NULL = -1;

/** One row: the fields lie in `bytes`; a field that is null has no start. */
export class CopyTuples {
  /** Where the fields of the row at hand begin and end. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  bytes: Buffer = Buffer.alloc(0);
  private readonly fields: number;
  private at = 0;
  private hasHeader = false;

  constructor(fields: number) {
    this.fields = fields;
    this.starts = new Int32Array(fields);
    this.ends = new Int32Array(fields);
  }

  /** Goes on with the next piece. What is left of the one before is part of it. */
  add(piece: Buffer): void {
    const rest = this.bytes.subarray(this.at);
    this.bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    this.at = 0;
  }

  /** Whether there is a whole row, which is the one at hand then. */
  next(): boolean {
    if (!this.hasHeader) {
      if (this.bytes.length < HEADER_BYTES) return false;
      this.at = HEADER_BYTES;
      this.hasHeader = true;
    }
    const { bytes, starts, ends } = this;
    let at = this.at;
    if (at + 2 > bytes.length || bytes.readInt16BE(at) === END) return false;
    at += 2;
    for (let field = 0; field < this.fields; field++) {
      if (at + 4 > bytes.length) return false;
      const length = bytes.readInt32BE(at);
      at += 4;
      starts[field] = length === NULL ? NULL : at;
      at += Math.max(0, length);
      if (at > bytes.length) return false;
      ends[field] = at;
    }
    this.at = at;
    return true;
  }

  isNull(field: number): boolean {
    return this.starts[field] === NULL;
  }

  start(field: number): number {
    return this.starts[field] as number;
  }

  text(field: number): string {
    return this.bytes.toString('utf8', this.starts[field], this.ends[field]);
  }

  integer(field: number): number {
    return this.bytes.readInt32BE(this.starts[field]);
  }

  /** A time in milliseconds since 1970; PostgreSQL's are microseconds since 2000. */
  milliseconds(field: number): number {
    const start = this.start(field);
    const microseconds = this.bytes.readInt32BE(start) * 2 ** 32 + this.bytes.readUInt32BE(start + 4);
    return Math.floor(microseconds / 1000) + EPOCH_2000;
  }
}

const EPOCH_2000 = Date.UTC(2000, 0, 1);
