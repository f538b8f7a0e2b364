/** Reads the text of an event stream, as the HTML standard describes it, in pieces of any size. */

export interface Message {
  readonly kind: 'message';
  /** Undefined when the stream has given none so far. */
  readonly id: string | undefined;
  readonly type: string;
  readonly data: string;
}

/** How long to wait before connecting again. */
export interface RetryMessage {
  readonly kind: 'retry';
  readonly pauseMs: number;
}

export class EventParser {
  #rest = '';
  #isStart = true;
  #id: string | undefined;
  #type = '';
  #data: string[] = [];

  /** What the lines that are whole by now say. */
  *push(text: string): Generator<Message | RetryMessage, void, undefined> {
    let pending = this.#rest + text;
    if (this.#isStart && pending !== '') {
      this.#isStart = false;
      if (pending.startsWith('\uFEFF')) pending = pending.slice(1);
    }
    // The line feed that belongs to a carriage return at the end may be in the next piece.
    const isCut = pending.endsWith('\r');
    const lines = (isCut ? pending.slice(0, -1) : pending).split(/\r\n|\n|\r/);
    this.#rest = (lines.pop() ?? '') + (isCut ? '\r' : '');
    for (const line of lines) {
      const message = this.#readLine(line);
      if (message) yield message;
    }
  }

  #readLine(line: string): Message | RetryMessage | undefined {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return undefined; // a comment, which keeps the connection alive
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#type = value;
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
    return isEmpty ? undefined : message;
  }
}
