/** Parses the text of an event stream according to the HTML standard, in pieces of any size. */

export interface Message {
  readonly kind: 'message';
  /** Undefined when the stream has sent none so far. */
  readonly id: string | undefined;
  readonly type: string;
  readonly data: string;
}

/** Delay before a reconnect. */
export interface RetryMessage {
  readonly kind: 'retry';
  readonly pauseMs: number;
}

/** An event exceeds the maximum length, so the stream cannot be continued. */
export interface OverflowMessage {
  readonly kind: 'overflow';
}

/** Maximum number of buffered characters of an incomplete event. A message may have many megabytes. */
const LONGEST_EVENT = 128 * 1024 * 1024;

export class EventParser {
  #line = '';
  #isStart = true;
  #isAfterReturn = false;
  #id: string | undefined;
  #type = '';
  #data: string[] = [];
  #dataLength = 0;

  /** Parses the lines that are complete. */
  *push(text: string): Generator<Message | RetryMessage | OverflowMessage, void, undefined> {
    if (text === '') return;
    // The line feed after a carriage return may be in the next piece.
    const isSkipped =
      (this.#isAfterReturn && text.startsWith('\n')) || (this.#isStart && text.startsWith('\uFEFF'));
    let start = isSkipped ? 1 : 0;
    this.#isStart = false;
    this.#isAfterReturn = text.endsWith('\r');
    for (const { index, 0: lineEnd } of text.matchAll(/\r\n|\n|\r/g)) {
      if (index < start) continue;
      this.#line += text.slice(start, index);
      start = index + lineEnd.length;
      if (this.#isTooLong) break;
      const message = this.#readLine(this.#line);
      this.#line = '';
      if (message) yield message;
    }
    this.#line += text.slice(start);
    if (this.#isTooLong) yield { kind: 'overflow' };
  }

  get #isTooLong(): boolean {
    return this.#dataLength + this.#line.length > LONGEST_EVENT;
  }

  #readLine(line: string): Message | RetryMessage | undefined {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return undefined; // a comment, which keeps the connection alive
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') {
      this.#data.push(value);
      this.#dataLength += value.length + 1;
    } else if (field === 'event') this.#type = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) return { kind: 'retry', pauseMs: Number(value) };
    return undefined;
  }

  #dispatch(): Message | undefined {
    const message = {
      kind: 'message',
      id: this.#id,
      type: this.#type || 'message',
      data: this.#data.join('\n'),
    } as const;
    const isEmpty = this.#data.length === 0;
    this.#type = '';
    this.#data = [];
    this.#dataLength = 0;
    return isEmpty ? undefined : message;
  }
}
