/** The open connection of one event reader: sends existing events, waits for more, and ends when necessary. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventPage } from '../../events/event-log.ts';
import type { Watcher } from '../../events/hub.ts';
import { toErrorBody } from '../responses/error-responses.ts';
import { toErrorFrame, toFrame, toRetryFrame } from './event-format.ts';
import { EventWriter, type WriterTimings } from './event-writer.ts';

export interface ConnectionTimings extends WriterTimings {
  /** Milliseconds between two checks of the caller's permission. */
  readonly recheckMs: number;
  /** Minimum delay before a reader reconnects. */
  readonly retryMs: number;
}

export interface ConnectionOptions {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly cursor: number;
  /** True when the reader gave no cursor, so that an event `start` reports it. */
  readonly isLatest: boolean;
  /** Identifies the resource of these events, for streams that report it. */
  readonly history: string | undefined;
  readonly watcher: Watcher;
  readonly timings: ConnectionTimings;
  /** Fails when events up to that number no longer exist. */
  readonly read: (afterSeq: number) => Promise<EventPage>;
  /** Fails when the caller is no longer authorized. */
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
      // Randomized, since all readers of a stopping server would otherwise reconnect at once.
      const retry = toRetryFrame(timings.retryMs * (1 + 2 * Math.random()));
      await this.writer.send(
        isLatest ? retry + toFrame({ seq: this.cursor, type: 'start', data: {} }, history) : retry,
      );
      await Promise.race([this.deliver(), this.watchAccess()]);
    } catch (error) {
      const envelope = toErrorBody(error, request);
      // Internal problems are not refusals: the reader reconnects and continues.
      if (envelope.code >= 500) request.log.warn({ err: error }, 'an event stream was cut off');
      else lastWord = toErrorFrame(envelope);
    }
    this.writer.hangUp(lastWord);
  }

  /** Prevents further sending. */
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

/** Resolves when the connection is over, and fails when the caller is no longer authorized. */
async function watchAccess(
  recheck: () => Promise<unknown>,
  recheckMs: number,
  over: AbortSignal,
): Promise<void> {
  const isTime = () => sleep(recheckMs, true, { signal: over }).catch(() => false);
  while (await isTime()) await recheck();
}
