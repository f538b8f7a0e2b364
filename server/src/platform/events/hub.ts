/** Wakes the readers of this process when their stream has moved: one connection and one query serve all of them. */
import type { Db } from '../db/connect.ts';
import type { Log } from '../log.ts';
import type { EventStreamId } from './event-log.ts';
import { type ListenTimings, NotificationListener } from './notifications.ts';
import { listHeads, markWatched, renewWatched, type StreamHead } from './watched-streams.ts';

export interface HubTimings extends ListenTimings {
  /** Milliseconds between two polls of all watched streams when notifications do not arrive. */
  readonly pollMs: number;
  /** The same when notifications arrive: a notification is a hint, not a guarantee. */
  readonly floorPollMs: number;
  /** Seconds for which the mark of a watched stream is valid, and milliseconds between its renewals. */
  readonly watchedSeconds: number;
  readonly renewMs: number;
}

const TIMINGS: HubTimings = {
  pollMs: 1_000,
  floorPollMs: 5_000,
  watchedSeconds: 60,
  renewMs: 20_000,
  probeMs: 2_000,
  recheckMs: 60_000,
  firstBackoffMs: 100,
  maxBackoffMs: 10_000,
};

export interface HubOptions {
  readonly db: Db;
  /** Address for LISTEN that bypasses any pooler; when undefined, the hub polls. */
  readonly listenUrl: string | undefined;
  readonly log: Log;
  readonly timings?: Partial<HubTimings>;
}

/** One reader's registration in the hub. */
export interface Watcher {
  /** Resolves when every writer either has committed or will notify. The reader must read only after that. */
  arm(): Promise<void>;
  /** Resolves when there may be something to read that was not there at the last call; immediately if there already is. */
  changed(): Promise<void>;
  /** Ends the current wait. */
  wake(): void;
  close(): void;
}

interface Watched {
  readonly stream: EventStreamId;
  readonly wakes: Set<() => void>;
  /** When the stream was last marked as watched, by the clock of this process, before the statement was sent. */
  armedAt: number;
  arming: Promise<void> | undefined;
  seen: StreamHead | undefined;
}

export class EventHub {
  private readonly options: HubOptions;
  private readonly timings: HubTimings;
  private readonly watched = new Map<string, Watched>();
  private listener: NotificationListener | undefined;
  /** In the state "deaf", writers need not notify on behalf of this process. */
  private listenState: 'connecting' | 'listening' | 'disconnected' = 'connecting';
  private isClosed = false;
  private pollTimer: NodeJS.Timeout | undefined;
  private renewTimer: NodeJS.Timeout | undefined;

  constructor(options: HubOptions) {
    this.options = options;
    this.timings = { ...TIMINGS, ...options.timings };
  }

  get mode(): 'listening' | 'polling' {
    return this.listenState === 'listening' ? 'listening' : 'polling';
  }

