/** One WebSocket of a terminal, from its first to its last message. */
import { Deferred } from './deferred.ts';
import { parseJson } from './error-responses.ts';
import { startTimer } from './time-limits.ts';

export interface Attached {
  readonly terminal_id: string;
  readonly offset: number;
  readonly lost: number;
}

interface ServerMessage extends Partial<Attached> {
  readonly type?: string;
  /** Exit code of the program, or code of the following close. */
  readonly code?: number;
  readonly detail?: string;
}

/** End of a connection. */
export interface Closed {
  /** 1006 for an unknown reason. */
  readonly code: number;
  readonly exitCode?: number;
  readonly detail?: string;
}

const PROTOCOL = 'drydock.terminal';
const NO_CLOSE_FRAME = 1006;

interface ConnectionOptions {
  readonly url: string;
  readonly credential: string | undefined;
  /** Timeout until it is attached, and for silence afterwards. */
  readonly openTimeoutMs: number;
  readonly idleTimeoutMs: number;
  /** Called at once, before any output. */
  readonly attach: (attached: Attached) => void;
  readonly show: (bytes: Uint8Array<ArrayBuffer>) => void;
}

export class TerminalConnection {
  readonly #socket: WebSocket;
  readonly #attached = new Deferred<void>();
  readonly #closed = new Deferred<Closed>();
  readonly #options: ConnectionOptions;
  #reported: Omit<Closed, 'code'> = {};
  #lastReceivedAt = performance.now();
  #pings: ReturnType<typeof setInterval> | undefined;
  readonly #stopTimer: () => void;
  #isOver = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { url, credential, openTimeoutMs } = options;
    const protocols = credential ? [PROTOCOL, `drydock.bearer.${credential}`] : [PROTOCOL];
    this.#socket = new WebSocket(url.replace(/^http/, 'ws'), protocols);
    this.#socket.binaryType = 'arraybuffer';
    this.#socket.addEventListener('message', ({ data }) => this.#hear(data as string | ArrayBuffer));
    this.#socket.addEventListener('close', ({ code }) => this.#end(code));
    this.#stopTimer = startTimer(openTimeoutMs, () => this.#end(NO_CLOSE_FRAME));
    this.#attached.promise.catch(() => undefined);
  }

  /** Rejects when the connection ends before. */
  get attached(): Promise<void> {
    return this.#attached.promise;
  }

  get closed(): Promise<Closed> {
    return this.#closed.promise;
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    if (!this.#isOver) this.#socket.send(data);
  }

  say(message: object): void {
    this.send(JSON.stringify(message));
  }

  close(): void {
    this.#end(NO_CLOSE_FRAME);
  }

  #hear(data: string | ArrayBuffer): void {
    this.#lastReceivedAt = performance.now();
    if (this.#isOver) return;
    if (typeof data !== 'string') return this.#options.show(new Uint8Array(data));
    const { type, code, detail = '', ...rest } = parseJson(data) as ServerMessage;
    if (type === 'attached') {
      this.#options.attach(rest as Attached);
      this.#attached.resolve();
      this.#stopTimer();
      this.#pings = setInterval(() => this.#ping(), this.#options.idleTimeoutMs / 3);
    } else if (type === 'exit' && code !== undefined) this.#reported = { exitCode: code };
    else if (type === 'error') this.#reported = { detail };
  }

  /** Detects a network that silently drops everything. */
  #ping(): void {
    const { idleTimeoutMs } = this.#options;
    const silentMs = performance.now() - this.#lastReceivedAt;
    if (silentMs > idleTimeoutMs) this.#end(NO_CLOSE_FRAME);
    else if (silentMs > idleTimeoutMs / 3 && this.#socket.readyState === WebSocket.OPEN)
      this.say({ type: 'ping' });
  }

  #end(code: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopTimer();
    clearInterval(this.#pings);
    this.#socket.close();
    this.#closed.resolve({ code, ...this.#reported });
    this.#attached.reject(new Error('the connection was closed'));
  }
}
