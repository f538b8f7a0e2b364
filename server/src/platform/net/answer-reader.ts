/** One answer in HTTP/1.1, from pieces of bytes that are cut anywhere. */
import { type AnswerHead, garbage, parseHead } from './answer-head.ts';
import { OutboundError } from './outbound-error.ts';

export interface AnswerTaker {
  onHead(head: AnswerHead): void;
  onData(piece: Buffer): void;
  /** @param keptForMs for how long the connection is good for another one; 0 where it is not */
  onEnd(keptForMs: number): void;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const CR = 0x0d;
const LF = 0x0a;
const MAX_HEAD_BYTES = 32 * 1024;
const MAX_LINE_BYTES = 4 * 1024;
/** Of lines after the last chunk, which say nothing here. */
const MAX_TRAILERS = 100;
/** Answers on the way, such as 100 and 103. */
const MAX_INTERIM = 20;
const MAX_SIZE_DIGITS = 8;
const CHUNK_SIZE = /^([\da-f]{1,8})[ \t]*(?:;[^\0\r]*)?\r$/i;

type State = 'head' | 'length' | 'size' | 'chunk' | 'chunk end' | 'trailers' | 'close' | 'done';

export class AnswerReader {
  readonly #method: string;
  readonly #taker: AnswerTaker;
  #state: State = 'head';
  /** Of what is cut: the head, or a line between chunks. */
  #cut: Buffer | undefined;
  #left = 0;
  #keptForMs = 0;
  #interimCount = 0;
  #trailerCount = 0;

  constructor(method: string, taker: AnswerTaker) {
    this.#method = method;
    this.#taker = taker;
  }

  /** @throws {OutboundError} `garbage` */
  feed(piece: Buffer): void {
    let bytes = this.#cut ? Buffer.concat([this.#cut, piece]) : piece;
    this.#cut = undefined;
    while (bytes.length > 0 && this.#state !== 'done') {
      const taken = this.#take(bytes);
      if (taken === 0) {
        this.#cut = bytes;
        return;
      }
      bytes = taken === bytes.length ? NOTHING : bytes.subarray(taken);
    }
    if (this.#state !== 'done') return;
    // Who says more than it was asked for is not asked again.
    this.#taker.onEnd(bytes.length > 0 ? 0 : this.#keptForMs);
  }

  /** The other side says nothing more. @throws {OutboundError} `broken` where something is missing */
  finish(): void {
    if (this.#state !== 'close') throw new OutboundError('broken', 'The connection broke off.');
    this.#state = 'done';
    this.#taker.onEnd(0);
  }

  /** @returns how much of it was taken; 0 where more has to come first */
  #take(bytes: Buffer): number {
    if (this.#state === 'head') return this.#takeHead(bytes);
    if (this.#state === 'close') return this.#pass(bytes, bytes.length);
    if (this.#state === 'length' || this.#state === 'chunk') {
      const taken = this.#pass(bytes, Math.min(bytes.length, this.#left));
      this.#left -= taken;
      if (this.#left === 0) this.#state = this.#state === 'length' ? 'done' : 'chunk end';
      return taken;
    }
    if (this.#state === 'chunk end') return this.#endChunk(bytes);
    return (this.#state === 'size' && this.#takePlainSize(bytes)) || this.#takeLine(bytes);
  }

  #pass(bytes: Buffer, length: number): number {
    this.#taker.onData(length === bytes.length ? bytes : bytes.subarray(0, length));
    return length;
  }

  #takeHead(bytes: Buffer): number {
    const end = bytes.indexOf(HEAD_END);
    if (end === -1 ? bytes.length > MAX_HEAD_BYTES : end > MAX_HEAD_BYTES)
      throw garbage('The head of its answer is too long.');
    if (end === -1) {
      if (!isBeginning(bytes) || hasBareLf(bytes)) throw garbage('What it answered is no HTTP.');
      return 0;
    }
    const head = parseHead(bytes.toString('latin1', 0, end), this.#method);
    const { status, framing, length, keptForMs } = head;
    // It was not asked to speak anything else from here on.
    if (status === 101) throw garbage('It answered with a status that it was not asked for.');
    if (status < 200) {
      if (++this.#interimCount > MAX_INTERIM) throw garbage('It says again and again that it will answer.');
      return end + HEAD_END.length;
    }
    this.#left = length;
    this.#keptForMs = framing === 'close' ? 0 : keptForMs;
    this.#state = STATES[framing];
    this.#taker.onHead(head);
    return end + HEAD_END.length;
  }

  /** A size as nearly all write it: digits alone. @returns 0 where it is another, or not whole */
  #takePlainSize(bytes: Buffer): number {
    let size = 0;
    let at = 0;
    for (let digit = digitAt(bytes, at); digit !== -1 && at < MAX_SIZE_DIGITS; digit = digitAt(bytes, at)) {
      size = size * 16 + digit;
      at++;
    }
    if (at === 0 || bytes[at] !== CR || bytes[at + 1] !== LF) return 0;
    this.#beginChunk(size);
    return at + 2;
  }

  #takeLine(bytes: Buffer): number {
    const end = bytes.indexOf(LF);
    if (end === -1 ? bytes.length > MAX_LINE_BYTES : end > MAX_LINE_BYTES) throw notChunked();
    if (end === -1) return 0;
    const line = bytes.toString('latin1', 0, end);
    if (this.#state === 'size') this.#beginChunk(sizeIn(line));
    else if (line === '\r') this.#state = 'done';
    else if (!line.endsWith('\r') || ++this.#trailerCount > MAX_TRAILERS) throw notChunked();
    return end + 1;
  }

  #endChunk(bytes: Buffer): number {
    if (bytes[0] !== CR || (bytes.length > 1 && bytes[1] !== LF)) throw notChunked();
    if (bytes.length === 1) return 0;
    this.#state = 'size';
    return 2;
  }

  #beginChunk(size: number): void {
    this.#left = size;
    this.#state = size === 0 ? 'trailers' : 'chunk';
  }
}

const NOTHING = Buffer.alloc(0);

/** Of each byte, as a hexadecimal digit; -1 for what is none. */
const DIGITS = Int8Array.from({ length: 0x100 }, (_, byte) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(byte).toLowerCase()),
);

const digitAt = (bytes: Buffer, at: number) => DIGITS[bytes[at] ?? 0] ?? -1;

function sizeIn(line: string): number {
  const digits = CHUNK_SIZE.exec(line)?.[1];
  if (digits === undefined) throw notChunked();
  return Number.parseInt(digits, 16);
}

const STATES = { none: 'done', length: 'length', chunked: 'size', close: 'close' } as const;

/** Who speaks something else waits for us to speak it too: it is not waited for. */
const isBeginning = (bytes: Buffer) => {
  const start = bytes.toString('latin1', 0, VERSION.length);
  return VERSION.startsWith(start);
};
const VERSION = 'HTTP/1.';

/** Who ends lines in another way does not end the head in ours. */
const hasBareLf = (bytes: Buffer) => {
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1))
    if (bytes[at - 1] !== CR) return true;
  return false;
};

const notChunked = () => garbage('What it answered does not come in chunks, as it says.');
