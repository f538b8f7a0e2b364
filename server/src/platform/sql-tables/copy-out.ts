/**
 * A COPY to this process, in the form of a pg query object: reads the raw bytes of the connection, and extracts the rows. A library that
 * emits an event per row takes longer for that than PostgreSQL for all of its work.
 */
import type pg from 'pg';
import { LongRowError } from './long-row-error.ts';

const CODE = { copyData: 0x64, copyDone: 0x63, error: 0x45 };
const HEAD_BYTES = 5;
/** Longer than any row that DuckDB reads. */
const MAX_ROW_BYTES = 32 * 1024 ** 2;

/**
 * Receives whole rows.
 * @returns a promise to wait for before more rows
 */
export type TakeRows = (rows: Buffer, count: number) => Promise<void> | undefined;

type Stream = pg.Connection['stream'];
type Listener = (bytes: Buffer) => void;

export class CopyOut implements pg.Submittable {
  readonly ended: Promise<void>;
  readonly #text: string;
  readonly #take: TakeRows;
  readonly #end = Promise.withResolvers<void>();
  #stream: Stream | undefined;
  #parse: Listener = () => undefined;
  /** Parts of an incomplete message. */
  #pieces: Buffer[] = [];
  #held = 0;
  #wanted = HEAD_BYTES;

  constructor(text: string, take: TakeRows) {
    this.#text = text;
    this.#take = take;
    this.ended = this.#end.promise;
    this.ended.catch(() => undefined);
  }

  submit(connection: pg.Connection): void {
    this.#stream = connection.stream;
    const [parse] = this.#stream.listeners('data') as Listener[];
    if (!parse) throw new Error('Nobody reads this connection.');
    this.#parse = parse;
    this.#stream.off('data', parse);
    this.#stream.on('data', this.#onBytes);
    connection.query(this.#text);
  }

  readonly #onBytes = (bytes: Buffer): void => {
    this.#pieces.push(bytes);
    this.#held += bytes.length;
    if (this.#held < this.#wanted) return;
    const whole = this.#pieces.length === 1 ? bytes : Buffer.concat(this.#pieces);
    const { rows, count, rest, isOver } = unframe(whole);
    if (count > 0) this.#pass(rows, count);
    this.#hold(rest);
    if (isOver) this.#giveBack(rest);
    else if (this.#wanted > HEAD_BYTES + MAX_ROW_BYTES) this.#fail(new LongRowError());
  };

  #hold(rest: Buffer): void {
    this.#pieces = rest.length > 0 ? [rest] : [];
    this.#held = rest.length;
    this.#wanted = rest.length < HEAD_BYTES ? HEAD_BYTES : 1 + rest.readUInt32BE(1);
  }

  /** Pauses reading until these rows are consumed. */
  #pass(rows: Buffer, count: number): void {
    const taken = this.#take(rows, count);
    if (!taken) return;
    this.#stream?.pause();
    taken.then(
      () => this.#stream?.resume(),
      (error: unknown) => this.#fail(error),
    );
  }

  /** Fails in the middle of rows, after which the connection is unusable. */
  #fail(error: unknown): void {
    this.#end.reject(error);
    this.#stream?.destroy();
  }

  /** Returns the remaining bytes to pg. */
  #giveBack(rest: Buffer): void {
    this.#stream?.off('data', this.#onBytes);
    this.#stream?.on('data', this.#parse);
    this.#parse(rest);
  }

  handleError(error: Error): void {
    this.#end.reject(error);
  }

  handleReadyForQuery(): void {
    this.#end.resolve();
  }

  handleCommandComplete(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
}

interface Unframed {
  readonly rows: Buffer;
  readonly count: number;
  /** Bytes from the first message that is incomplete, or does not belong to the COPY. */
  readonly rest: Buffer;
  /** True when the rest does not belong to the COPY. */
  readonly isOver: boolean;
}

/** PostgreSQL sends each row as a message of its own. */
function unframe(bytes: Buffer): Unframed {
  const rows = Buffer.allocUnsafe(bytes.length);
  let [at, length, count] = [0, 0, 0];
  let isOver = false;
  while (at + HEAD_BYTES <= bytes.length) {
    const code = bytes[at];
    isOver = code === CODE.copyDone || code === CODE.error;
    if (isOver) break;
    const end = at + 1 + bytes.readUInt32BE(at + 1);
    if (end > bytes.length) break;
    if (code === CODE.copyData) {
      length += bytes.copy(rows, length, at + HEAD_BYTES, end);
      count++;
    }
    at = end;
  }
  return { rows: rows.subarray(0, length), count, rest: bytes.subarray(at), isOver };
}
