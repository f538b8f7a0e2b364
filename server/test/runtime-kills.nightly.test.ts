/** kill -9 of the server while twenty runtimes run: each is taken over or has ended, and its time is counted once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FIRST_START } from './first-start.ts';
import { call, newDataDir, type RunningServer, startServer, until, urlOfRunning } from './processes.ts';
import { auditBooks, findLeftovers, listSandboxIds } from './runtime-books.ts';

const ROUNDS = Number(process.env.DRYDOCK_TEST_ROUNDS ?? 10);
const COUNT = 20;
/** The first are left alone, the next are paused, the next end by themselves; the rest are changed while the server dies. */
const [STEADY, PAUSED, ENDING] = [6, 4, 3];
const KEY = FIRST_START.apiKey;
const BASE = '/org/main/ws/main/runtimes';
const dataDir = newDataDir();
const environment = { DRYDOCK_DATA_DIR: dataDir, DRYDOCK_INIT_API_KEY: KEY, DRYDOCK_LOG_LEVEL: 'fatal' };

let server: RunningServer;

beforeAll(async () => {
  server = await startServer(environment);
});
afterAll(() => server.stop());

interface Runtime {
  readonly status: string;
  readonly instance: { sandbox_id: string; state: string; total_runtime_seconds: number } | null;
}

const keys = Array.from({ length: COUNT }, (_, index) => `k-${index}`);
const [steady, paused, ending, changing] = [
  keys.slice(0, STEADY),
  keys.slice(STEADY, STEADY + PAUSED),
  keys.slice(STEADY + PAUSED, STEADY + PAUSED + ENDING),
  keys.slice(STEADY + PAUSED + ENDING),
];

const getRuntime = async (key: string) =>
  (await call<Runtime>(server.url, KEY, 'GET', `${BASE}/${key}`)).body;

async function operate(key: string, verb: string, body?: unknown): Promise<Runtime> {
  const response = await call<Runtime>(server.url, KEY, 'POST', `${BASE}/${key}/${verb}`, body);
  expect([200, response.body]).toEqual([response.status, response.body]);
  return response.body;
}

const run = async (key: string, command: string) =>
  (await operate(key, 'exec', { command })) as unknown as { stdout: string };

/**
 * Starts all runtimes, each in a new sandbox.
 * @returns the earliest and the latest possible start of the steady ones
 */
async function startAll(): Promise<Map<string, [number, number]>> {
  const began = new Map<string, [number, number]>();
  for (const key of keys) {
    if ((await getRuntime(key)).status !== 'idle') await operate(key, 'reset');
    const from = Date.now();
    await operate(key, 'start');
    began.set(key, [from, Date.now()]);
  }
  for (const key of steady) await run(key, 'sleep 4321 >/dev/null 2>&1 & echo $! > /tmp/pid');
  for (const key of paused) await operate(key, 'pause');
  return began;
}

/** Changes the runtime randomly until the server stops responding. */
async function changeUntilDead(key: string): Promise<void> {
  for (;;) {
    for (const verb of ['pause', 'resume', 'reset', 'start']) {
      const response = await call(server.url, KEY, 'POST', `${BASE}/${key}/${verb}`).catch(() => undefined);
      if (!response) return;
      expect([200, 409, 500]).toContain(response.status);
    }
  }
}

test(`${ROUNDS} rounds: no time is lost or counted twice, and nothing is left behind`, {
  timeout: ROUNDS * 120_000 + 60_000,
}, async () => {
  for (const key of keys) await call(server.url, KEY, 'POST', BASE, { key });
  for (let round = 1; round <= ROUNDS; round++) {
    const began = await startAll();
    const before = new Map(await Promise.all(keys.map(async (key) => [key, await getRuntime(key)] as const)));
    for (const key of ending) await run(key, '(sleep 1; kill -TERM 1) >/dev/null 2>&1 &');
    const changes = Promise.all(changing.map(changeUntilDead));
    await sleep(200 + Math.random() * 500);
    await server.stop('SIGKILL');
    await changes;
    await sleep(1_500 + Math.random() * 500);
    server = await startServer(environment);

    for (const key of steady) {
      const { status, instance } = await getRuntime(key);
      expect([status, instance?.sandbox_id]).toEqual(['running', before.get(key)?.instance?.sandbox_id]);
      expect((await run(key, 'kill -0 $(cat /tmp/pid) && echo there')).stdout).toBe('there\n');
      const [from, to] = began.get(key) ?? [0, 0];
      const { instance: now } = await getRuntime(key);
      expect(now?.total_runtime_seconds).toBeGreaterThanOrEqual(Math.floor((Date.now() - to) / 1_000) - 1);
      expect(now?.total_runtime_seconds).toBeLessThanOrEqual((Date.now() - from) / 1_000);
    }
    for (const key of paused) {
      const { status, instance } = await getRuntime(key);
      expect([status, instance]).toEqual(['paused', before.get(key)?.instance]);
    }
    for (const key of ending) {
      await until('it has ended', async () => (await getRuntime(key)).status === 'idle');
      const [from] = began.get(key) ?? [0];
      const ran = (await getRuntime(key)).instance?.total_runtime_seconds ?? 0;
      expect(ran).toBeLessThanOrEqual((Date.now() - from) / 1_000);
      expect(ran).toBeGreaterThanOrEqual(1);
    }
    for (const key of changing)
      expect(['idle', 'running', 'paused']).toContain((await getRuntime(key)).status);
    const sandboxes = await auditBooks(urlOfRunning(dataDir), dataDir);
    const states = await Promise.all(changing.map(async (key) => (await getRuntime(key)).status));
    console.info(
      `round ${round}: ${sandboxes} sandboxes so far; those that were being changed are ${states.join(', ')}`,
    );
  }
  const ids = await listSandboxIds(urlOfRunning(dataDir));
  for (const key of keys) expect((await call(server.url, KEY, 'DELETE', `${BASE}/${key}`)).status).toBe(204);
  await auditBooks(urlOfRunning(dataDir), dataDir);
  await until('nothing is left', () => findLeftovers(dataDir, ids).length === 0, 5_000).catch(() =>
    expect(findLeftovers(dataDir, ids)).toEqual([]),
  );
});
