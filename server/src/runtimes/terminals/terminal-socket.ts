/** A terminal on a WebSocket: input and output are binary messages, everything else is JSON. */
import { type RawData, WebSocket } from 'ws';
import { ApiError } from '../../platform/errors.ts';
import { CLOSES, ClientMessage, type ServerMessage } from './schema.ts';
import type { LinkEnd, TerminalLink } from './terminal-link.ts';

export interface TerminalTimings {
  /** Interval of pings in milliseconds. A client that has not responded before the next ping is cut off. */
  readonly pingMs: number;
}

export const TERMINAL_TIMINGS: TerminalTimings = { pingMs: 15_000 };

/** A slow client that has accepted pending data is alive, although its pong may still be behind other data. */
const SLOW_MS = 1_000;
/** Limit on input that the program has not read, because messages to the server are queued behind it. */
const MAX_TYPED_BYTES = 1024 ** 2;
/** Overhead counted per message: many small ones take more memory than their bytes. */
const MESSAGE_COST = 256;
/** Maximum number of pending pongs. A client that sends more pings without reading the pongs is not read from until then. */
const MAX_PONGS = 1_000;

const PONG = JSON.stringify({ type: 'pong' } satisfies ServerMessage);

const HOST_LOST = 'The host of this runtime was lost, or is being stopped; terminals end with it.';
const TAKEN_OVER = 'Another client has attached to this terminal.';

/** @param signal aborted, with the reason, when the client loses access */
export function serveTerminal(
  socket: WebSocket,
  link: TerminalLink,
  signal: AbortSignal,
  timings: TerminalTimings,
): void {
  new TerminalSocket(socket, link).serve(signal, timings);
}

class TerminalSocket {
  readonly #socket: WebSocket;
  readonly #link: TerminalLink;
  readonly #typed: Buffer[] = [];
  #isResponsive = true;
  #typedBytes = 0;
  #pongs = 0;
  /** Number of the first byte that the network has not accepted. */
  #sent: number;

  constructor(socket: WebSocket, link: TerminalLink) {
    this.#socket = socket;
    this.#link = link;
    this.#sent = link.offset;
  }

  serve(signal: AbortSignal, { pingMs }: TerminalTimings): void {
    const pings = setInterval(() => this.#ping(), pingMs);
    this.#socket.on('error', () => undefined); // Errors are followed by a close event.
    this.#socket.on('pong', () => (this.#isResponsive = true));
    this.#socket.on('ping', (data) => this.#pong((done) => this.#socket.pong(data, false, done)));
    this.#socket.on('message', (data, isBinary) => this.#take(data, isBinary));
    this.#socket.once('close', () => {
      clearInterval(pings);
      this.#link.detach();
    });
    signal.addEventListener('abort', () => this.#refuse(signal.reason));
    if (signal.aborted) this.#refuse(signal.reason);
    void this.#link.ended.then((end) => this.#end(end));
    const { terminalId, offset, lost } = this.#link;
    this.#say({ type: 'attached', terminal_id: terminalId, offset, lost });
    void this.#show();
  }

  /** Sends output with backpressure. */
  async #show(): Promise<void> {
    for (;;) {
      const bytes = await this.#link.read();
      if (!bytes || this.#socket.readyState !== WebSocket.OPEN) return;
      const began = performance.now();
      await new Promise((resolve) => this.#socket.send(bytes, { binary: true }, resolve));
      if (performance.now() - began > SLOW_MS) this.#isResponsive = true;
      this.#sent += bytes.length;
      this.#acknowledgeUnread();
    }
  }

  #take(data: RawData, isBinary: boolean): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#isResponsive = true;
    if (!isBinary) return this.#obey((data as Buffer).toString());
    this.#typed.push(data as Buffer);
    this.#typedBytes += (data as Buffer).length + MESSAGE_COST;
    if (this.#typed.length === 1) void this.#type();
    this.#listen();
    this.#acknowledgeUnread();
  }

  async #type(): Promise<void> {
    for (let bytes = this.#typed[0]; bytes; bytes = this.#typed[0]) {
      await this.#link.write(bytes);
      this.#typed.shift();
      this.#typedBytes -= bytes.length + MESSAGE_COST;
      this.#listen();
    }
  }

  get #isFull(): boolean {
    return this.#typedBytes >= MAX_TYPED_BYTES;
  }

  /** Reads from the client while its pending messages fit into the limit. The close frame of a closing connection must always be read. */
  #listen(): void {
    const isOpen = this.#socket.readyState === WebSocket.OPEN;
    const mustWait = isOpen && (this.#isFull || this.#pongs >= MAX_PONGS);
    if (mustWait === this.#socket.isPaused) return;
    if (mustWait) return this.#socket.pause();
    this.#isResponsive = true; // The responses may be queued behind the data that was waited for.
    this.#socket.resume();
  }

  /**
   * Acknowledgements may be queued behind input that the program accepts only after it could write: then data counts as acknowledged when
   * it was sent.
   */
  #acknowledgeUnread(): void {
    if (this.#isFull) this.#link.acknowledge(this.#sent);
  }

  #pong(send: (done: () => void) => void): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#isResponsive = true;
    this.#pongs += 1;
    this.#listen();
    send(() => {
      this.#pongs -= 1;
      this.#listen();
    });
  }

  #obey(text: string): void {
    const message = readMessage(text);
    if (!message) {
      const detail =
        'A text message has to be JSON of type "resize", "ack", "ping" or "hang_up"; send input as bytes.';
      return this.#close(CLOSES.badMessage, detail);
    }
    if (message.type === 'resize') this.#link.resize({ columns: message.columns, rows: message.rows });
    else if (message.type === 'ack') this.#link.acknowledge(message.offset);
    else if (message.type === 'ping') this.#pong((done) => this.#socket.send(PONG, done));
    else this.#link.hangUp();
  }

  #ping(): void {
    // Pongs are not read while too much input is pending.
    if (!this.#isResponsive && !this.#isFull) return this.#socket.terminate();
    this.#isResponsive = false;
    this.#socket.ping();
  }

  /**
   * A client that has lost its credential can come back with another; a client without access to the runtime leaves nothing running there.
   */
  #refuse(reason: unknown): void {
    if (!(reason instanceof ApiError)) return this.#socket.terminate();
    if (reason.status === 502) return this.#close(CLOSES.restart, reason.message);
    if (reason.status === 401) return this.#close(CLOSES.credential, reason.message);
    this.#link.hangUp();
    this.#close(CLOSES.forbidden, reason.message);
  }

  #end(end: LinkEnd): void {
    if (end.kind === 'detached') return;
    if (end.kind === 'exit') {
      this.#say({ type: 'exit', code: end.code });
      this.#socket.close(CLOSES.ended);
      this.#listen();
    } else if (end.kind === 'lost') this.#close(CLOSES.hostLost, HOST_LOST);
    else this.#close(CLOSES.takenOver, TAKEN_OVER);
  }

  #close(code: number, detail: string): void {
    this.#say({ type: 'error', code, detail });
    this.#socket.close(code);
    this.#listen();
    this.#link.detach();
  }

  #say(message: ServerMessage): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}

function readMessage(text: string) {
  try {
    return ClientMessage.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
