/** One reader's open connection: sends what is there, waits for more, and ends when it must. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventPage } from '../events/event-log.ts';
import type { Watcher } from '../events/hub.ts';
import { toErrorEnvelope } from './error-answers.ts';
import { HEARTBEAT, toErrorFrame, toFrame, toRetryFrame } from './event-format.ts';

export interface ConnectionTimings {
  readonly heartbeatMs: number;
  /** Between two checks that the caller may still read. */
  readonly recheckMs: number;
  /** A reader that takes longer to take what was sent is cut off. */
  readonly drainMs: number;
  /** How long the last bytes may take. */
  readonly farewellMs: number;
  /** The least that a reader waits before it comes back. */
  readonly retryMs: number;
}

export interface ConnectionOptions {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly cursor: number;
  /** Of whose events these are, where that is told. */
  readonly history: string | undefined;
  readonly watcher: Watcher;
  readonly timings: ConnectionTimings;
  /** Fails where what was sent up to that number is no more. */
  readonly read: (afterSeq: number) => Promise<EventPage>;
  /** Fails once the caller may read no further. */
  readonly recheck: () => Promise<unknown>;
}

const HEADERS = {
  'content-type': 'text/event-stream',
  // Proxies that gather an answer before they pass it on would hold back every event.
  'x-accel-buffering': 'no',
  connection: 'close',
};

export class EventConnection {
  private readonly options: ConnectionOptions;
  private readonly response: ServerResponse;
  private readonly over = new AbortController();
  private cursor: number;
  private lastWord = '';

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.response = options.reply.raw;
    this.cursor = options.cursor;
  }

  /** Resolves when the connection has ended; never fails. */
  async run(): Promise<void> {
    const { request, reply, timings } = this.options;
    this.response.on('error', () => undefined).once('close', () => this.end());
    if (this.response.destroyed) this.end();
    const heartbeat = setInterval(() => this.beat(), timings.heartbeatMs);
    try {
      this.response.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...HEADERS });
      // Spread over time, or all readers of a server that stops would come back at once.
      await this.send(toRetryFrame(timings.retryMs * (1 + 2 * Math.random())));
      await Promise.race([this.deliver(), this.watchAccess()]);
    } catch (error) {
      const envelope = toErrorEnvelope(error, request.id);
      // What is our own trouble is no refusal: the reader comes back and goes on where it was.
      if (envelope.code >= 500) request.log.warn({ err: error }, 'an event stream was cut off');
      else this.lastWord = toErrorFrame(envelope);
    }
    clearInterval(heartbeat);
    this.end();
    this.hangUp();
  }

  /** Lets nothing more be sent. */
  end(): void {
    this.over.abort();
    this.options.watcher.wake();
  }

  private get isOver(): boolean {
    return this.over.signal.aborted;
  }

  private async deliver(): Promise<void> {
    const { read, watcher, history } = this.options;
    while (!this.isOver) {
      const { events, lastSeq, isClosed } = await read(this.cursor);
      if (this.isOver) return;
      if (events.length > 0) await this.send(events.map((event) => toFrame(event, history)).join(''));
      this.cursor = events.at(-1)?.seq ?? this.cursor;
      const isAtEnd = events.length === 0 || this.cursor >= lastSeq;
      if (isAtEnd && isClosed) return;
      if (isAtEnd) await watcher.changed();
    }
  }

  /** Returns when the connection is over, fails when it must be. */
  private async watchAccess(): Promise<void> {
    const { recheck, timings } = this.options;
    const isTime = () => sleep(timings.recheckMs, true, { signal: this.over.signal }).catch(() => false);
    while (await isTime()) await recheck();
  }

  private beat(): void {
    if (!this.isOver && !this.response.writableNeedDrain) this.response.write(HEARTBEAT);
  }

  /** Resolves when the reader has taken it, so that the next page is read only then. */
  private async send(text: string): Promise<void> {
    if (this.isOver || this.response.write(text)) return;
    const { drainMs } = this.options.timings;
    const signal = AbortSignal.any([this.over.signal, AbortSignal.timeout(drainMs)]);
    const isDrained = await once(this.response, 'drain', { signal }).then(
      () => true,
      () => false,
    );
    if (!isDrained) this.end();
  }

  private hangUp(): void {
    const { response } = this;
    // Fastify writes the request's log line on `finish` or `error`; a reader who leaves causes neither.
    const tell = () => response.writableFinished || response.emit('error', new Error('the reader has left'));
    const late = setTimeout(() => response.destroy(), this.options.timings.farewellMs);
    if (response.closed) tell();
    else response.once('close', tell);
    response.once('close', () => clearTimeout(late));
    if (response.closed) clearTimeout(late);
    else if (response.writableNeedDrain) response.destroy();
    else response.end(this.lastWord);
  }
}
