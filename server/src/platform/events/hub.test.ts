import { setTimeout as sleep } from 'node:timers/promises';
import { type KyselyPlugin, sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { startPostgresProxy } from '../../../test/postgres-proxy.ts';
import { until } from '../../../test/processes.ts';
import { transaction } from '../db/transaction.ts';
import { createLog } from '../log.ts';
import { uuidv7 } from '../uuid.ts';
import { appendEvents, type EventStreamId } from './event-log.ts';
import { EventHub, type HubOptions, type Watcher } from './hub.ts';
import { renewWatched } from './watched-streams.ts';

const { db, url } = await startTestServer();
const { id: organizationId } = await db
  .selectFrom('organizations')
  .select('id')
  .where('key', '=', 'main')
  .executeTakeFirstOrThrow();

const NEVER = 3_600_000;
/** Polling is off, so that a change is noticed only through a notification. */
const ONLY_LISTENING = { pollMs: NEVER, floorPollMs: NEVER };

const log = createLog('fatal');

function createHub(options: Partial<HubOptions> = {}): EventHub {
  const hub = new EventHub({ db, listenUrl: url, log, ...options });
  afterAll(() => hub.close());
  return hub;
}

const newStream = (): EventStreamId => ({ organizationId, streamId: uuidv7() });
const append = (stream: EventStreamId) =>
  transaction(db, (trx) => appendEvents(trx, stream, [{ type: 'step', data: {} }]));
const isListening = (hub: EventHub) => until('notifications arrive', () => hub.mode === 'listening');

/** Whether the change arrives within this time: for changes that must not arrive. */
const comesWithin = (change: Promise<void>, ms: number): Promise<boolean> =>
  Promise.race([change.then(() => true), sleep(ms, false)]);

async function watch(hub: EventHub, stream: EventStreamId): Promise<Watcher> {
  const watcher = hub.watch(stream);
  await watcher.arm();
  return watcher;
}

/** Consumes all wakes so far, including that of the first notification, which follows a statement. */
async function settle(...watchers: readonly Watcher[]): Promise<void> {
  await sleep(1_000);
  for (const watcher of watchers) {
    watcher.wake();
    await watcher.changed();
  }
}

async function countConnections(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'drydock events'`.execute(db);
  return rows[0]?.count ?? 0;
}

const readWatchedMs = async (stream: EventStreamId) => {
  const { rows } = await sql<{ left: number }>`
    SELECT extract(epoch FROM watched_until - clock_timestamp()) * 1000 AS left FROM event_streams
     WHERE organization_id = ${stream.organizationId} AND id = ${stream.streamId}`.execute(db);
  return rows[0]?.left ?? 0;
};

describe('the hub with LISTEN', () => {
  test('wakes a watcher only for its own stream', async () => {
    const hub = createHub({ timings: ONLY_LISTENING });
    const [one, other] = [newStream(), newStream()];
    const watchers = [await watch(hub, one), await watch(hub, one), await watch(hub, other)] as const;
    await isListening(hub);
    await settle(...watchers);
    const [first, second, third] = watchers.map((watcher) => watcher.changed());
    await append(one);
    await Promise.all([first, second]);
    expect(await comesWithin(third as Promise<void>, 500)).toBe(false);
  });

  test('keeps a change that arrives while no reader waits, and reports it once', async () => {
    const hub = createHub({ timings: ONLY_LISTENING });
    const [stream, last] = [newStream(), newStream()];
    const [watcher, watcherOfLast] = [await watch(hub, stream), await watch(hub, last)];
    await isListening(hub);
    await settle(watcher, watcherOfLast);
    await append(stream);
    await append(stream);
    // Notifications arrive in the order of their transactions, so both have arrived with the third.
    await append(last);
    await watcherOfLast.changed();
    await watcher.changed();
    expect(await comesWithin(watcher.changed(), 200)).toBe(false);
  });

  test('connects when the first watcher begins, uses one connection for all, and closes it at the end', async () => {
    const hub = createHub({ timings: ONLY_LISTENING });
    const before = await countConnections();
    for (const stream of [newStream(), newStream(), newStream()]) await watch(hub, stream);
    await isListening(hub);
    expect(await countConnections()).toBe(before + 1);
    await hub.close();
    await until('it has gone', async () => (await countConnections()) === before);
  });

  test('reopens a lost connection and wakes readers for events written in between', async () => {
    const proxy = await startPostgresProxy(url);
    const hub = createHub({ listenUrl: proxy.url, timings: { ...ONLY_LISTENING, firstBackoffMs: 50 } });
    const stream = newStream();
    const watcher = await watch(hub, stream);
    await isListening(hub);
    proxy.isAway = true;
    proxy.cutAll();
    await until('the loss is noticed', () => hub.mode === 'polling');
    await settle(watcher);
    await append(stream);
    const change = watcher.changed();
    expect(await comesWithin(change, 300)).toBe(false);
    proxy.isAway = false;
    await change;
    expect(hub.mode).toBe('listening');
    await append(stream);
    await watcher.changed();
  });

  test('notices and replaces a connection on which nothing arrives any more', async () => {
    const proxy = await startPostgresProxy(url);
    const timings = { ...ONLY_LISTENING, probeMs: 200, recheckMs: 300 };
    const hub = createHub({ listenUrl: proxy.url, timings });
    await watch(hub, newStream());
    await isListening(hub);
    const [first] = proxy.connections;
    proxy.keepsNotifications = true;
    await until('the silence is noticed', () => hub.mode === 'polling');
    proxy.keepsNotifications = false;
    await isListening(hub);
    expect(first && proxy.connections.has(first)).toBe(false);
  });

  test('still polls all streams from time to time', async () => {
    const hub = createHub({ timings: { floorPollMs: 200, pollMs: NEVER } });
    const stream = newStream();
    const watcher = await watch(hub, stream);
    await isListening(hub);
    await settle(watcher);
    const change = watcher.changed();
    expect(await comesWithin(change, 500)).toBe(false);
    // An event by a writer who saw no reason to notify.
    await sql`UPDATE event_streams /* of every organization */ SET watched_until = NULL, last_seq = last_seq + 1
      WHERE organization_id = ${organizationId} AND id = ${stream.streamId}`.execute(db);
    await change;
  });
});

describe('the hub without LISTEN', () => {
  test('polls behind a pooler that drops notifications, and keeps retrying LISTEN', async () => {
    const proxy = await startPostgresProxy(url);
    proxy.keepsNotifications = true;
    const timings = { probeMs: 200, recheckMs: 2_000, pollMs: 100, floorPollMs: NEVER };
    const hub = createHub({ listenUrl: proxy.url, timings });
    const stream = newStream();
    const watcher = await watch(hub, stream);
    await until('LISTEN is tried', () => proxy.connections.size === 1);
    await until('LISTEN is given up', () => proxy.connections.size === 0);
    await settle(watcher);
    expect(hub.mode).toBe('polling');
    await append(stream);
    await watcher.changed();
    // Writers need not send notifications that no process receives.
    const other = newStream();
    await append(other);
    await watch(hub, other);
    expect(await readWatchedMs(other)).toBe(0);
    proxy.keepsNotifications = false;
    await isListening(hub);
    await until('the writers know', async () => (await readWatchedMs(other)) > 0);
  });

  test('checks all streams with one query, and wakes only the readers of those that moved', async () => {
    let queries = 0;
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => {
        queries++;
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const timings = { pollMs: 200 };
    const hub = createHub({ db: db.withPlugin(counting), listenUrl: undefined, timings });
    const streams = Array.from({ length: 30 }, newStream);
    const watchers = await Promise.all(streams.map((stream) => watch(hub, stream)));
    await settle(...watchers);
    queries = 0;
    const began = performance.now();
    const [moved = newStream()] = streams;
    const woken = new Set<EventStreamId>();
    for (const [at, watcher] of watchers.entries())
      void watcher.changed().then(() => woken.add(streams[at] as EventStreamId));
    await append(moved);
    await until('the reader is woken', () => woken.has(moved));
    await until('the hub has looked again', () => queries >= 5);
    expect([...woken]).toEqual([moved]);
    // One query per poll, which happens every 200 ms at most.
    expect(queries).toBeLessThanOrEqual((performance.now() - began) / timings.pollMs + 2);
  });

  test('polls while LISTEN cannot connect to the database, and listens as soon as it can', async () => {
    const proxy = await startPostgresProxy(url);
    proxy.isAway = true;
    const timings = { pollMs: 50, firstBackoffMs: 20, maxBackoffMs: 100 };
    const hub = createHub({ listenUrl: proxy.url, timings });
    const stream = newStream();
    const watcher = await watch(hub, stream);
    await settle(watcher);
    expect(hub.mode).toBe('polling');
    await append(stream);
    await watcher.changed();
    proxy.isAway = false;
    await isListening(hub);
  });
});

describe('the watched mark for the writers', () => {
  test('is set when the first reader begins to watch, renewed while readers watch, and lapses afterwards', async () => {
    const hub = createHub({ timings: { watchedSeconds: 5, renewMs: 200 } });
    const stream = newStream();
    const readUntil = async () => {
      const { rows } = await sql<{ until: number }>`
        SELECT extract(epoch FROM watched_until) * 1000 AS until FROM event_streams
         WHERE organization_id = ${stream.organizationId} AND id = ${stream.streamId}`.execute(db);
      return rows[0]?.until ?? 0;
    };
    const watcher = await watch(hub, stream);
    expect(await readWatchedMs(stream)).toBeGreaterThan(0);
    const first = await readUntil();
    await until('the mark is renewed', async () => (await readUntil()) > first);
    watcher.close();
    await until('the mark has lapsed', async () => (await readWatchedMs(stream)) < 0);
  });

  test('waits for an active writer, whose events are readable afterwards', async () => {
    const hub = createHub();
    const stream = newStream();
    const watcher = hub.watch(stream);
    let isArmed = false;
    let arming: Promise<void> = Promise.resolve();
    await transaction(db, async (trx) => {
      await appendEvents(trx, stream, [{ type: 'step', data: {} }]);
      arming = watcher.arm().then(() => void (isArmed = true));
      await sleep(200);
      expect(isArmed).toBe(false);
    });
    await arming;
    expect(await readWatchedMs(stream)).toBeGreaterThan(0);
  });

  test('is not set again for readers of a stream that already has it', async () => {
    const hub = createHub({ timings: ONLY_LISTENING });
    const stream = newStream();
    await append(stream);
    const readVersion = async () => {
      const { rows } = await sql<{ xmin: string }>`SELECT xmin FROM event_streams
        WHERE organization_id = ${organizationId} AND id = ${stream.streamId}`.execute(db);
      return rows[0]?.xmin;
    };
    const before = await readVersion();
    await hub.watch(stream).arm();
    await isListening(hub);
    await sleep(200);
    const marked = await readVersion();
    await Promise.all(Array.from({ length: 10 }, () => hub.watch(stream).arm()));
    expect(marked).not.toBe(before);
    expect(await readVersion()).toBe(marked);
  });

  test('is renewed without waiting for an active writer', async () => {
    const [held, free] = [newStream(), newStream()];
    await append(held);
    await append(free);
    await transaction(db, async (trx) => {
      await appendEvents(trx, held, [{ type: 'step', data: {} }]);
      expect(await renewWatched(db, [held, free], 60)).toEqual([free]);
    });
    expect(await renewWatched(db, [held], 60)).toEqual([held]);
  });
});
