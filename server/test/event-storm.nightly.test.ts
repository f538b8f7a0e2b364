/** Three processes on one database, writers, and readers that connect and disconnect: every reader sees the same events, once, in order. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { connect } from '../src/platform/db/connect.ts';
import { createLog } from '../src/platform/log.ts';
import { uuidv7 } from '../src/platform/uuid.ts';
import { createDatabase, type TestDatabase } from './databases.ts';
import { openEvents } from './event-harness.ts';
import { FIRST_START } from './first-start.ts';
import { call, type RunningServer, startServer } from './processes.ts';

const SECONDS = Number(process.env.DRYDOCK_TEST_STORM_SECONDS ?? 60);
const KILL_AFTER_MS = 2_500;
const WRITERS = 8;
const READERS_PER_STREAM = 3;
const KEY = FIRST_START.apiKey;
const ENTRY = join(import.meta.dirname, 'event-server.ts');

let database: TestDatabase;
let servers: RunningServer[];
const start = () =>
  startServer(
    {
      DATABASE_URL: database.url,
      DRYDOCK_SECRET_KEY: 'one key for the whole fleet of servers',
      DRYDOCK_LOG_LEVEL: 'error',
    },
    { run: [ENTRY] },
  );

beforeAll(async () => {
  database = await createDatabase(inject('databaseUrl'));
  servers = await Promise.all([start(), start(), start()]);
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await database.drop();
});

const pick = <T>(items: readonly T[]): T => {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
};
const chance = (probability: number) => Math.random() < probability;
const pathOf = (stream: string) => `/org/main/ws/main/things/${stream}`;

interface Received {
  readonly seq: number;
  readonly name: string;
}

interface Reading {
  readonly stream: string;
  readonly received: Received[];
  sessions: number;
}

const streams = [uuidv7(), uuidv7(), uuidv7()];
const acknowledged = new Map<string, string[]>(streams.map((stream) => [stream, []]));
const rolledBack = new Set<string>();
const calm = new AbortController();

async function write(writer: number): Promise<void> {
  for (let round = 0; !calm.signal.aborted; round++) {
    const stream = pick(streams);
    const names = Array.from(
      { length: 1 + Math.floor(Math.random() * 4) },
      (_, index) => `${writer}-${round}-${index}`,
    );
    const roll_back = chance(0.15);
    const body = {
      events: names.map((name) => ({ name })),
      hold_ms: chance(0.3) ? Math.floor(Math.random() * 30) : 0,
      roll_back,
    };
    if (roll_back) for (const name of names) rolledBack.add(name);
    // undefined: the process was killed, so it is unknown whether the event was written.
    const response = await call(pick(servers).url, KEY, 'POST', pathOf(stream), body).catch(() => undefined);
    if (response?.status === 201) acknowledged.get(stream)?.push(...names);
    else if (response) expect([response.status, roll_back]).toEqual([409, true]);
    await sleep(Math.random() * 20);
  }
}

/** Connects and disconnects until the storm is over, and then reads until the stream ends. */
async function read(reading: Reading): Promise<void> {
  for (;;) {
    const url = `${pick(servers).url}/api/v1${pathOf(reading.stream)}/events`;
    const last = reading.received.at(-1)?.seq;
    const session = await openEvents(url, KEY, last).catch(() => undefined);
    if (!session) {
      await sleep(20);
      continue;
    }
    if (session.status === 204) return;
    expect(session.status).toBe(200);
    reading.sessions++;
    const staying = Math.random() * 800;
    await Promise.race([session.ended, calm.signal.aborted ? session.ended : sleep(staying)]);
    session.leave();
    await session.ended;
    for (const { id, data } of session.frames) {
      if (id !== undefined) reading.received.push({ seq: Number(id), name: (data as Received).name });
    }
  }
}

/** @returns the number of kills */
async function kill(): Promise<number> {
  const end = performance.now() + SECONDS * 1_000;
  for (let count = 0; ; count++) {
    await sleep(KILL_AFTER_MS);
    if (performance.now() > end) return count;
    const victim = pick(servers);
    await victim.stop('SIGKILL');
    const next = await start();
    servers = servers.map((server) => (server === victim ? next : server));
  }
}

async function readDatabase(stream: string): Promise<Received[]> {
  const db = connect({
    url: database.url,
    poolSize: 1,
    namedStatements: false,
    log: createLog('fatal'),
  });
  const rows = await db
    .selectFrom('events as e')
    .innerJoin('organizations as o', 'o.id', 'e.organization_id')
    .select(['e.seq', 'e.data'])
    .where('o.key', '=', 'main')
    .where('e.stream_id', '=', stream)
    .orderBy('e.seq')
    .execute();
  await db.destroy();
  return rows.map(({ seq, data }) => ({ seq, name: (data as Received).name }));
}

test(`${SECONDS} s of writes, disconnects, reconnects and kill -9 lose, duplicate and reorder no event`, {
  timeout: (SECONDS + 60) * 1_000,
}, async () => {
  const readings = streams.flatMap((stream) =>
    Array.from({ length: READERS_PER_STREAM }, (): Reading => ({ stream, received: [], sessions: 0 })),
  );
  const reading = Promise.all(readings.map(read));
  const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  const kills = await kill();
  calm.abort();
  await writing;
  for (const stream of streams) {
    const body = { events: [], close: true };
    expect((await call(pick(servers).url, KEY, 'POST', pathOf(stream), body)).status).toBe(201);
  }
  await reading;

  let [written, lost, doubled, inOrder] = [0, 0, 0, true];
  for (const stream of streams) {
    const stored = await readDatabase(stream);
    written += stored.length;
    expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1));
    const names = new Set(stored.map(({ name }) => name));
    expect(names.size).toBe(stored.length);
    expect(acknowledged.get(stream)?.filter((name) => !names.has(name))).toEqual([]);
    expect([...names].filter((name) => rolledBack.has(name))).toEqual([]);
    for (const { received } of readings.filter((one) => one.stream === stream)) {
      const seen = new Set(received.map(({ seq }) => seq));
      lost += stored.filter(({ seq }) => !seen.has(seq)).length;
      doubled += received.length - seen.size;
      inOrder &&= JSON.stringify(received) === JSON.stringify(stored);
    }
  }
  const sessions = readings.reduce((sum, one) => sum + one.sessions, 0);
  console.info(
    `${written} events written, ${rolledBack.size} rolled back, ${sessions} sessions of ${readings.length} readers, ` +
      `${kills} kills, ${lost} lost, ${doubled} doubled`,
  );
  expect({ lost, doubled, inOrder }).toEqual({ lost: 0, doubled: 0, inOrder: true });
  expect(kills).toBeGreaterThan(0);
  expect(written).toBeGreaterThan(SECONDS * 20);
  expect(sessions).toBeGreaterThan(readings.length * 2);
});
