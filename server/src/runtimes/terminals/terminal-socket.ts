/** A terminal on a WebSocket: bytes are binary messages both ways, everything else is JSON. */
import { type RawData, WebSocket } from 'ws';
import { ApiError } from '../../platform/http/errors.ts';
import { CLOSES, ClientMessage, type ServerMessage } from './schema.ts';
import type { LinkEnd, TerminalLink } from './terminal-link.ts';

export interface TerminalTimings {
  /** Whoever has not answered a ping until the next one is cut off. */
  readonly pingMs: number;
}

export const TERMINAL_TIMINGS: TerminalTimings = { pingMs: 15_000 };

/** Who had to be waited for and then took what was sent lives, although an answer may still be on its way behind that. */
const SLOW_MS = 1_000;

const HOST_LOST = 'The host of this runtime was lost, or is being stopped; terminals end with it.';
const TAKEN_OVER = 'Another client has attached to this terminal.';

/** @param signal of who may not go on, with why */
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
  #isHeard = true;

  constructor(socket: WebSocket, link: TerminalLink) {
    this.#socket = socket;
    this.#link = link;
  }

  serve(signal: AbortSignal, { pingMs }: TerminalTimings): void {
    const pings = setInterval(() => this.#ping(), pingMs);
    this.#socket.on('error', () => undefined); // told by its close
    this.#socket.on('pong', () => (this.#isHeard = true));
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

  /** As fast as it is taken. */
  async #show(): Promise<void> {
    for (;;) {
      const bytes = await this.#link.read();
      if (!bytes || this.#socket.readyState !== WebSocket.OPEN) return;
      const began = performance.now();
      await new Promise((resolve) => this.#socket.send(bytes, { binary: true }, resolve));
      if (performance.now() - began > SLOW_MS) this.#isHeard = true;
    }
  }

  #take(data: RawData, isBinary: boolean): void {
    this.#isHeard = true;
    if (!isBinary) return this.#obey((data as Buffer).toString());
    this.#socket.pause();
    void this.#link.write(data as Buffer).finally(() => this.#socket.resume());
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
    else if (message.type === 'ping') this.#say({ type: 'pong' });
    else this.#link.hangUp();
  }

  #ping(): void {
    if (!this.#isHeard) return this.#socket.terminate();
    this.#isHeard = false;
    this.#socket.ping();
  }

  /** Who has lost a credential can come back with another; who may not use the runtime leaves nothing running there. */
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
    } else if (end.kind === 'lost') this.#close(CLOSES.hostLost, HOST_LOST);
    else this.#close(CLOSES.takenOver, TAKEN_OVER);
  }

  #close(code: number, detail: string): void {
    this.#say({ type: 'error', code, detail });
    this.#socket.close(code);
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
