/** A terminal of a runtime, across as many connections as needed. */
import { Deferred } from './deferred.ts';
import { connectionError } from './error-responses.ts';
import { DrydockError } from './errors.ts';
import { checkNumbers } from './option-checks.ts';
import { backOffMs, hasNoResponse, pause } from './retries.ts';
import { type Closed, TerminalConnection } from './terminal-connection.ts';
import type { Request, Transport } from './transport.ts';

export interface TerminalOptions {
  /** Id of an existing terminal. */
  readonly terminalId?: string;
  /** Number of output bytes received so far; only later ones are sent. */
  readonly after?: number;
  readonly columns?: number;
  readonly rows?: number;
  /** A command line for bash instead of a login shell, for a new terminal. */
  readonly command?: string;
  /** Detaches from the terminal, which continues. */
  readonly signal?: AbortSignal;
  /** Time for which a broken connection is retried without success before the terminal fails. Default 60 s. */
  readonly reconnectForMs?: number;
  /** Milliseconds of silence after which the connection counts as dead. Default 30 s. */
  readonly idleTimeoutMs?: number;
}

type Bytes = Uint8Array<ArrayBuffer>;
type TerminalSize = Pick<TerminalOptions, 'columns' | 'rows'>;

const RECONNECT_FOR_MS = 60_000;
const IDLE_TIMEOUT_MS = 30_000;
/** Bytes per acknowledgement, and per message sent. */
const PIECE_BYTES = 64 * 1024;
/** Maximum buffered input while there is no connection. */
const MAX_PENDING_BYTES = 1024 * 1024;

/** Close codes after which no new connection is opened, with their error types. */
const FINAL: Readonly<Record<number, DrydockError['type']>> = {
  4400: 'invalid_error',
  4403: 'forbidden_error',
  4409: 'conflict_error',
};

/**
 * The output of a program, as bytes to loop over once; `write` sends input. A broken connection is reopened after the last received byte:
 * none is repeated, and none is missed except those that the server no longer keeps, which `lost` counts. The loop ends with the program;
 * it fails with a DrydockError when the terminal is lost, or another client has attached to it. A program whose output is not read blocks.
 */
export class Terminal implements AsyncIterable<Bytes> {
  readonly #transport: Transport;
  readonly #toRequest: (query: object) => Request;
  readonly #options: TerminalOptions;
  readonly #exit = new Deferred<number>();
  /** Received output that was not consumed yet; a number stands for that many lost bytes. */
  readonly #shown: (Bytes | number)[] = [];
  #connection: TerminalConnection | undefined;
  #id: string | undefined;
  #size: TerminalSize;
  /** Number of received bytes, including lost ones; and how many of them were consumed, and acknowledged. */
  #received: number;
  #taken: number;
  #acknowledged: number;
  #lost = 0;
  #pending: Bytes[] = [];
  #pendingBytes = 0;
  #isHungUp = false;
  #failure: Error | undefined;
  /** Aborted at the end, after which no connection is opened: it would take the terminal away from its next user. */
  readonly #over = new AbortController();
  #wakened = new Deferred<void>();

  /** @param toRequest builds the request of the operation with this query */
  static async open(
    transport: Transport,
    toRequest: (query: object) => Request,
    options: TerminalOptions = {},
  ): Promise<Terminal> {
    checkNumbers(options, 'after', 'columns', 'rows', 'reconnectForMs', 'idleTimeoutMs');
    const terminal = new Terminal(transport, toRequest, options);
    try {
      void terminal.#keep(await terminal.#attach());
    } catch (error) {
      terminal.#finish(error as Error);
      throw error;
    }
    return terminal;
  }

