/**
 * Model calls and spans that report them, from many clients to three servers that are killed in between: completed calls are counted,
 * nothing is counted twice, and usage, ledger and credits match an independent count.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { Random } from '../fuzz/random.ts';
import { connect } from '../src/platform/db/connect.ts';
import { createLog } from '../src/platform/log.ts';
import { foldCredits } from '../src/platform/metering/credits.ts';
import { forgetOldReservations } from '../src/platform/metering/reservations.ts';
import { createDatabase, type TestDatabase } from './databases.ts';
import { FIRST_START } from './first-start.ts';
import { addPerson } from './harness.ts';
import { auditCalls, type CallRow, readCalls } from './inference-storm/books.ts';
import { type CallNote, makeCall, type StormUser } from './inference-storm/caller.ts';
import { Fleet } from './inference-storm/fleet.ts';
import { planCall, providerAt } from './inference-storm/plans.ts';
import { ScriptedProvider } from './inference-storm/scripted-provider.ts';
import { type CallLink, SpanSender } from './inference-storm/span-sender.ts';
import { Treasurer } from './inference-storm/treasurer.ts';
import { auditUsage, countAll, type UsageResponse } from './inference-storm/usage-count.ts';
import { completionIdOf } from './metered-calls.ts';
import { call, until } from './processes.ts';

/** Number of calls and spans, not including repetitions. */
const SIZE = Number(process.env.DRYDOCK_TEST_INFERENCE_EVENTS ?? 100_000);
const SEED = process.env.DRYDOCK_TEST_INFERENCE_SEED ?? 'inference-storm';
const KILLS = Math.max(2, Math.round(SIZE / 5_000));
const CALLERS = 24;
const SENDERS = 3;
const WINDOWS = 60;
const KEY = FIRST_START.apiKey;

const provider = new ScriptedProvider();
const random = (purpose: string) => new Random(SEED, purpose);
let database: TestDatabase;
let fleet: Fleet;
let users: StormUser[];

beforeAll(async () => {
  database = await createDatabase(inject('databaseUrl'));
  const environment = {
    DATABASE_URL: database.url,
    DRYDOCK_SECRET_KEY: 'one key for all of the servers here',
    DRYDOCK_CREDITS: 'enforced',
    DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1',
    DRYDOCK_LOG_LEVEL: 'fatal',
  };
  fleet = new Fleet(environment, random('fleet'));
  await fleet.start();
  const providers = [providerAt(await provider.start())];
  const listed = await call(fleet.url(), KEY, 'PUT', '/org/main/inference/providers', { providers });
  expect(listed).toMatchObject({ status: 200 });
  users = await addUsers();
});

afterAll(async () => {
  await fleet.stop();
  await provider.stop();
  await database.drop();
});

/** Adds the owner and some users, one of them an admin. */
async function addUsers(): Promise<StormUser[]> {
  const db = connect({ url: database.url, poolSize: 1, namedStatements: true, log: createLog('fatal') });
  try {
    const owner = await db
      .selectFrom('users')
      .select('id')
      .where('username', '=', 'owner')
      .executeTakeFirstOrThrow();
    const roles = ['member', 'member', 'admin'] as const;
    const others = await Promise.all(roles.map((role, index) => addPerson(db, `user-${index}`, { role })));
    return [{ id: owner.id, key: KEY }, ...others];
  } finally {
    await db.destroy();
  }
}

let begun = 0;
let asked = 0;
const notes: CallNote[] = [];
const unreported: CallLink[] = [];

/** Takes up to `count` units of the storm, or none if it is over. */
function take(count: number): number {
  const taken = Math.min(count, SIZE - begun);
  begun += taken;
  return taken;
}

async function beCaller(index: number, treasurer: Treasurer): Promise<void> {
  const own = random(`caller ${index}`);
  while (take(1) > 0) {
    const plan = planCall(own, ++asked);
    const { traceId, spanId } = plan;
    if (own.chance(0.3)) unreported.push({ traceId, spanId });
    const note = await makeCall(fleet.url(), own.pick(users), plan);
    notes.push(note);
    if (note.callId !== undefined && own.chance(0.3))
      unreported.push({ responseId: completionIdOf(note.callId) });
    if (note.outcome.kind !== 'refused' || note.outcome.status !== 429) continue;
    treasurer.isWanted = true;
    await sleep(10);
  }
}

async function beSender(sender: SpanSender, own: Random): Promise<void> {
  for (let count = take(own.integer(5, 40)); count > 0; count = take(own.integer(5, 40))) {
    await sender.send(count);
    // Keeps about as many spans as calls.
    const isAhead = () => begun < SIZE && begun - asked > asked;
    while (isAhead()) await sleep(5);
  }
}

async function beKiller(): Promise<void> {
  for (let kill = 1; kill <= KILLS; kill++) {
    await until('the next is to be killed', () => begun >= (SIZE * kill) / (KILLS + 1), 600_000);
    await fleet.kill();
  }
}

async function rage(): Promise<{ senders: SpanSender[]; treasurer: Treasurer }> {
  const { url } = fleet;
  const treasurer = new Treasurer({ random: random('treasurer'), key: KEY, url });
  await treasurer.adjust(500);
  const calm = new AbortController();
  const adjusting = treasurer.work(calm.signal);
  const senders = Array.from(
    { length: SENDERS },
    (_, index) => new SpanSender({ random: random(`sender ${index}`), users, url, unreported }),
  );
  await Promise.all([
    beKiller(),
    ...Array.from({ length: CALLERS }, (_, index) => beCaller(index, treasurer)),
    ...senders.map((sender, index) => beSender(sender, random(`pace ${index}`))),
  ]);
  calm.abort();
  await adjusting;
  return { senders, treasurer };
}

