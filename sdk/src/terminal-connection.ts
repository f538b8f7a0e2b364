/** One WebSocket of a terminal, from its first word to its last. */
import { Deferred } from './deferred.ts';
import { parseJson } from './error-answers.ts';
import { startTimer } from './time-limits.ts';

export interface Attached {
  readonly terminal_id: string;
  readonly offset: number;
  readonly lost: number;
}

interface ServerMessage extends Partial<Attached> {
  readonly type?: string;
  /** Of the program, or of the close that follows. */
  readonly code?: number;
  readonly detail?: string;
}

/** How it ended. */
export interface Closed {
  /** 1006 where nobody said why. */
  readonly code: number;
  readonly exitCode?: number;
  readonly detail?: string;
}

const PROTOCOL = 'drydock.terminal';
const NOTHING_SAID = 1006;

interface ConnectionOptions {
  readonly url: string;
  readonly credential: string | undefined;
  /** Until it is attached, and then without a word. */
  readonly openTimeoutMs: number;
  readonly idleTimeoutMs: number;
  /** Told at once, and before anything is shown. */
  readonly attach: (attached: Attached) => void;
  readonly show: (bytes: Uint8Array<ArrayBuffer>) => void;
}

export class TerminalConnection {
  readonly #socket: WebSocket;
  readonly #attached = new Deferred<void>();
  readonly #closed = new Deferred<Closed>();
  readonly #options: ConnectionOptions;
  #said: Omit<Closed, 'code'> = {};
  #heardAt = performance.now();
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
    this.#stopTimer = startTimer(openTimeoutMs, () => this.#end(NOTHING_SAID));
    this.#attached.promise.catch(() => undefined);
  }

  /** Rejects where it ends before. */
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
    this.#end(NOTHING_SAID);
  }

  #hear(data: string | ArrayBuffer): void {
    this.#heardAt = performance.now();
    if (this.#isOver) return;
    if (typeof data !== 'string') return this.#options.show(new Uint8Array(data));
    const { type, code, detail = '', ...rest } = parseJson(data) as ServerMessage;
    if (type === 'attached') {
      this.#options.attach(rest as Attached);
      this.#attached.resolve();
      this.#stopTimer();
      this.#pings = setInterval(() => this.#ping(), this.#options.idleTimeoutMs / 3);
    } else if (type === 'exit' && code !== undefined) this.#said = { exitCode: code };
    else if (type === 'error') this.#said = { detail };
  }

  /** A network that drops everything does not say so. */
  #ping(): void {
    const { idleTimeoutMs } = this.#options;
    const silentMs = performance.now() - this.#heardAt;
    if (silentMs > idleTimeoutMs) this.#end(NOTHING_SAID);
    else if (silentMs > idleTimeoutMs / 3 && this.#socket.readyState === WebSocket.OPEN)
      this.say({ type: 'ping' });
  }

  #end(code: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopTimer();
    clearInterval(this.#pings);
    this.#socket.close();
    this.#closed.resolve({ code, ...this.#said });
    this.#attached.reject(new Error('the connection was closed'));
  }
}
