/** Database failures at bad moments, foreign files and races, and what they leave of a sandbox. */
import { mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Client, createClient, SECRET_KEY, startTestServer } from '../../../test/harness.ts';
import { until } from '../../../test/processes.ts';
import { addSandbox } from '../../../test/sandbox-rows.ts';
import { openTestSandboxes, type TestSandboxes } from '../../../test/sandboxes.ts';
import { buildApp } from '../../app.ts';
import { loadConfig } from '../../config.ts';
import type { Db } from '../../platform/db/connect.ts';
import { createLog } from '../../platform/log.ts';

const BASE = '/org/main/ws/main/runtimes';
const { db, storage, owner } = await startTestServer();
const config = loadConfig({});
let host: TestSandboxes;
let client: Client;
let stop: () => Promise<void>;

/**
 * Breaks the connection after the given number of the host's transactions has been committed. A statement with several parts counts as one.
 */
let untilBreak = Number.POSITIVE_INFINITY;

function breakWhenDue(): void {
  if (untilBreak-- === 0) throw new Error('Connection terminated unexpectedly');
}

const breakingStatements = db.withPlugin({
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => {
    breakWhenDue();
    return result;
  },
});

const breaking: Db = new Proxy(db, {
  get: (target, name) => {
    if (name === 'with') return breakingStatements.with.bind(breakingStatements);
    if (name !== 'transaction') {
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    }
    return () => ({
      execute: async (work: Parameters<ReturnType<Db['transaction']>['execute']>[0]) => {
        const result = await target.transaction().execute(work);
        breakWhenDue();
        return result;
      },
    });
  },
});

async function begin(dataDir?: string): Promise<void> {
  host = await openTestSandboxes({
    db: breaking,
    storage,
    config,
    secretKey: SECRET_KEY,
    ...(dataDir !== undefined && { dataDir }),
  });
  const log = createLog('fatal');
  const app = await buildApp({ config, secretKey: SECRET_KEY, db, storage, log, sandboxes: host });
  [client, stop] = [createClient(() => app, owner.key), () => app.close()];
}

/** Ends the process, runs an action while there is none, and starts the next. */
async function endAndBegin(meanwhile: () => unknown): Promise<void> {
  await stop();
  await host.letGo();
  await meanwhile();
  await begin(host.dataDir);
}

beforeEach(() => begin());
afterEach(async () => {
  untilBreak = Number.POSITIVE_INFINITY;
  for (const { key } of (await client.get(BASE)).body.items)
    expect((await client.delete(`${BASE}/${key}`)).status).toBe(204);
  await stop();
  await host.close();
});

let made = 0;

async function create(): Promise<string> {
  const key = `m-${++made}`;
  expect((await client.post(BASE, { key })).status).toBe(201);
  return key;
}

async function start(): Promise<{ key: string; id: string }> {
  const key = await create();
  const { body } = await client.post(`${BASE}/${key}/start`);
  expect(body).toMatchObject({ status: 'running' });
  return { key, id: body.instance.sandbox_id };
}

async function read<T>(statement: RawBuilder<unknown>): Promise<T> {
  const { rows } = await statement.execute(db);
  return rows[0] as T;
}

const getRuntime = async (key: string) => (await client.get(`${BASE}/${key}`)).body;

test.each([
  ['start', 'running'],
  ['pause', 'paused'],
  ['resume', 'running'],
  ['reset', 'idle'],
] as const)(
  'a connection that breaks after the commit of %s does not fail the operation',
  async (verb, status) => {
    const key = await create();
    for (const before of { start: [], pause: ['start'], resume: ['start', 'pause'], reset: ['start'] }[verb])
      await client.post(`${BASE}/${key}/${before}`);
    untilBreak = 1; // Skips the transaction of the claim.
    const response = await client.post(`${BASE}/${key}/${verb}`);
    expect(untilBreak).toBeLessThan(0);
    expect([response.status, response.body.status]).toEqual([200, status]);
    const { instance } = await getRuntime(key);
    const inspected = await host.provider.inspect(instance.sandbox_id);
    expect(inspected.state).toBe(status === 'idle' ? 'gone' : status);
  },
);