  private constructor(
    transport: Transport,
    toRequest: (query: object) => Request,
    { columns, rows, ...options }: TerminalOptions,
  ) {
    this.#transport = transport;
    this.#toRequest = toRequest;
    this.#options = options;
    this.#id = options.terminalId;
    this.#size = { ...(columns !== undefined && { columns }), ...(rows !== undefined && { rows }) };
    this.#received = this.#taken = this.#acknowledged = options.after ?? 0;
    this.#exit.promise.catch(() => undefined); // the loop reports it
    const { signal } = options;
    if (signal?.aborted) this.#over.abort(signal.reason);
    else
      signal?.addEventListener('abort', () => this.#finish(undefined, signal.reason), {
        signal: this.#over.signal,
      });
  }

  /** Id for attaching to the terminal again, from anywhere. */
  get id(): string {
    return this.#id ?? '';
  }

  /** Number of output bytes consumed or lost: the value of `after` for continuing from here. */
  get offset(): number {
    return this.#taken;
  }

  /** Number of bytes before `offset` that arrived while no client was attached, and exceeded the buffer. */
  get lost(): number {
    return this.#lost;
  }

  /** Exit code of the program, when it has ended. */
  get exit(): Promise<number> {
    return this.#exit.promise;
  }

  /** Sends input. Input without a connection is sent with the next one; input sent while a connection breaks may be lost. */
  write(data: string | Uint8Array): void {
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : new Uint8Array(data);
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) this.#send(bytes.subarray(at, at + PIECE_BYTES));
  }

  resize(columns: number, rows: number): void {
    this.#size = { columns, rows };
    this.#connection?.say({ type: 'resize', columns, rows });
  }

  /** Ends the program like a closed line; on the next connection when there is none. */
  hangUp(): void {
    this.#isHungUp = true;
    this.#connection?.say({ type: 'hang_up' });
  }

  /** Detaches from the terminal, which continues for a while: attach to it again with its id. */
  detach(): void {
    this.#finish();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Bytes, void, undefined> {
    for (;;) {
      const next = this.#shown.shift();
      if (typeof next === 'number') {
        this.#lost += next;
        this.#take(next);
      } else if (next) {
        this.#take(next.length);
        yield next;
      } else if (this.#failure) throw this.#failure;
      else if (this.#isOver) return;
      else await this.#wakened.promise;
    }
  }

  #take(bytes: number): void {
    this.#taken += bytes;
    if (this.#taken - this.#acknowledged < PIECE_BYTES) return;
    this.#acknowledged = this.#taken;
    this.#connection?.say({ type: 'ack', offset: this.#taken });
  }

  get #isOver(): boolean {
    return this.#over.signal.aborted;
  }

  #send(bytes: Bytes): void {
    if (this.#isOver) return;
    if (this.#connection) return this.#connection.send(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes > MAX_PENDING_BYTES)
      throw this.#error('connection_error', 'Too much input was written while there is no connection.');
    this.#pending.push(bytes);
  }

  /** Checks for errors before it opens a WebSocket, which cannot report them. */
  async #attach(maxRetries?: number): Promise<TerminalConnection> {
    const { command, idleTimeoutMs = IDLE_TIMEOUT_MS } = this.#options;
    const size = this.#size;
    const request = this.#toRequest({
      ...(this.#id === undefined ? { command } : { terminal_id: this.#id, after: this.#received }),
      ...size,
      acknowledges: true,
    });
    await this.#check(request, maxRetries);
    const { baseUrl, timeoutMs } = this.#transport.options;
    const { signal } = this.#over;
    const credential = await this.#transport.credential(signal);
    signal.throwIfAborted();
    const connection = new TerminalConnection({
      url: baseUrl + request.path + request.queryString,
      credential,
      openTimeoutMs: timeoutMs,
      idleTimeoutMs,
      attach: ({ terminal_id, offset, lost }) => {
        this.#id = terminal_id;
        this.#received = offset;
        if (lost > 0) this.#shown.push(lost);
      },
      show: (bytes) => this.#show(bytes),
    });
    const leave = () => connection.close();
    signal.addEventListener('abort', leave);
    try {
      await connection.attached;
    } catch (cause) {
      await this.#check(request, 0); // the error of the check is more helpful than that of the close
      throw connectionError(this.#name, baseUrl, cause);
    } finally {
      signal.removeEventListener('abort', leave);
    }
    this.#use(connection, size);
    return connection;
  }

  /**
   * Sends the input and sizes collected during the connect.
   * @param size current size of the connection
   */
  #use(connection: TerminalConnection, size: TerminalSize): void {
    this.#connection = connection;
    if (this.#size !== size) connection.say({ type: 'resize', ...this.#size });
    // Sent at once, since queued input may never be read.
    if (this.#isHungUp) connection.say({ type: 'hang_up' });
    for (const bytes of this.#pending.splice(0)) connection.send(bytes);
    this.#pendingBytes = 0;
  }

  /** Sends a plain request, which reports what would be wrong with a WebSocket, or only that one is required. */
  async #check(request: Request, maxRetries: number | undefined): Promise<void> {
    const { signal } = this.#over;
    try {
      await this.#transport.send(request, {
        signal,
        ...(maxRetries !== undefined && { maxRetries }),
      });
    } catch (error) {
      if (!(error instanceof DrydockError && error.status === 426)) throw error;
    }
  }

  #show(bytes: Bytes): void {
    this.#received += bytes.length;
    this.#shown.push(bytes);
    this.#wake();
  }

  /** Reconnects until the terminal is over. */
  async #keep(first: TerminalConnection): Promise<void> {
    try {
      for (let connection = first; ; connection = await this.#attachAgain()) {
        const closed = await connection.closed;
        this.#connection = undefined;
        if (this.#isOver) return;
        if (closed.exitCode !== undefined) {
          this.#exit.resolve(closed.exitCode);
          return this.#finish();
        }
        this.#requireMore(closed);
      }
    } catch (error) {
      this.#finish(error as Error);
    }
  }

  #requireMore({ code, detail = '' }: Closed): void {
    const type = FINAL[code];
    if (type) throw this.#error(type, detail);
  }

  async #attachAgain(): Promise<TerminalConnection> {
    const { reconnectForMs = RECONNECT_FOR_MS } = this.#options;
    const { signal } = this.#over;
    const brokenAt = performance.now();
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.#attach(0);
      } catch (error) {
        const isLate = performance.now() - brokenAt >= reconnectForMs;
        if (isLate || !(error instanceof DrydockError) || !isPassing(error)) throw error;
        await pause(backOffMs(failures, this.#transport.options.retryPauseMs), signal);
      }
    }
  }

  #finish(failure?: Error, reason?: unknown): void {
    if (this.#isOver) return;
    this.#over.abort(reason);
    this.#failure = failure;
    this.#connection?.close();
    this.#connection = undefined;
    this.#exit.reject(
      failure ?? this.#error('connection_error', 'The client has detached from the terminal.'),
    );
    this.#wake();
  }

  #wake(): void {
    this.#wakened.resolve();
    this.#wakened = new Deferred();
  }

  #error(type: DrydockError['type'], detail: string): DrydockError {
    return new DrydockError({ type, request: this.#name, detail });
  }

  get #name(): string {
    const { method, path } = this.#toRequest({});
    return `${method} ${path}`;
  }
}

/** A paused runtime will continue at some time. */
const isPassing = (error: DrydockError) =>
  error.status === 409 || error.status === 429 || hasNoResponse(error);
