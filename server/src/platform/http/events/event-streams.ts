/** Responds with the events of a resource as they occur: connection limits, permissions and resumption. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Budget, type BudgetLimits, connectionBudget } from '../../admission/budget.ts';
import type { Db } from '../../db/connect.ts';
import { ApiError, invalidValue, notFound } from '../../errors.ts';
import { type EventFeed, type EventPage, listEvents } from '../../events/event-log.ts';
import type { EventHub, Watcher } from '../../events/hub.ts';
import { forgetUnused } from '../../events/watched-streams.ts';
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
  /** User whose connections are counted together; undefined for public streams. */
  readonly userId: string | undefined;
  /** Checks permissions and finds the stream; repeated while it is open. */
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

/** Rows per page, which together with the byte limit of a page bounds the memory per reader. */
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

  /** Time for which a reader may stop reading. */
  get drainMs(): number {
    return this.timings.drainMs;
  }

  /** Number of readers connected to this process. */
  get openCount(): number {
    return this.slots.taken;
  }

  /** Errors before the first byte are ordinary error responses. */
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
      // The notification may have arrived after the end of the resource.
      await recheck();
      const { isClosed, lastSeq } = await listEvents(db, stream, cursor.seq, 1);
      requireSameHistory(cursor, stream);
      const { isLatest = false } = cursor;
      const seq = isLatest ? lastSeq : cursor.seq;
      // 204 is the only status that stops a browser from reconnecting.
      if (isClosed && seq >= lastSeq) return reply.code(204).send();
      requireReached(seq, lastSeq);
      await this.connect({ request, reply, cursor: seq, isLatest, recheck, watcher, stream });
      return reply;
    } finally {
      watcher?.close();
      free();
    }
  }

  /** Progress events of an operation form a stream like the others, with the same limits. */
  follow(work: FollowedWork): Promise<FastifyReply> {
    return followWork(work, this.slots, this.timings);
  }

  /** Runs the same operation for a caller that waits for the final response only. */
  attend<Result>(work: Work<Result>): Promise<Result> {
    return attendWork(work, this.timings);
  }

  /** Sends events produced by the handler. Such a stream ends by itself, and does not count as an open event stream. */
  relay(
    chunks: AsyncIterable<Buffer>,
    headers: Readonly<Record<string, string>>,
    to: Pick<Subscription, 'request' | 'reply'>,
  ): Promise<FastifyReply> {
    return relayEvents(chunks, headers, to, this.timings);
  }

  /** Ends every stream; later ones end at once. Their readers reconnect to another process. */
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
    // The resource was probably deleted, in which case the reader receives that error.
    if (page.lastSeq < after) await recheck();
    requireReached(after, page.lastSeq);
    if (!stream.fill || page.events.length === 0) return page;
    return { ...page, events: await stream.fill(page.events) };
  }

  /** Fails when the caller is no longer authorized, or the events read no longer exist. */
  private async recheck(stream: EventFeed, locate: Subscription['locate']): Promise<void> {
    try {
      const { streamId, history } = await locate();
      if (streamId !== stream.streamId || history !== stream.history)
        throw notFound('The resource of these events');
    } catch (error) {
      // A mark set during the deletion would remain, so it is removed.
      if (error instanceof ApiError && error.status === 404) await forgetUnused(this.options.db, stream);
      throw error;
    }
  }
}

/** Fails when the resource was deleted and created again with the same id. */
function requireSameHistory(cursor: Cursor, stream: EventFeed): void {
  if (cursor.history === undefined || cursor.history === stream.history) return;
  throw invalidValue(['header', 'last-event-id'], 'belongs to a deleted resource; start without it');
}

/** A cursor beyond the last event belongs to a lost history, for example from before a restored backup: waiting would skip new events. */
function requireReached(cursor: number, lastSeq: number): void {
  if (cursor <= lastSeq) return;
  const msg = `is beyond the last event, which is ${lastSeq}; begin without it`;
  throw invalidValue(['header', 'last-event-id'], msg);
}
