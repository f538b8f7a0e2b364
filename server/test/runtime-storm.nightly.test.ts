/**
 * Many clients and random operations through two processes, one of which is the host: runtimes follow their state machine, and at the end
 * nothing is left.
 */
import { randomInt } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FIRST_START } from './first-start.ts';
import { call, until } from './processes.ts';
import { auditBooks, findLeftovers, listSandboxIds } from './runtime-books.ts';
import { ServerPair } from './server-pair.ts';

const OPERATIONS = Number(process.env.DRYDOCK_TEST_RUNTIME_OPERATIONS ?? 500);
const CLIENTS = 20;
/** Number of a client's operations that target runtimes shared by all clients. */
const SHARED = 4;
const KEY = FIRST_START.apiKey;
const BASE = '/org/main/ws/main/runtimes';
const servers = new ServerPair(KEY);

beforeAll(() => servers.start());
afterAll(() => servers.stop());

type State = 'idle' | 'running' | 'paused';
type Verb = 'start' | 'pause' | 'resume' | 'reset' | 'keepalive' | 'exec' | 'kill' | 'recreate';

const VERBS: readonly Verb[] = [
  'start',
  'start',
  'pause',
  'resume',
  'resume',
  'reset',
  'keepalive',
  'exec',
  'exec',
  'kill',
  'recreate',
];

/** State transitions by verb; operations that are not in the table are refused. */
const NEXT: Readonly<Record<State, Partial<Record<Verb, State>>>> = {
  idle: { start: 'running', kill: 'idle', recreate: 'idle' },
  running: {
    pause: 'paused',
    reset: 'idle',
    keepalive: 'running',
    exec: 'running',
    kill: 'idle',
    recreate: 'idle',
  },
  paused: { resume: 'running', reset: 'idle', kill: 'idle', recreate: 'idle' },
};

interface StormResponse {
  readonly status: number;
  readonly body: {
    status?: State;
    instance?: { sandbox_id: string } | null;
    exit_code?: number;
    detail?: string;
  };
}

const send = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) =>
  call<StormResponse['body']>(servers.url(), KEY, method, path, body);

async function operate(key: string, verb: Verb): Promise<StormResponse> {
  const path = `${BASE}/${key}`;
  if (verb === 'exec') return send('POST', `${path}/exec`, { command: 'exit 7' });
  if (verb === 'keepalive') return send('POST', `${path}/keepalive`, { extend_seconds: 60 });
  if (verb === 'recreate') {
    const deleted = await send('DELETE', path);
    if (deleted.status === 204) expect((await send('POST', BASE, { key })).status).toBe(201);
    return deleted;
  }
  if (verb !== 'kill') return send('POST', `${path}/${verb}`);
  const { body } = await send('GET', path);
  if (!body.instance) return { status: 204, body: {} };
  return send('DELETE', `/org/main/sandboxes/${body.instance.sandbox_id}`);
}

let left = OPERATIONS;
const counts = { done: 0, refused: 0 };

/** No other client uses its runtime, so the responses are known beforehand. */
async function operateOwn(key: string, state: State): Promise<State> {
  // Half of the verbs are valid transitions, since few random ones would be.
  const verbs = randomInt(2) === 0 ? VERBS : VERBS.filter((each) => NEXT[state][each]);
  const verb = verbs[randomInt(verbs.length)] ?? 'start';
  const response = await operate(key, verb);
  const next = NEXT[state][verb];
  const description = `${verb} of ${state}: ${response.status} ${JSON.stringify(response.body)}`;
  // An instance that has ended may be killed again or be missing already: both return the state.
  if (next === undefined) expect(response.status, description).toBe(409);
  else if (verb === 'kill' && state === 'idle') expect([204, 409], description).toContain(response.status);
  else expect([200, 204], description).toContain(response.status);
  if (verb === 'exec' && next) expect(response.body.exit_code).toBe(7);
  if (response.status === 409) counts.refused++;
  else counts.done++;
  const seen = (await send('GET', `${BASE}/${key}`)).body.status;
  expect(seen, description).toBe(next ?? state);
  return next ?? state;
}

async function operateShared(): Promise<void> {
  const verbs = VERBS.filter((verb) => verb !== 'recreate');
  const verb = verbs[randomInt(verbs.length)] ?? 'start';
  const response = await operate(`shared-${randomInt(SHARED)}`, verb);
  expect([200, 204, 409], `${verb}: ${JSON.stringify(response.body)}`).toContain(response.status);
  if (response.status === 409) counts.refused++;
  else counts.done++;
}

async function beClient(index: number): Promise<void> {
  const key = `own-${index}`;
  expect((await send('POST', BASE, { key })).status).toBe(201);
  for (let state: State = 'idle'; left-- > 0; ) {
    if (randomInt(3) === 0) await operateShared();
    else state = await operateOwn(key, state);
  }
}

const MOVES: Readonly<Record<string, { from: readonly State[]; to: State }>> = {
  'runtime.started': { from: ['idle'], to: 'running' },
  'runtime.paused': { from: ['running'], to: 'paused' },
  'runtime.resumed': { from: ['paused'], to: 'running' },
  'runtime.ended': { from: ['running', 'paused'], to: 'idle' },
  'runtime.reset': { from: ['running', 'paused'], to: 'idle' },
  'runtime.deleted': { from: ['idle', 'running', 'paused'], to: 'idle' },
};

/** The recorded events of each runtime are a valid path through the state machine. */
async function auditMoves(): Promise<number> {
  const client = new pg.Client(servers.databaseUrl());
  await client.connect();
  const { rows } = await client.query<{ resource: string; action: string }>(
    `SELECT resource, action FROM audit_log WHERE resource LIKE 'runtimes/%' ORDER BY id`,
  );
  await client.end();
  const states = new Map<string, State>();
  const moves = rows.filter(({ action }) => action in MOVES);
  for (const { resource, action } of moves) {
    const move = MOVES[action];
    expect(move?.from, `${action} of ${resource}`).toContain(states.get(resource) ?? 'idle');
    states.set(resource, move?.to ?? 'idle');
  }
  return moves.length;
}

test(`${OPERATIONS} operations of ${CLIENTS} clients follow the state machine`, {
  timeout: OPERATIONS * 2_000 + 60_000,
}, async () => {
  for (let index = 0; index < SHARED; index++) await send('POST', BASE, { key: `shared-${index}` });
  await Promise.all(Array.from({ length: CLIENTS }, (_, index) => beClient(index)));
  await auditBooks(servers.databaseUrl(), servers.dataDir);
  const moves = await auditMoves();
  const ids = await listSandboxIds(servers.databaseUrl());
  const keys = [
    ...Array.from({ length: CLIENTS }, (_, index) => `own-${index}`),
    ...Array.from({ length: SHARED }, (_, index) => `shared-${index}`),
  ];
  const deleted = await Promise.all(keys.map((key) => send('DELETE', `${BASE}/${key}`)));
  expect(deleted.filter(({ status }) => status !== 204)).toEqual([]);
  await auditBooks(servers.databaseUrl(), servers.dataDir);
  await until('nothing is left', () => findLeftovers(servers.dataDir, ids).length === 0, 5_000).catch(() =>
    expect(findLeftovers(servers.dataDir, ids)).toEqual([]),
  );
  console.info(
    `${counts.done} done, ${counts.refused} refused; ${moves} changes of state in ${ids.length} sandboxes`,
  );
  expect(counts.done).toBeGreaterThan(OPERATIONS / 4);
});
