/** Transports MCP messages over the input and output of a command, one per line. Neither the command nor its output can be trusted. */
import type { Transport } from '@modelcontextprotocol/client';
import { ApiError } from '../../../platform/errors.ts';
import type { Execution } from '../../../platform/sandbox/sandbox-provider.ts';

type Message = Parameters<NonNullable<Transport['onmessage']>>[0];

const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
/** Maximum bytes between two of our requests; a server that sends more notifications is considered broken. */
const MAX_UNASKED_BYTES = 32 * 1024 * 1024;
/** Number of bytes of stderr to keep. */
const MAX_COMPLAINT_BYTES = 4 * 1024;
const NEWLINE = 0x0a;

export class ExecutionTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: Message) => void;
  readonly #execution: Execution;
  readonly #name: string;
  #parts: Buffer[] = [];
  #partBytes = 0;
  #unaskedBytes = 0;
  #complaint = Buffer.alloc(0);
  #failure: ApiError | undefined;
  #isClosed = false;

  /** @param name name of the server, for error messages */
  constructor(execution: Execution, name: string) {
    this.#execution = execution;
    this.#name = name;
  }

  /** Why the server has ended, unless it was closed on purpose. */
  get failure(): ApiError | undefined {
    return this.#failure;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async start(): Promise<void> {
    const { stdin, stdout, stderr, exit } = this.#execution;
    stdin.on('error', () => undefined); // Errors of stderr are ignored, because the end of the process is reported anyway.
    stderr.on('error', () => undefined).on('data', (chunk: Buffer) => this.#keepComplaint(chunk));
    stdout
      .on('error', (error: Error) => this.#fail(`cannot be reached any more: ${error.message}`))
      .on('data', (chunk: Buffer) => this.#take(chunk));
    void exit.then(({ code }) => setImmediate(() => this.#fail(`has ended, with ${code}`)));
  }

  /** Resolves when the next message can be sent. */
  async send(message: Message): Promise<void> {
    if (this.#isClosed) throw this.#failure ?? new Error('closed');
    this.#unaskedBytes = 0;
    const { stdin } = this.#execution;
    if (stdin.write(`${JSON.stringify(message)}\n`) || stdin.destroyed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    stdin.once('drain', resolve).once('close', resolve);
    await promise;
    stdin.off('drain', resolve).off('close', resolve);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { stdin, stdout, stderr } = this.#execution;
    this.#execution.kill();
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    this.#parts = [];
    this.onclose?.();
  }

  #take(chunk: Buffer): void {
    this.#unaskedBytes += chunk.length;
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0 && !this.#isClosed; end = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, end));
      this.#takeLine();
      from = end + 1;
    }
    if (this.#isClosed) return;
    this.#keep(chunk.subarray(from));
    if (this.#unaskedBytes > MAX_UNASKED_BYTES) this.#fail('writes without end');
  }

  #keep(part: Buffer): void {
    this.#partBytes += part.length;
    if (this.#partBytes > MAX_MESSAGE_BYTES)
      this.#fail(`has sent a message of more than ${MAX_MESSAGE_BYTES} bytes`);
    else this.#parts.push(part);
  }

  #takeLine(): void {
    const line = Buffer.concat(this.#parts).toString().trim();
    this.#parts = [];
    this.#partBytes = 0;
    if (line === '') return;
    const message = toMessage(line);
    if (message) this.onmessage?.(message);
    else this.#fail(`has written something that is no message of MCP: ${JSON.stringify(line.slice(0, 200))}`);
  }

  #keepComplaint(chunk: Buffer): void {
    this.#complaint = Buffer.concat([this.#complaint, chunk]).subarray(-MAX_COMPLAINT_BYTES);
  }

  #fail(what: string): void {
    if (this.#isClosed) return;
    const complaint = this.#complaint.toString().trim();
    const detail = `The MCP server "${this.#name}" ${what}.${complaint && ` It said: ${complaint}`}`;
    this.#failure = new ApiError('bad_gateway_error', detail);
    void this.close();
  }
}

/** Only checks that the line is a message; the client interprets it. */
function toMessage(line: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(line);
    const isMessage = typeof message === 'object' && message !== null && 'jsonrpc' in message;
    return isMessage ? (message as Message) : undefined;
  } catch {
    return undefined;
  }
}
