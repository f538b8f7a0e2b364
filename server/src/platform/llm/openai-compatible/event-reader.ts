/** Server-sent events from pieces of bytes, cut anywhere. */

/** More than any chunk of a chat, with images in it. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;
/** What a buffer takes beside its bytes: millions of empty lines are no small event. */
const BUFFER_BYTES = 128;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');
const DATA = Buffer.from('data:');
const SPACE = 0x20;
const LF = 0x0a;
const CR = 0x0d;
const NEWLINE = Buffer.from('\n');
const NOTHING = Buffer.alloc(0);

/** An event that never ends. */
export class EventTooLongError extends Error {}

/** Gets the data of each event that has some; of several lines, with LF between them. */
type OnData = (data: Buffer, isOneLine: boolean) => void;

export class EventReader {
  readonly #onData: OnData;
  /** Of the line that has not ended yet. */
  #parts: Buffer[] = [];
  /** The lines of the event that has not ended yet. */
  #lines: Buffer[] = [];
  #partsSize = 0;
  #linesSize = 0;
  #isFirstLine = true;
  /** Whether a line has just ended with CR, to which an LF may belong. */
  #isAfterCr = false;

  constructor(onData: OnData) {
    this.#onData = onData;
  }

  /** Of the event that has not ended yet. */
  get heldBytes(): number {
    return this.#partsSize + this.#linesSize;
  }

  /** @throws {EventTooLongError} */
  feed(piece: Buffer): void {
    let start = this.#isAfterCr && piece[0] === LF ? 1 : 0;
    if (piece.length > 0) this.#isAfterCr = false;
    // Each is looked for behind the last one only: a stream without one of them is looked through for it once.
    let cr = piece.indexOf(CR, start);
    let lf = piece.indexOf(LF, start);
    for (;;) {
      if (cr !== -1 && cr < start) cr = piece.indexOf(CR, start);
      if (lf !== -1 && lf < start) lf = piece.indexOf(LF, start);
      const end = cr !== -1 && (lf === -1 || cr < lf) ? cr : lf;
      if (end === -1) break;
      this.#endLine(piece, start, end);
      start = end + 1;
      if (end !== cr) continue;
      if (start === piece.length) this.#isAfterCr = true;
      else if (piece[start] === LF) start++;
    }
    if (start < piece.length) this.#addPart(piece.subarray(start));
  }

  /** What no blank line followed is an event too: some leave it out at the end. */
  end(): void {
    if (this.#parts.length > 0) this.#endLine(NOTHING, 0, 0);
    this.#endEvent();
  }

  /** In the place where it lies, mostly: each buffer that is made of it takes longer than to look at it. */
  #endLine(piece: Buffer, start: number, end: number): void {
    if (this.#parts.length > 0 || this.#isFirstLine) {
      const line = this.#joined(piece.subarray(start, end));
      this.#takeLine(line, 0, line.length);
    } else this.#takeLine(piece, start, end);
  }

  #joined(last: Buffer): Buffer {
    const line = this.#parts.length > 0 ? Buffer.concat([...this.#parts, last]) : last;
    this.#parts = [];
    this.#partsSize = 0;
    const isMarked = this.#isFirstLine && line.subarray(0, 3).equals(BYTE_ORDER_MARK);
    this.#isFirstLine = false;
    return isMarked ? line.subarray(3) : line;
  }

  #takeLine(bytes: Buffer, start: number, end: number): void {
    if (start === end) this.#endEvent();
    else if (isData(bytes, start, end)) {
      const from = start + DATA.length;
      this.#addLine(bytes.subarray(bytes[from] === SPACE && from < end ? from + 1 : from, end));
    }
  }

  #endEvent(): void {
    const lines = this.#lines;
    const [first] = lines;
    if (!first) return;
    this.#lines = [];
    this.#linesSize = 0;
    if (lines.length === 1) return this.#onData(first, true);
    this.#onData(Buffer.concat(lines.flatMap((line, n) => (n === 0 ? [line] : [NEWLINE, line]))), false);
  }

  #addPart(part: Buffer): void {
    this.#parts.push(part);
    this.#partsSize += part.length + BUFFER_BYTES;
    this.#requireRoom();
  }

  #addLine(line: Buffer): void {
    this.#lines.push(line);
    this.#linesSize += line.length + BUFFER_BYTES;
    this.#requireRoom();
  }

  #requireRoom(): void {
    if (this.heldBytes > MAX_EVENT_BYTES)
      throw new EventTooLongError(`An event has more than ${MAX_EVENT_BYTES} bytes.`);
  }
}

/** Comments and other fields say nothing here. */
function isData(bytes: Buffer, start: number, end: number): boolean {
  if (end - start < DATA.length) return false;
  for (let at = 0; at < DATA.length; at++) if (bytes[start + at] !== DATA[at]) return false;
  return true;
}
