/** Three server processes on one PostgreSQL, all appending to one session: every reader sees the same order. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { uuidv7 } from '../src/platform/uuid.ts';
import { createDatabase, type TestDatabase } from './databases.ts';
import { type EventReader, openEvents } from './event-harness.ts';
import { FIRST_START } from './first-start.ts';
import { call, type RunningServer, startServer, until } from './processes.ts';
import { auditTranscript } from './session-audit.ts';
import { type Appended, newMessage, type SessionPlace } from './session-writers.ts';

const APPENDS = 1_000;
/** Appends wait for each other, so the last one takes as long as all of them. */
const WAIT_TIMEOUT_MS = 110_000;
const KEY = FIRST_START.apiKey;
const SESSION = uuidv7();
const PATH = `/org/main/ws/main/sessions/${SESSION}`;

let database: TestDatabase;
let servers: readonly RunningServer[];

beforeAll(async () => {
  database = await createDatabase(inject('databaseUrl'));
  const start = () =>
    startServer({
      DATABASE_URL: database.url,
      DRYDOCK_SECRET_KEY: 'one key for the whole fleet of servers',
      DRYDOCK_LOG_LEVEL: 'error',
    });
  servers = await Promise.all([start(), start(), start()]);
  const saved = { id: SESSION, model: 'sim/echo', title: 'One for all' };
  expect((await call(url(0), KEY, 'POST', '/org/main/ws/main/sessions', saved)).status).toBe(201);
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await database.drop();
});

const url = (index: number) => servers[index % servers.length]?.url ?? '';

interface Numbered {
  readonly id: string;
  readonly seq: number;
}

const numberOf = ({ id, seq }: Numbered): Numbered => ({ id, seq });

/** Reads page by page from its position while others write, until it has all messages. */
async function follow(index: number): Promise<Numbered[]> {
  const seen: Numbered[] = [];
  while (seen.length < APPENDS) {
    const path = `${PATH}/transcript?after_seq=${seen.at(-1)?.seq ?? 0}&limit=50`;
    const { status, body } = await call<{ messages: Numbered[] }>(url(index), KEY, 'GET', path);
    expect(status).toBe(200);
    seen.push(...body.messages.map(numberOf));
    await sleep(20);
  }
  return seen;
}

async function append(index: number): Promise<Numbered> {
  const message = newMessage();
  const response = await fetch(`${url(index)}/api/v1${PATH}/transcript`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [message] }),
    signal: AbortSignal.timeout(WAIT_TIMEOUT_MS),
  });
  const body = (await response.json()) as Appended;
  expect(response.status, JSON.stringify(body)).toBe(201);
  expect(body.messages).toEqual([{ id: message.id, seq: expect.any(Number) }]);
  return body.messages[0] as Numbered;
}

/** Switches to another process after a number of events, and continues after the last one received. */
async function tail(first: number, leaveAfter: number): Promise<Numbered[]> {
  const seen: Numbered[] = [];
  let last: string | undefined;
  for (let index = first; seen.length < APPENDS; index++) {
    const reader = await openEvents(`${url(index)}/api/v1${PATH}/events`, KEY, last);
    expect(reader.status).toBe(200);
    const wanted = Math.min(leaveAfter, APPENDS - seen.length);
    await until('more is told', () => messagesOf(reader).length >= wanted, WAIT_TIMEOUT_MS);
    reader.leave();
    await reader.ended;
    seen.push(...messagesOf(reader));
    last = reader.frames.findLast(({ id }) => id !== undefined)?.id;
  }
  return seen;
}

const messagesOf = ({ frames }: EventReader): Numbered[] =>
  frames
    .filter(({ event }) => event === 'messages')
    .flatMap(({ data }) => (data as { readonly messages: readonly Numbered[] }).messages.map(numberOf));

test(`${APPENDS} concurrent appends through three processes leave no gap and have one order for all readers`, {
  timeout: WAIT_TIMEOUT_MS + 30_000,
}, async () => {
  const began = performance.now();
  const [reported, followed, tailed] = await Promise.all([
    Promise.all(Array.from({ length: APPENDS }, (_, index) => append(index))),
    Promise.all([0, 1, 2].map(follow)),
    Promise.all([tail(0, 150), tail(1, 400), tail(2, APPENDS)]),
  ]);
  const seconds = (performance.now() - began) / 1_000;
  console.info(`${(APPENDS / seconds).toFixed(0)} appends a second to one session`);

  const place: SessionPlace = {
    send: (method, path) => call(url(2), KEY, method, `/org/main/ws/main${path}`),
  };
  const stored = (await auditTranscript(place, SESSION)).map(numberOf);
  expect(stored).toHaveLength(APPENDS);
  expect(reported.toSorted((a, b) => a.seq - b.seq)).toEqual(stored);
  for (const seen of [...followed, ...tailed]) expect(seen).toEqual(stored);
  // Reads from the beginning after all appends.
  expect(await tail(2, APPENDS)).toEqual(stored);
});
