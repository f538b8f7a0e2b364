/** Processes that start and stop on one data directory, and what each finds of the previous one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Client, createClient, SECRET_KEY, startTestServer } from '../../../test/harness.ts';
import { until } from '../../../test/processes.ts';
import { openTestSandboxes, type TestSandboxes } from '../../../test/sandboxes.ts';
import { buildApp } from '../../app.ts';
import { loadConfig } from '../../config.ts';
import { createLog } from '../../platform/log.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { endLostSandboxes } from './lost-hosts.ts';

const BASE = '/org/main/ws/main/runtimes';
const { db, storage, owner } = await startTestServer();
const config = loadConfig({});

interface Process {
  readonly host: TestSandboxes;
  readonly client: Client;
  readonly stop: () => Promise<void>;
}

/** Starts a process on an existing data directory or on a new one. */
async function begin(dataDir?: string): Promise<Process> {
  const host = await openTestSandboxes({
    db,
    storage,
    config,
    secretKey: SECRET_KEY,
    ...(dataDir && { dataDir }),
  });
  const log = createLog('fatal');
  const app = await buildApp({ config, secretKey: SECRET_KEY, db, storage, log, sandboxes: host });
  await host.announce(await app.listen({ host: '127.0.0.1', port: 0 }));
  return { host, client: createClient(() => app, owner.key), stop: () => app.close() };
}

let now: Process;

beforeEach(async () => {
  now = await begin();
});
afterEach(async () => {
  for (const { key } of (await now.client.get(BASE)).body.items)
    expect((await now.client.delete(`${BASE}/${key}`)).status).toBe(204);
  expect([await now.host.provider.list(), await now.host.provider.listDisks()]).toEqual([[], []]);
  await now.stop();
  await now.host.close();
});

/** Ends the process, runs an action while there is none, and starts the next. */
async function endAndBegin(meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
  await now.stop();
  await now.host.letGo();
  await meanwhile();
  now = await begin(now.host.dataDir);
}

let made = 0;

async function start(): Promise<{ key: string; id: string }> {
  const key = `l-${++made}`;
  expect((await now.client.post(BASE, { key })).status).toBe(201);
  const { body } = await now.client.post(`${BASE}/${key}/start`);
  expect(body).toMatchObject({ status: 'running' });
  return { key, id: body.instance.sandbox_id };
}

const getRuntime = async (key: string) => (await now.client.get(`${BASE}/${key}`)).body;
const run = async (key: string, command: string) =>
  (await now.client.post(`${BASE}/${key}/exec`, { command })).body;

test('the next process adopts running and paused sandboxes unchanged', async () => {
  const [running, paused] = [await start(), await start()];
  await run(running.key, 'echo $$ > /tmp/mark; sleep 1234 >/dev/null 2>&1 &');
  await now.client.post(`${BASE}/${paused.key}/pause`);
  await endAndBegin();
  expect(await getRuntime(running.key)).toMatchObject({
    status: 'running',
    instance: { sandbox_id: running.id },
  });
  expect((await run(running.key, 'pgrep -c -f "^sleep 1234"')).stdout).toBe('1\n');
  expect(await getRuntime(paused.key)).toMatchObject({
    status: 'paused',
    instance: { sandbox_id: paused.id },
  });
  expect((await now.client.post(`${BASE}/${paused.key}/resume`)).status).toBe(200);
  expect((await run(paused.key, 'echo on')).stdout).toBe('on\n');
});

test('a sandbox that ended while there was no process gets its actual end time', async () => {
  const { key } = await start();
  await run(key, '(sleep 1; kill -TERM 1) >/dev/null 2>&1 &');
  await endAndBegin(() => sleep(4_000));
  const { status, instance } = await getRuntime(key);
  expect([status, instance.state]).toEqual(['idle', 'killed']);
  expect(instance.total_runtime_seconds).toBeOneOf([1, 2]);
});

test('a process notices when a sandbox ends', async () => {
  const { key } = await start();
  await run(key, '(sleep 0.2; kill -TERM 1) >/dev/null 2>&1 &');
  await until('it is idle', async () => (await getRuntime(key)).status === 'idle');
  expect((await now.client.post(`${BASE}/${key}/start`)).status).toBe(200);
});

test('a second process of a data directory forwards requests to the one that holds the lease', async () => {
  const { key } = await start();
  const second = await begin(now.host.dataDir);
  expect([second.host.own.hostId, second.host.own.local]).toEqual([now.host.own.hostId, undefined]);
  const { body } = await second.client.post(`${BASE}/${key}/exec`, { command: 'echo hi' });
  expect(body.stdout).toBe('hi\n');
  // When the first process has stopped, the second becomes the host.
  await now.stop();
  await now.host.letGo();
  await until('it is the host', () => second.host.own.local !== undefined);
  now = second;
  expect(await run(key, 'echo still')).toMatchObject({ stdout: 'still\n' });
});

