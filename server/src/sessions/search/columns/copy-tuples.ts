/** Parses the binary format of COPY, chunk by chunk as it arrives. */

const HEADER_BYTES = 19;
const END = -1;
const NULL = -1;

/** The current row: its fields lie in `bytes`; a null field has no start. */
export class CopyTuples {
  /** Start offsets of the fields of the current row. */
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

  /** Appends the next chunk, keeping the unread rest of the previous one. */
  add(piece: Buffer): void {
    const rest = this.bytes.subarray(this.at);
    this.bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    this.at = 0;
  }

  /** Advances to the next row; returns false if it is incomplete. */
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

  /** Returns a time in milliseconds since 1970; PostgreSQL sends microseconds since 2000. */
  milliseconds(field: number): number {
    const start = this.start(field);
    const microseconds = this.bytes.readInt32BE(start) * 2 ** 32 + this.bytes.readUInt32BE(start + 4);
    return Math.floor(microseconds / 1000) + EPOCH_2000;
  }
}

const EPOCH_2000 = Date.UTC(2000, 0, 1);
