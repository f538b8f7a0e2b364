/** The open response of one event reader: written with backpressure, and ended when necessary. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { HEARTBEAT } from './event-format.ts';

export interface WriterTimings {
  readonly heartbeatMs: number;
  /** Milliseconds after which a reader that stopped reading is cut off. */
  readonly drainMs: number;
  /** Time for sending the last bytes. */
  readonly farewellMs: number;
}

const HEADERS = {
  'content-type': 'text/event-stream',
  // Proxies that buffer responses would delay every event.
  'x-accel-buffering': 'no',
};

/** One shared error, since it is never read and each instance would cost a stack trace. */
const OVER = new Error('the response has ended');

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

  /** Aborted when nothing more can be sent: the reader disconnected or stopped reading, or the end was decided here. */
  get signal(): AbortSignal {
    return this.over.signal;
  }

  get isOver(): boolean {
    return this.over.signal.aborted;
  }

  get hasBegun(): boolean {
    return this.response.headersSent;
  }

  /** Takes over the response from Fastify; later errors cannot change the status. */
  begin(connection: { readonly connection?: 'close' } = { connection: 'close' }): void {
    this.reply.hijack();
    const headers = this.reply.getHeaders() as Record<string, string>;
    this.response.writeHead(200, { ...headers, ...HEADERS, ...connection });
    this.heartbeat = setInterval(() => this.beat(), this.timings.heartbeatMs);
  }

  /** Returns a promise when the reader is slow, which resolves when it has caught up, so that producers wait. */
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

  /** Prevents further sending. */
  end(): void {
    this.over.abort(OVER);
  }

  /** @param lastWord final text for a reader that has received everything before it */
  hangUp(lastWord: string): void {
    clearInterval(this.heartbeat);
    this.end();
    const { response } = this;
    // Fastify logs a request on `finish` or `error`; a disconnecting reader causes neither.
    const notify = () =>
      response.writableFinished || response.emit('error', new Error('the reader has disconnected'));
    const late = setTimeout(() => response.destroy(), this.timings.farewellMs);
    if (response.closed) notify();
    else response.once('close', notify);
    response.once('close', () => clearTimeout(late));
    if (response.closed) clearTimeout(late);
    else if (response.writableNeedDrain) response.destroy();
    else response.end(lastWord);
  }

  private beat(): void {
    if (!this.isOver && !this.response.writableNeedDrain) this.response.write(HEARTBEAT);
  }
}