test('an end that cannot be stored is stored later with its actual time', async () => {
  const { key, id } = await start();
  await sql`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''not now''; END'`.execute(
    db,
  );
  await sql`CREATE TRIGGER refuse BEFORE UPDATE ON sandboxes FOR EACH ROW EXECUTE FUNCTION refuse()`.execute(
    db,
  );
  const endedAt = Date.now();
  await client.post(`${BASE}/${key}/exec`, { command: 'kill -TERM 1' });
  await until('it is gone', async () => (await host.provider.inspect(id)).state === 'gone');
  await sleep(4_000);
  expect((await getRuntime(key)).status).toBe('running');
  const allowedAt = Date.now();
  await sql`DROP FUNCTION refuse() CASCADE`.execute(db);
  await until('it is idle', async () => (await getRuntime(key)).status === 'idle');
  const { ended_at } = await read<{ ended_at: string }>(sql`
    SELECT ended_at FROM sandboxes /* of every organization */ WHERE id = ${id}`);
  // Timestamps of files are up to 10 ms behind.
  expect(Date.parse(ended_at)).toBeGreaterThan(endedAt - 50);
  expect(Date.parse(ended_at)).toBeLessThan(allowedAt - 2_000);
  await until('nothing is left', async () => (await host.provider.list()).length === 0);
});

test('a sandbox that disappears silently is detected', async () => {
  const { key, id } = await start();
  await host.provider.kill(id);
  await until('it is idle', async () => (await getRuntime(key)).status === 'idle');
});

test('an abandoned start is undone, even if its claim is gone', async () => {
  const key = await create();
  const { id } = await getRuntime(key);
  const { organizationId } = await read<{ organizationId: string }>(sql`
    SELECT organization_id AS "organizationId" FROM runtimes /* of every organization */ WHERE id = ${id}`);
  const sandboxId = await addSandbox(
    db,
    host.own.hostId ?? '',
    { id, organizationId },
    { state: 'starting' },
  );
  await until('it is forgotten', async () => {
    const { rows } =
      await sql`SELECT FROM sandboxes /* of every organization */ WHERE id = ${sandboxId}`.execute(db);
    return rows.length === 0;
  });
});

test('a sandbox that is extended while it expires keeps running', async () => {
  const { key, id } = await start();
  await db.transaction().execute(async (trx) => {
    await sql`UPDATE sandboxes /* of every organization */ SET expires_at = clock_timestamp() WHERE id = ${id}`.execute(
      db,
    );
    // Extends it as keepalive does: under the lock, before the host has claimed the pause.
    await sql`SELECT FROM sandboxes /* of every organization */ WHERE id = ${id} FOR UPDATE`.execute(trx);
    await until('the host is about to pause it', async () => {
      const { rows } = await sql`
        SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%sandboxes%'`.execute(db);
      return rows.length > 0;
    });
    await sql`UPDATE sandboxes /* of every organization */
                 SET expires_at = clock_timestamp() + interval '1 hour' WHERE id = ${id}`.execute(trx);
  });
  expect((await client.post(`${BASE}/${key}/exec`, { command: 'true' })).status).toBeOneOf([200, 409]);
  await until('nobody changes it', async () => {
    const { rows } =
      await sql`SELECT FROM runtimes /* of every organization */ WHERE move IS NOT NULL`.execute(db);
    return rows.length === 0;
  });
  expect((await getRuntime(key)).status).toBe('running');
});

test('a pause whose process died before storing it is stored with its reason', async () => {
  const { key, id } = await start();
  await endAndBegin(async () => {
    await sql`UPDATE runtimes /* of every organization */
                 SET move = 'pausing', updated_at = clock_timestamp() WHERE key = ${key}`.execute(db);
    await sql`UPDATE sandboxes /* of every organization */
                 SET expires_at = clock_timestamp() - interval '1 s', period_started_at = clock_timestamp() - interval '1 h'
               WHERE id = ${id}`.execute(db);
    await host.provider.adopt(id);
    await host.provider.pause(id);
  });
  expect(await getRuntime(key)).toMatchObject({ status: 'paused', instance: { pause_reason: 'timeout' } });
});

test('foreign files among the disks do not prevent a host from starting, and disks of another database are kept', async () => {
  const { key } = await start();
  const { disk_id: mine } = await read<{ disk_id: string }>(sql`
    SELECT disk_id FROM runtimes /* of every organization */ WHERE key = ${key}`);
  const disks = join(host.dataDir, 'sandboxes', 'disks');
  const foreign = '018f0000-0000-7000-8000-000000000000';
  await endAndBegin(() => {
    for (const name of ['lost+found', foreign]) mkdirSync(join(disks, name));
  });
  expect(host.own.local).toBeDefined();
  expect(readdirSync(disks).toSorted()).toEqual([foreign, mine, 'lost+found'].toSorted());
  expect((await client.delete(`${BASE}/${key}`)).status).toBe(204);
  await expect.poll(() => readdirSync(disks).toSorted()).toEqual([foreign, 'lost+found']);
  rmdirSync(join(disks, 'lost+found'));
});