/** State left by a process that dies between two steps of a state transition, and its repair by the next one. */
describe('a process that dies', () => {
  const claim = (key: string, move: string) =>
    sql`UPDATE runtimes /* of every organization */ SET move = ${move}, updated_at = clock_timestamp() WHERE key = ${key}`.execute(
      db,
    );

  const POINTS = [
    ['before it pauses a sandbox', 'running', 'pausing', undefined, 'running'],
    ['after it has paused a sandbox', 'running', 'pausing', 'pause', 'paused'],
    ['before it resumes a sandbox', 'paused', 'resuming', undefined, 'paused'],
    ['after it has resumed a sandbox', 'paused', 'resuming', 'resume', 'paused'],
    ['before it ends a running sandbox', 'running', 'ending', undefined, 'idle'],
    ['after it has ended a running sandbox', 'running', 'ending', 'kill', 'idle'],
    ['before it ends a paused sandbox', 'paused', 'ending', undefined, 'idle'],
    ['after it has ended a paused sandbox', 'paused', 'ending', 'kill', 'idle'],
  ] as const;

  test.each(POINTS)(
    'the next process repairs the state when one dies %s',
    async (_name, state, move, done, next) => {
      const { key, id } = await start();
      if (state === 'paused') await now.client.post(`${BASE}/${key}/pause`);
      await claim(key, move);
      if (done) await now.host.provider[done](id);
      await endAndBegin();
      expect(await getRuntime(key)).toMatchObject({ status: next, instance: { sandbox_id: id } });
      const inspected = await now.host.provider.inspect(id);
      expect(inspected.state).toBe(next === 'idle' ? 'gone' : next);
      const { rows } =
        await sql`SELECT FROM runtimes /* of every organization */ WHERE move IS NOT NULL`.execute(db);
      expect(rows).toEqual([]);
    },
  );

  test('a process dies after starting a sandbox and before storing that', async () => {
    const { key, id } = await start();
    await sql`UPDATE sandboxes /* of every organization */
                 SET state = 'starting', period_started_at = NULL, period = 0 WHERE id = ${id}`.execute(db);
    await sql`UPDATE runtimes /* of every organization */
                 SET status = 'idle', move = 'starting', sandbox_id = NULL WHERE key = ${key}`.execute(db);
    await endAndBegin();
    expect(await getRuntime(key)).toMatchObject({ status: 'idle', instance: null });
    expect(await now.host.provider.list()).toEqual([]);
    expect((await now.client.post(`${BASE}/${key}/start`)).status).toBe(200);
  });

  test('the next process removes leftover disks and ends sandboxes that have ended in the database', async () => {
    const { key, id } = await start();
    await sql`UPDATE sandboxes /* of every organization */
                 SET state = 'killed', period_started_at = NULL WHERE id = ${id}`.execute(db);
    await sql`UPDATE runtimes /* of every organization */
                 SET status = 'idle', disk_id = ${uuidv7()} WHERE key = ${key}`.execute(db);
    await endAndBegin();
    expect([await now.host.provider.list(), await now.host.provider.listDisks()]).toEqual([[], []]);
  });
});

describe('expired leases', () => {
  const endLease = (seconds: number) =>
    sql`UPDATE sandbox_hosts SET lease_expires_at = clock_timestamp() - make_interval(secs => ${seconds})
         WHERE id = ${now.host.own.hostId}`.execute(db);

  test('sandboxes of an expired lease are ended by any process, with their time until the last renewal', async () => {
    const [running, paused] = [await start(), await start()];
    await now.client.post(`${BASE}/${paused.key}/pause`);
    await sql`UPDATE sandboxes /* of every organization */
                 SET period_started_at = period_started_at - interval '100 s', created_at = created_at - interval '100 s'
               WHERE id = ${running.id}`.execute(db);
    await now.stop();
    await now.host.letGo();
    await endLease(30);
    const other = await begin();
    expect(await endLostSandboxes(db)).toBe(2);
    expect(await endLostSandboxes(db)).toBe(0);
    const { status, instance } = (await other.client.get(`${BASE}/${running.key}`)).body;
    expect([status, instance.state]).toEqual(['idle', 'killed']);
    // A hundred, minus the thirty since its end and the fifteen of the lease.
    expect(instance.total_runtime_seconds).toBeOneOf([55, 56, 57]);
    const refusal = await other.client.post(`${BASE}/${running.key}/start`);
    expect(refusal).toMatchObject({ status: 502, body: { type: 'sandbox_provider_error' } });
    expect(refusal.body.detail).toContain('reset');
    expect((await other.client.post(`${BASE}/${running.key}/reset`)).status).toBe(200);
    expect((await other.client.post(`${BASE}/${running.key}/start`)).status).toBe(200);
    expect((await other.client.delete(`${BASE}/${running.key}`)).status).toBe(204);
    await other.stop();
    await other.host.close();
    // The host comes back and finds that all sandboxes have ended.
    now = await begin(now.host.dataDir);
    expect(await now.host.provider.list()).toEqual([]);
    expect(await getRuntime(paused.key)).toMatchObject({ status: 'idle', instance: { state: 'killed' } });
    expect((await now.client.post(`${BASE}/${paused.key}/start`)).status).toBe(200);
  });

  test('a process whose lease expires ends its sandboxes and becomes a host again', async () => {
    const { key, id } = await start();
    await endLease(0);
    await until('the sandbox is gone', async () => (await now.host.provider.inspect(id)).state === 'gone');
    await until('it is idle', async () => (await getRuntime(key)).status === 'idle');
    await until('it is a host', () => now.host.own.local !== undefined);
    expect((await now.client.post(`${BASE}/${key}/start`)).status).toBe(200);
  });

  test('a process whose renewals get no response ends its sandboxes before the lease expires', async () => {
    const { key, id } = await start();
    await db.transaction().execute(async (trx) => {
      await sql`SELECT FROM sandbox_hosts WHERE id = ${now.host.own.hostId} FOR NO KEY UPDATE`.execute(trx);
      await until('the sandbox is gone', async () => (await now.host.provider.inspect(id)).state === 'gone');
      const { rows } = await sql<{ is_live: boolean }>`
        SELECT lease_expires_at > clock_timestamp() AS is_live FROM sandbox_hosts
         WHERE id = ${now.host.own.hostId}`.execute(trx);
      expect(rows).toEqual([{ is_live: true }]);
    });
    await until('it is idle', async () => (await getRuntime(key)).status === 'idle');
    await until('it is a host', () => now.host.own.local !== undefined);
    expect((await now.client.post(`${BASE}/${key}/start`)).status).toBe(200);
  });
});
