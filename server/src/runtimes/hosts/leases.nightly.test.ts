/** Processes that come and go on one data directory, and what each finds of the one before, wherever that ended. */
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

/** On the data directory of another one, or on a new one. */
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
  return { host, client: createClient(app, owner.key), stop: () => app.close() };
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

/** The process ends, and while none is there, something happens; then comes the next. */
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

const look = async (key: string) => (await now.client.get(`${BASE}/${key}`)).body;
const run = async (key: string, command: string) =>
  (await now.client.post(`${BASE}/${key}/exec`, { command })).body;

test('the next process takes up what runs and what is paused, and nothing of it has changed', async () => {
  const [running, paused] = [await start(), await start()];
  await run(running.key, 'echo $$ > /tmp/mark; sleep 1234 >/dev/null 2>&1 &');
  await now.client.post(`${BASE}/${paused.key}/pause`);
  await endAndBegin();
  expect(await look(running.key)).toMatchObject({ status: 'running', instance: { sandbox_id: running.id } });
  expect((await run(running.key, 'pgrep -c -f "^sleep 1234"')).stdout).toBe('1\n');
  expect(await look(paused.key)).toMatchObject({ status: 'paused', instance: { sandbox_id: paused.id } });
  expect((await now.client.post(`${BASE}/${paused.key}/resume`)).status).toBe(200);
  expect((await run(paused.key, 'echo on')).stdout).toBe('on\n');
});

test('what ended while no process was there has ended when it did', async () => {
  const { key } = await start();
  await run(key, '(sleep 1; kill -TERM 1) >/dev/null 2>&1 &');
  await endAndBegin(() => sleep(4_000));
  const { status, instance } = await look(key);
  expect([status, instance.state]).toEqual(['idle', 'killed']);
  expect(instance.total_runtime_seconds).toBeOneOf([1, 2]);
});

test('what ends while a process is there is found out', async () => {
  const { key } = await start();
  await run(key, '(sleep 0.2; kill -TERM 1) >/dev/null 2>&1 &');
  await until('it is idle', async () => (await look(key)).status === 'idle');
  expect((await now.client.post(`${BASE}/${key}/start`)).status).toBe(200);
});

test('a second process of a data directory is no host, and sends what it is asked to the one that is', async () => {
  const { key } = await start();
  const second = await begin(now.host.dataDir);
  expect([second.host.own.hostId, second.host.own.local]).toEqual([now.host.own.hostId, undefined]);
  const { body } = await second.client.post(`${BASE}/${key}/exec`, { command: 'echo hi' });
  expect(body.stdout).toBe('hi\n');
  // When the first has gone, the second is the host.
  await now.stop();
  await now.host.letGo();
  await until('it is the host', () => second.host.own.local !== undefined);
  now = second;
  expect(await run(key, 'echo still')).toMatchObject({ stdout: 'still\n' });
});

/** What a process leaves that dies between two steps of a change, and what the next makes of it. */
describe('a process dies while it', () => {
  const claim = (key: string, move: string) =>
    sql`UPDATE runtimes /* of every organization */ SET move = ${move}, updated_at = clock_timestamp() WHERE key = ${key}`.execute(
      db,
    );

  const POINTS = [
    ['pauses, before it has', 'running', 'pausing', undefined, 'running'],
    ['pauses, when it has', 'running', 'pausing', 'pause', 'paused'],
    ['resumes, before it has', 'paused', 'resuming', undefined, 'paused'],
    ['resumes, when it has', 'paused', 'resuming', 'resume', 'paused'],
    ['ends a running one, before it has', 'running', 'ending', undefined, 'idle'],
    ['ends a running one, when it has', 'running', 'ending', 'kill', 'idle'],
    ['ends a paused one, before it has', 'paused', 'ending', undefined, 'idle'],
    ['ends a paused one, when it has', 'paused', 'ending', 'kill', 'idle'],
  ] as const;

  test.each(POINTS)('%s', async (_name, state, move, done, next) => {
    const { key, id } = await start();
    if (state === 'paused') await now.client.post(`${BASE}/${key}/pause`);
    await claim(key, move);
    if (done) await now.host.provider[done](id);
    await endAndBegin();
    expect(await look(key)).toMatchObject({ status: next, instance: { sandbox_id: id } });
    const sight = await now.host.provider.look(id);
    expect(sight.state).toBe(next === 'idle' ? 'gone' : next);
    const { rows } =
      await sql`SELECT FROM runtimes /* of every organization */ WHERE move IS NOT NULL`.execute(db);
    expect(rows).toEqual([]);
  });

  test('starts, when the sandbox is there and nobody was told', async () => {
    const { key, id } = await start();
    await sql`UPDATE sandboxes /* of every organization */
                 SET state = 'starting', period_started_at = NULL, period = 0 WHERE id = ${id}`.execute(db);
    await sql`UPDATE runtimes /* of every organization */
                 SET status = 'idle', move = 'starting', sandbox_id = NULL WHERE key = ${key}`.execute(db);
    await endAndBegin();
    expect(await look(key)).toMatchObject({ status: 'idle', instance: null });
    expect(await now.host.provider.list()).toEqual([]);
    expect((await now.client.post(`${BASE}/${key}/start`)).status).toBe(200);
  });

  test('takes a disk away, or ends what the database holds to have ended', async () => {
    const { key, id } = await start();
    await sql`UPDATE sandboxes /* of every organization */
                 SET state = 'killed', period_started_at = NULL WHERE id = ${id}`.execute(db);
    await sql`UPDATE runtimes /* of every organization */
                 SET status = 'idle', disk_id = ${uuidv7()} WHERE key = ${key}`.execute(db);
    await endAndBegin();
    expect([await now.host.provider.list(), await now.host.provider.listDisks()]).toEqual([[], []]);
  });
});

describe('a lease that has ended', () => {
  const endLease = (seconds: number) =>
    sql`UPDATE sandbox_hosts SET lease_expires_at = clock_timestamp() - make_interval(secs => ${seconds})
         WHERE id = ${now.host.own.hostId}`.execute(db);

  test('ends the sandboxes, by whoever notices, with the time until it was last renewed', async () => {
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
    // A hundred, less the thirty since its end and the fifteen that it lasted.
    expect(instance.total_runtime_seconds).toBeOneOf([55, 56, 57]);
    const refusal = await other.client.post(`${BASE}/${running.key}/start`);
    expect(refusal).toMatchObject({ status: 502, body: { type: 'sandbox_provider_error' } });
    expect(refusal.body.detail).toContain('reset');
    expect((await other.client.post(`${BASE}/${running.key}/reset`)).status).toBe(200);
    expect((await other.client.post(`${BASE}/${running.key}/start`)).status).toBe(200);
    expect((await other.client.delete(`${BASE}/${running.key}`)).status).toBe(204);
    await other.stop();
    await other.host.close();
    // The host comes back, and finds that all of it has ended.
    now = await begin(now.host.dataDir);
    expect(await now.host.provider.list()).toEqual([]);
    expect(await look(paused.key)).toMatchObject({ status: 'idle', instance: { state: 'killed' } });
    expect((await now.client.post(`${BASE}/${paused.key}/start`)).status).toBe(200);
  });

  test('of a process that goes on: it ends its sandboxes, and is a host again', async () => {
    const { key, id } = await start();
    await endLease(0);
    await until('the sandbox is gone', async () => (await now.host.provider.look(id)).state === 'gone');
    await until('it is idle', async () => (await look(key)).status === 'idle');
    await until('it is a host', () => now.host.own.local !== undefined);
    expect((await now.client.post(`${BASE}/${key}/start`)).status).toBe(200);
  });
});