async function withClient<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const numberOf = (sql: string) =>
  withClient(async (client) => Number((await client.query<{ n: string }>(sql)).rows[0]?.n));

interface LedgerEntry {
  readonly kind: string;
  readonly reference: string;
  readonly amount: number;
}

/** Reads page by page through the API. */
async function readLedger(): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/org/main/credits/transactions?limit=200${cursor && `&cursor=${cursor}`}`;
    const { body } = await call<{ items: LedgerEntry[]; next_cursor: string | null }>(
      fleet.url(),
      KEY,
      'GET',
      path,
    );
    entries.push(...body.items);
    cursor = body.next_cursor;
  }
  return entries;
}

async function auditLedger(rows: readonly CallRow[], treasurer: Treasurer): Promise<number> {
  const charged = rows.reduce((sum, { usage }) => sum + (usage?.credits ?? 0), 0);
  const response = await call<{ balance: number }>(fleet.url(), KEY, 'GET', '/org/main/credits');
  expect(response.body.balance).toBe(treasurer.sum - charged);
  const entries = await readLedger();
  expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(treasurer.sum - charged);
  // Every charge belongs to its call.
  const charges = entries.filter(({ kind }) => kind === 'charge');
  const expected = rows.flatMap(({ id, usage }) => (usage?.credits ? [[id, -usage.credits] as const] : []));
  expect(charges).toHaveLength(expected.length);
  expect(new Map(charges.map(({ reference, amount }) => [reference, amount]))).toEqual(new Map(expected));
  return charged;
}

/**
 * Only reservations of killed servers remain; they expire by themselves.
 * @returns how many there were
 */
async function auditReservations(treasurer: Treasurer, charged: number): Promise<number> {
  const held = await numberOf('SELECT count(*) AS n FROM credit_reservations');
  const ended = `
    SELECT count(*) AS n FROM credit_reservations AS r
      JOIN inference_calls AS c ON c.organization_id = r.organization_id AND c.id::text = r.reference`;
  expect(await numberOf(ended)).toBe(0);
  expect(held).toBeLessThanOrEqual(notes.filter(({ outcome }) => outcome.kind === 'broken').length);
  await withClient((client) => client.query(`UPDATE credit_reservations SET expires_at = now()`));
  const db = connect({ url: database.url, poolSize: 1, namedStatements: true, log: createLog('fatal') });
  expect(await forgetOldReservations(db)).toBe(held);
  await foldCredits(db);
  await db.destroy();
  expect(await numberOf('SELECT count(*) AS n FROM credit_reservations')).toBe(0);
  const balance = treasurer.sum - charged;
  const response = await call(fleet.url(), KEY, 'GET', '/org/main/credits');
  expect(response.body).toMatchObject({ balance, reserved: 0, available: balance, mode: 'enforced' });
  return held;
}

const readUsage = async (query: URLSearchParams) => {
  const path = `/org/main/credits/inference-usage?${query.toString()}`;
  const { status, body } = await call<UsageResponse>(fleet.url(), KEY, 'GET', path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

test(`${SIZE} calls and spans over three servers, and ${KILLS} kills`, {
  timeout: SIZE * 20 + 120_000,
}, async () => {
  console.info(`seed: ${SEED}`);
  const started = performance.now();
  const { senders, treasurer } = await rage();
  const seconds = (performance.now() - started) / 1000;
  // No client sends requests any more, so the provider becomes idle.
  await until('the provider is left alone', () => provider.busy.size === 0, 15_000);
  await fleet.stop();
  await until('no connection is left', () => provider.openSockets() === 0, 15_000);

  await fleet.start(1);
  const rows = await withClient(readCalls);
  const spans = senders.flatMap(({ sent }) => sent);
  const { uncertain, counted } = auditCalls(notes, rows, provider);
  expect(await numberOf(`SELECT count(*) AS n FROM usage_events WHERE kind = 'inference'`)).toBe(counted);
  const all = countAll(notes, rows, spans);
  await auditUsage({ counted: all, users, random: random('windows'), windows: WINDOWS, read: readUsage });
  const charged = await auditLedger(rows, treasurer);
  const held = await auditReservations(treasurer, charged);
  report({
    seconds,
    spans: spans.length,
    repeated: senders.reduce((sum, { repeated }) => sum + repeated, 0),
  });
  console.info(
    `${rows.length} calls written, ${counted} counted, ${uncertain} not heard to their end; ${all.length} requests in all; ` +
      `${charged} credits charged, ${treasurer.count} adjustments, ${held} reservations left by those that were killed`,
  );
  expect(uncertain).toBeGreaterThan(KILLS);
  expect(all.length - counted).toBeLessThan(spans.length);
});

function report({ seconds, spans, repeated }: { seconds: number; spans: number; repeated: number }): void {
  const kinds = Map.groupBy(notes, ({ outcome }) =>
    outcome.kind === 'refused' ? `${outcome.status}` : outcome.kind,
  );
  const outcomes = [...kinds].map(([kind, of]) => `${of.length} ${kind}`).toSorted();
  console.info(
    `${notes.length} calls (${outcomes.join(', ')}), ${spans} spans and ${repeated} sent again in ${seconds.toFixed(0)} s, ` +
      `${fleet.kills} servers killed`,
  );
}
