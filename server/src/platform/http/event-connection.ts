/** One reader's open connection: sends what is there, waits for more, and ends when it must. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventPage } from '../events/event-log.ts';
import type { Watcher } from '../events/hub.ts';
import { toToldError } from './error-answers.ts';
import { toErrorFrame, toFrame, toRetryFrame } from './event-format.ts';
import { EventWriter, type WriterTimings } from './event-writer.ts';

export interface ConnectionTimings extends WriterTimings {
  /** Between two checks that the caller may still read. */
  readonly recheckMs: number;
  /** The least that a reader waits before it comes back. */
  readonly retryMs: number;
}

export interface ConnectionOptions {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly cursor: number;
  /** The cursor was not given by the reader, and is told with an event `start`. */
  readonly isLatest: boolean;
  /** Of whose events these are, where that is told. */
  readonly history: string | undefined;
  readonly watcher: Watcher;
  readonly timings: ConnectionTimings;
  /** Fails where what was sent up to that number is no more. */
  readonly read: (afterSeq: number) => Promise<EventPage>;
  /** Fails once the caller may read no further. */
  readonly recheck: () => Promise<unknown>;
}

export class EventConnection {
  private readonly options: ConnectionOptions;
  private readonly writer: EventWriter;
  private cursor: number;

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.writer = new EventWriter(options.reply, options.timings);
    this.cursor = options.cursor;
    this.writer.signal.addEventListener('abort', () => options.watcher.wake());
  }

  /** Resolves when the connection has ended; never fails. */
  async run(): Promise<void> {
    const { request, timings, isLatest, history } = this.options;
    let lastWord = '';
    try {
      this.writer.begin();
      // Spread over time, or all readers of a server that stops would come back at once.
      const retry = toRetryFrame(timings.retryMs * (1 + 2 * Math.random()));
      await this.writer.send(
        isLatest ? retry + toFrame({ seq: this.cursor, type: 'start', data: {} }, history) : retry,
      );
      await Promise.race([this.deliver(), this.watchAccess()]);
    } catch (error) {
      const envelope = toToldError(error, request);
      // What is our own trouble is no refusal: the reader comes back and goes on where it was.
      if (envelope.code >= 500) request.log.warn({ err: error }, 'an event stream was cut off');
      else lastWord = toErrorFrame(envelope);
    }
    this.writer.hangUp(lastWord);
  }

  /** Lets nothing more be sent. */
  end(): void {
    this.writer.end();
  }

  private async deliver(): Promise<void> {
    const { read, watcher, history } = this.options;
    while (!this.writer.isOver) {
      const { events, lastSeq, isClosed } = await read(this.cursor);
      if (this.writer.isOver) return;
      if (events.length > 0) await this.writer.send(events.map((event) => toFrame(event, history)).join(''));
      this.cursor = events.at(-1)?.seq ?? this.cursor;
      const isAtEnd = events.length === 0 || this.cursor >= lastSeq;
      if (isAtEnd && isClosed) return;
      if (isAtEnd) await watcher.changed();
    }
  }

  private async watchAccess(): Promise<void> {
    await watchAccess(this.options.recheck, this.options.timings.recheckMs, this.writer.signal);
  }
}

/** Returns when it is over, fails when the caller may go on no more. */
async function watchAccess(
  recheck: () => Promise<unknown>,
  recheckMs: number,
  over: AbortSignal,
): Promise<void> {
  const isTime = () => sleep(recheckMs, true, { signal: over }).catch(() => false);
  while (await isTime()) await recheck();
}
