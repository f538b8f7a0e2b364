/** The process's one LISTEN connection: it is reopened whenever it is lost, and counts as working only after a probe has arrived. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type pg from 'pg';
import type { Db } from '../db/connect.ts';
import { openClient } from '../db/open-client.ts';
import type { Log } from '../log.ts';
import { uuidv7 } from '../uuid.ts';
import { NOTIFY_CHANNEL } from './event-log.ts';

export interface ListenTimings {
  /** Milliseconds that a probe may take to arrive. */
  readonly probeMs: number;
  /** Milliseconds until a connection is probed again, or LISTEN is retried after a failure. */
  readonly recheckMs: number;
  readonly firstBackoffMs: number;
  readonly maxBackoffMs: number;
}

export interface ListenOptions {
  /** Address that bypasses any pooler, if there is one. */
  readonly url: string;
  /** The database from whose pool the probe is sent. */
  readonly db: Db;
  readonly log: Log;
  readonly timings: ListenTimings;
  readonly onNotification: (payload: string) => void;
  readonly onModeChange: (mode: 'listening' | 'disconnected') => void;
}

const TROUBLES = {
  undelivered:
    'notifications do not arrive, so events are polled; DATABASE_DIRECT_URL must lead past the pooler',
  failed: 'cannot listen for events; they are polled meanwhile',
};

type Trouble = keyof typeof TROUBLES;

export class NotificationListener {
  private readonly options: ListenOptions;
  private readonly closing = new AbortController();
  private readonly running: Promise<void>;

  constructor(options: ListenOptions) {
    this.options = options;
    this.running = this.run();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await Promise.race([this.running, sleep(this.options.timings.probeMs, undefined, { ref: false })]);
  }

  private async run(): Promise<void> {
    const { timings, log, onModeChange } = this.options;
    let backoffMs = timings.firstBackoffMs;
    let lastTrouble: string | undefined;
    while (!this.closing.signal.aborted) {
      const { trouble, error } = await this.listen();
      onModeChange('disconnected');
      // Logged once, not at every attempt.
      if (trouble && trouble !== lastTrouble) log.warn(error ? { err: error } : {}, TROUBLES[trouble]);
      lastTrouble = trouble;
      await this.pause(trouble === 'undelivered' ? timings.recheckMs : backoffMs * (0.5 + Math.random()));
      backoffMs =
        trouble === 'failed' ? Math.min(backoffMs * 2, timings.maxBackoffMs) : timings.firstBackoffMs;
    }
  }

  /** Listens until the connection is lost. */
  private async listen(): Promise<{ trouble?: Trouble; error?: unknown }> {
    const { url, timings, onNotification, onModeChange } = this.options;
    let client: pg.Client | undefined;
    let wasListening = false;
    try {
      client = await openClient(url, 'events');
      const lost = new AbortController();
      client.once('end', () => lost.abort());
      const isOver = () => lost.signal.aborted || this.closing.signal.aborted;
      client.on('notification', ({ payload = '' }) => onNotification(payload));
      await client.query(`LISTEN ${NOTIFY_CHANNEL}`);
      while (!isOver() && (await this.probe(client))) {
        if (!wasListening) onModeChange('listening');
        wasListening = true;
        await this.pause(timings.recheckMs, lost.signal);
      }
      if (wasListening || this.closing.signal.aborted) return {};
      return { trouble: lost.signal.aborted ? 'failed' : 'undelivered' };
    } catch (error) {
      return wasListening ? {} : { trouble: 'failed', error };
    } finally {
      if (client) await hangUp(client, timings.probeMs);
    }
  }

  /**
   * Behind a pooler in transaction mode LISTEN seems to work, but nothing arrives. The probe is sent from another connection, since a
   * connection's own notifications can arrive even there.
   */
  private async probe(client: pg.Client): Promise<boolean> {
    const payload = `probe/${uuidv7()}`;
    const delivered = Promise.withResolvers<boolean>();
    const listen = (notification: pg.Notification) => {
      if (notification.payload === payload) delivered.resolve(true);
    };
    const giveUp = () => delivered.resolve(false);
    client.on('notification', listen).once('end', giveUp);
    try {
      await sql`SELECT pg_notify(${NOTIFY_CHANNEL}, ${payload})`.execute(this.options.db);
      const late = setTimeout(giveUp, this.options.timings.probeMs);
      return await delivered.promise.finally(() => clearTimeout(late));
    } finally {
      client.off('notification', listen).off('end', giveUp);
    }
  }

  private async pause(ms: number, signal?: AbortSignal): Promise<void> {
    const signals = signal ? [signal, this.closing.signal] : [this.closing.signal];
    await sleep(ms, undefined, { signal: AbortSignal.any(signals) }).catch(() => undefined);
  }
}

/** Closes the connection. If the other side is silent, the operating system releases the socket after a while. */
async function hangUp(client: pg.Client, timeoutMs: number): Promise<void> {
  const ended = client.end().catch(() => undefined);
  await Promise.race([ended, sleep(timeoutMs, undefined, { ref: false })]);
}
