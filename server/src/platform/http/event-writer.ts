/** The open answer of one reader of server-sent events: written as fast as it is taken, and ended when it must be. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { HEARTBEAT } from './event-format.ts';

export interface WriterTimings {
  readonly heartbeatMs: number;
  /** A reader that takes longer to take what was sent is cut off. */
  readonly drainMs: number;
  /** How long the last bytes may take. */
  readonly farewellMs: number;
}

const HEADERS = {
  'content-type': 'text/event-stream',
  // Proxies that gather an answer before they pass it on would hold back every event.
  'x-accel-buffering': 'no',
};

/** Nobody reads why it is over; one error for all, since each would cost its stack. */
const OVER = new Error('the answer has ended');

export class EventWriter {
  private readonly reply: FastifyReply;
  private readonly timings: WriterTimings;
  private readonly response: ServerResponse;
  private readonly over = new AbortController();
  private heartbeat: NodeJS.Timeout | undefined;

  constructor(reply: FastifyReply, timings: WriterTimings) {
    this.reply = reply;
    this.timings = timings;
    this.response = reply.raw;
    this.response.on('error', () => undefined).once('close', () => this.end());
    if (this.response.destroyed) this.end();
  }

  /** Aborted when nothing more can be sent: the reader has left or takes nothing, or the end was decided here. */
  get signal(): AbortSignal {
    return this.over.signal;
  }

  get isOver(): boolean {
    return this.over.signal.aborted;
  }

  get hasBegun(): boolean {
    return this.response.headersSent;
  }

  /** From here on the answer is ours alone, and nothing that fails can be its status. */
  begin(connection: { readonly connection?: 'close' } = { connection: 'close' }): void {
    this.reply.hijack();
    const headers = this.reply.getHeaders() as Record<string, string>;
    this.response.writeHead(200, { ...headers, ...HEADERS, ...connection });
    this.heartbeat = setInterval(() => this.beat(), this.timings.heartbeatMs);
  }

  /** Where the reader is slow, a promise that resolves when it has taken it, so that more is made only then. */
  send(text: string | Buffer): Promise<void> | undefined {
    return this.isOver || this.response.write(text) ? undefined : this.drained();
  }

  private async drained(): Promise<void> {
    const signal = AbortSignal.any([this.over.signal, AbortSignal.timeout(this.timings.drainMs)]);
    const isDrained = await once(this.response, 'drain', { signal }).then(
      () => true,
      () => false,
    );
    if (!isDrained) this.end();
  }

  /** Lets nothing more be sent. */
  end(): void {
    this.over.abort(OVER);
  }

  /** @param lastWord what is still sent, to who has taken everything before it */
  hangUp(lastWord: string): void {
    clearInterval(this.heartbeat);
    this.end();
    const { response } = this;
    // Fastify writes the request's log line on `finish` or `error`; a reader who leaves causes neither.
    const tell = () => response.writableFinished || response.emit('error', new Error('the reader has left'));
    const late = setTimeout(() => response.destroy(), this.timings.farewellMs);
    if (response.closed) tell();
    else response.once('close', tell);
    response.once('close', () => clearTimeout(late));
    if (response.closed) clearTimeout(late);
    else if (response.writableNeedDrain) response.destroy();
    else response.end(lastWord);
  }

  private beat(): void {
    if (!this.isOver && !this.response.writableNeedDrain) this.response.write(HEARTBEAT);
  }
}
