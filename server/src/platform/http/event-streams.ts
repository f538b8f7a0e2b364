/** Answers with the events of a resource as they come: who may connect, and the way back down. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Budget, type BudgetLimits, connectionBudget } from '../admission/budget.ts';
import type { Db } from '../db/connect.ts';
import { ApiError, invalidValue, notFound } from '../errors.ts';
import { type EventFeed, type EventPage, listEvents } from '../events/event-log.ts';
import type { EventHub, Watcher } from '../events/hub.ts';
import { forgetUnused } from '../events/watched-streams.ts';
import { type ConnectionTimings, EventConnection } from './event-connection.ts';
import { type Cursor, readLastEventId } from './event-format.ts';
import { attendWork, type FollowedWork, followWork, type Work } from './live-work.ts';
import { relayEvents } from './relayed-events.ts';

export interface EventStreamsOptions {
  readonly db: Db;
  readonly hub: EventHub;
  readonly limits?: Partial<BudgetLimits>;
  readonly timings?: Partial<ConnectionTimings>;
}

export interface Subscription {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Whose connections are counted together; undefined for the public. */
  readonly userId: string | undefined;
  /** Passes the entrance and finds the stream; asked again while it is open. */
  readonly locate: () => Promise<EventFeed>;
}

const LIMITS: BudgetLimits = { perOwner: 20, total: 1_000 };
const TIMINGS: ConnectionTimings = {
  heartbeatMs: 15_000,
  recheckMs: 10_000,
  drainMs: 30_000,
  farewellMs: 2_000,
  retryMs: 1_000,
};

/** With the bound on a page's bytes, what one reader can take of this process's memory. */
const PAGE_ROWS = 200;

export class EventStreams {
  private readonly options: EventStreamsOptions;
  private readonly slots: Budget;
  private readonly timings: ConnectionTimings;
  private readonly connections = new Set<EventConnection>();
  private isClosing = false;

  constructor(options: EventStreamsOptions) {
    this.options = options;
    this.slots = connectionBudget('event streams', { ...LIMITS, ...options.limits });
    this.timings = { ...TIMINGS, ...options.timings };
  }

  /** For how long a reader may take nothing. */
  get drainMs(): number {
    return this.timings.drainMs;
  }

  /** How many readers are connected to this process. */
  get openCount(): number {
    return this.slots.taken;
  }

  /** Until the first byte, whatever fails is answered as in any operation. */
  async serve({ request, reply, userId, locate }: Subscription): Promise<FastifyReply> {
    const { db, hub } = this.options;
    const cursor = readLastEventId(request.headers);
    const stream = await locate();
    const free = this.slots.hold(userId);
    let watcher: Watcher | undefined;
    try {
      watcher = hub.watch(stream);
      await watcher.arm();
      const recheck = () => this.recheck(stream, locate);
      // The mark may have come after the end of what it is for.
      await recheck();
      const { isClosed, lastSeq } = await listEvents(db, stream, cursor.seq, 1);
      requireSameHistory(cursor, stream);
      const { isLatest = false } = cursor;
      const seq = isLatest ? lastSeq : cursor.seq;
      // The one status that makes a browser stop coming back.
      if (isClosed && seq >= lastSeq) return reply.code(204).send();
      requireReached(seq, lastSeq);
      await this.connect({ request, reply, cursor: seq, isLatest, recheck, watcher, stream });
      return reply;
    } finally {
      watcher?.close();
      free();
    }
  }

  /** What an operation tells while it works is a stream like the others, under the same limits. */
  follow(work: FollowedWork): Promise<FastifyReply> {
    return followWork(work, this.slots, this.timings);
  }

  /** The same operation, for who waits for its answer alone. */
  attend<Result>(work: Work<Result>): Promise<Result> {
    return attendWork(work, this.timings);
  }

  /** Sends events that the handler makes. Such a stream ends by itself, and does not count as an open event stream. */
  relay(
    chunks: AsyncIterable<Buffer>,
    headers: Readonly<Record<string, string>>,
    to: Pick<Subscription, 'request' | 'reply'>,
  ): Promise<FastifyReply> {
    return relayEvents(chunks, headers, to, this.timings);
  }

  /** Ends every stream; one that begins after this ends at once. Its reader goes on elsewhere. */
  close(): void {
    this.isClosing = true;
    for (const connection of this.connections) connection.end();
  }

  private async connect({
    request,
    reply,
    cursor,
    isLatest,
    recheck,
    watcher,
    stream,
  }: Pick<Subscription, 'request' | 'reply'> & {
    readonly cursor: number;
    readonly isLatest: boolean;
    readonly recheck: () => Promise<void>;
    readonly watcher: Watcher;
    readonly stream: EventFeed;
  }): Promise<void> {
    const connection = new EventConnection({
      request,
      reply,
      cursor,
      isLatest,
      history: stream.history,
      watcher,
      timings: this.timings,
      read: (after) => this.read(stream, after, recheck),
      recheck,
    });
    this.connections.add(connection);
    if (this.isClosing) connection.end();
    try {
      await connection.run();
    } finally {
      this.connections.delete(connection);
    }
  }

  private async read(stream: EventFeed, after: number, recheck: () => Promise<void>): Promise<EventPage> {
    const page = await listEvents(this.options.db, stream, after, PAGE_ROWS);
    // Deleted, as a rule, and then that is what the reader is told.
    if (page.lastSeq < after) await recheck();
    requireReached(after, page.lastSeq);
    if (!stream.fill || page.events.length === 0) return page;
    return { ...page, events: await stream.fill(page.events) };
  }

  /** Fails once the caller may read no further, or what was read is no more. */
  private async recheck(stream: EventFeed, locate: Subscription['locate']): Promise<void> {
    try {
      const { streamId, history } = await locate();
      if (streamId !== stream.streamId || history !== stream.history)
        throw notFound('What these events are of');
    } catch (error) {
      // Marked while it was being deleted, it would be left over.
      if (error instanceof ApiError && error.status === 404) await forgetUnused(this.options.db, stream);
      throw error;
    }
  }
}

/** The resource was deleted, and has a successor of the same id. */
function requireSameHistory(cursor: Cursor, stream: EventFeed): void {
  if (cursor.history === undefined || cursor.history === stream.history) return;
  throw invalidValue(['header', 'last-event-id'], 'is of what is deleted since; begin without it');
}

/** Beyond the last event lies a history that is no more, as of before a backup was restored: waiting would pass over what is new. */
function requireReached(cursor: number, lastSeq: number): void {
  if (cursor <= lastSeq) return;
  const msg = `is beyond the last event, which is ${lastSeq}; begin without it`;
  throw invalidValue(['header', 'last-event-id'], msg);
}