  /**
   * Registers a reader so that it misses no event: the reader is registered here first, then marks the stream as watched, then reads. A
   * writer that took the stream's lock before the mark has committed when the mark is set, since the mark waits for that lock, so the read
   * sees its events. A writer that takes the lock afterwards sees the mark and notifies, and the reader, already registered, reads again.
   * While notifications do not arrive, nothing is marked, and what the poll finds wakes the reader; when they arrive again, all streams are
   * marked and all readers woken.
   */
  watch(stream: EventStreamId): Watcher {
    this.start();
    const key = keyOf(stream);
    const found = this.watched.get(key);
    const watched = found ?? {
      stream,
      wakes: new Set(),
      armedAt: -Infinity,
      arming: undefined,
      seen: undefined,
    };
    this.watched.set(key, watched);

    const bell = createBell();
    watched.wakes.add(bell.ring);
    return {
      arm: () => this.arm(watched),
      changed: bell.next,
      wake: bell.ring,
      close: () => {
        watched.wakes.delete(bell.ring);
        if (watched.wakes.size === 0 && this.watched.get(key) === watched) this.watched.delete(key);
      },
    };
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.pollTimer);
    clearInterval(this.renewTimer);
    await this.listener?.close();
  }

  private start(): void {
    if (this.renewTimer || this.isClosed) return;
    const { db, listenUrl, log } = this.options;
    this.renewTimer = setInterval(() => void this.renew(), this.timings.renewMs);
    this.schedulePoll();
    if (!listenUrl) {
      this.listenState = 'disconnected';
      return;
    }
    this.listener = new NotificationListener({
      url: listenUrl,
      db,
      log,
      timings: this.timings,
      onNotification: (payload) => this.wake(this.watched.get(payload)),
      onModeChange: (mode) => void this.changeMode(mode),
    });
  }

  /** Wakes all readers at the end: no process received the notifications sent in between. */
  private async changeMode(mode: 'listening' | 'disconnected'): Promise<void> {
    if (this.listenState === mode) return;
    this.listenState = mode;
    this.schedulePoll();
    await this.renew();
    for (const watched of this.watched.values()) this.wake(watched);
  }

  private wake(watched: Watched | undefined): void {
    for (const wake of watched?.wakes ?? []) wake();
  }

  /** Readers of one stream share the statement, and a reader that arrives while the mark is valid needs none. */
  private arm(watched: Watched): Promise<void> {
    const isArmed = performance.now() - watched.armedAt < this.timings.renewMs;
    if (isArmed || this.listenState === 'disconnected') return Promise.resolve();
    watched.arming ??= this.mark(watched).finally(() => (watched.arming = undefined));
    return watched.arming;
  }

  private async mark(watched: Watched): Promise<void> {
    const began = performance.now();
    await markWatched(this.options.db, watched.stream, this.timings.watchedSeconds);
    watched.armedAt = began;
  }

  private async renew(): Promise<void> {
    if (this.watched.size === 0 || this.listenState === 'disconnected') return;
    const began = performance.now();
    const streams = [...this.watched.values()].map(({ stream }) => stream);
    try {
      for (const stream of await renewWatched(this.options.db, streams, this.timings.watchedSeconds)) {
        const watched = this.watched.get(keyOf(stream));
        if (watched) watched.armedAt = began;
      }
    } catch (error) {
      this.options.log.warn({ err: error }, 'could not tell the writers that their events are watched');
    }
  }

  private schedulePoll(): void {
    clearTimeout(this.pollTimer);
    if (this.isClosed) return;
    const delayMs = this.listenState === 'listening' ? this.timings.floorPollMs : this.timings.pollMs;
    this.pollTimer = setTimeout(() => void this.poll(), delayMs);
  }

  private async poll(): Promise<void> {
    const timer = this.pollTimer;
    try {
      const streams = [...this.watched.values()].map(({ stream }) => stream);
      for (const head of streams.length > 0 ? await listHeads(this.options.db, streams) : []) {
        const watched = this.watched.get(keyOf(head));
        if (!watched || isSame(watched.seen, head)) continue;
        watched.seen = head;
        this.wake(watched);
      }
    } catch (error) {
      this.options.log.warn({ err: error }, 'could not look for events');
    }
    // Keeps a timer that a change of mode has set in between.
    if (this.pollTimer === timer) this.schedulePoll();
  }
}

/** Key of a stream, as in the notification's payload. */
const keyOf = ({ organizationId, streamId }: EventStreamId) => `${organizationId}/${streamId}`;

const isSame = (seen: StreamHead | undefined, head: StreamHead) =>
  seen?.lastSeq === head.lastSeq && seen.isClosed === head.isClosed;

/** A wake while no reader waits is kept for the next wait. */
function createBell() {
  let isRung = false;
  let waiting: (() => void) | undefined;
  return {
    ring: () => {
      isRung = true;
      waiting?.();
    },
    next: async () => {
      if (!isRung) await new Promise<void>((resolve) => (waiting = resolve));
      waiting = undefined;
      isRung = false;
    },
  };
}
