/** Operations of runtimes in each state, through the API, with real sandboxes. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestResponse } from '../../../test/harness.ts';
import { writeQuotas } from '../../platform/storage-limits/quotas.ts';

const server = await startTestServer({}, [], { hasSandboxes: true });
const me = server.as(server.owner);
const BASE = '/org/main/ws/main/runtimes';

let made = 0;

/** Creates a runtime in this state. */
async function makeRuntime(state: 'idle' | 'running' | 'paused', config = {}): Promise<string> {
  const key = `r-${++made}`;
  expect((await me.post(BASE, { key, config })).status).toBe(201);
  if (state !== 'idle') expect((await me.post(`${BASE}/${key}/start`)).status).toBe(200);
  if (state === 'paused') expect((await me.post(`${BASE}/${key}/pause`)).status).toBe(200);
  return key;
}

const operate = (key: string, verb: string): Promise<TestResponse> => {
  if (verb === 'delete') return me.delete(`${BASE}/${key}`);
  if (verb === 'keepalive') return me.post(`${BASE}/${key}/keepalive`, { extend_seconds: 60 });
  if (verb === 'exec') return me.post(`${BASE}/${key}/exec`, { command: ['true'] });
  return me.post(`${BASE}/${key}/${verb}`);
};

const getRuntime = async (key: string) => (await me.get(`${BASE}/${key}`)).body;

/** Ends sandboxes that a test left running. */
afterEach(async () => {
  const { body } = await me.get(BASE);
  for (const { key } of body.items) expect((await me.delete(`${BASE}/${key}`)).status).toBe(204);
  expect(await server.sandboxes?.provider.list()).toEqual([]);
  expect(await server.sandboxes?.provider.listDisks()).toEqual([]);
});

describe('state transitions', () => {
  const TABLE = [
    ['idle', 'start', 200, 'running'],
    ['idle', 'pause', 409, 'idle'],
    ['idle', 'resume', 409, 'idle'],
    ['idle', 'reset', 409, 'idle'],
    ['idle', 'keepalive', 409, 'idle'],
    ['idle', 'exec', 409, 'idle'],
    ['idle', 'delete', 204, undefined],
    ['running', 'start', 409, 'running'],
    ['running', 'pause', 200, 'paused'],
    ['running', 'resume', 409, 'running'],
    ['running', 'reset', 200, 'idle'],
    ['running', 'keepalive', 200, 'running'],
    ['running', 'exec', 200, 'running'],
    ['running', 'delete', 204, undefined],
    ['paused', 'start', 409, 'paused'],
    ['paused', 'pause', 409, 'paused'],
    ['paused', 'resume', 200, 'running'],
    ['paused', 'reset', 200, 'idle'],
    ['paused', 'keepalive', 409, 'paused'],
    ['paused', 'exec', 409, 'paused'],
    ['paused', 'delete', 204, undefined],
  ] as const;

  test.each(TABLE)('in state %s, %s returns %d and leads to state %s', async (state, verb, status, next) => {
    const key = await makeRuntime(state);
    const before = await getRuntime(key);
    const response = await operate(key, verb);
    expect(response.status).toBe(status);
    if (status === 409) {
      expect(response.body.type).toBe('conflict_error');
      expect((await getRuntime(key)).updated_at).toBe(before.updated_at);
    }
    if (next === undefined) expect((await me.get(`${BASE}/${key}`)).status).toBe(404);
    else expect((await getRuntime(key)).status).toBe(next);
  });

  test('deletion of a runtime is audited with its former state', async () => {
    const key = await makeRuntime('idle');
    const { id } = await getRuntime(key);
    await operate(key, 'delete');
    const { body } = await me.get(`/org/main/audit-log?resource=runtimes/${id}`);
    expect(body.items[0]).toMatchObject({ action: 'runtime.deleted', before: { slug: key }, after: null });
  });

  test.each(['running', 'paused'] as const)(
    'a sandbox that is killed while %s is reported as ended',
    async (state) => {
      const key = await makeRuntime(state);
      const { instance } = await getRuntime(key);
      expect((await me.delete(`/org/main/sandboxes/${instance.sandbox_id}`)).status).toBe(204);
      expect(await getRuntime(key)).toMatchObject({
        status: 'idle',
        instance: { state: 'killed', expires_at: null },
      });
    },
  );
});

describe('disks', () => {
  const run = async (key: string, command: string) =>
    (await me.post(`${BASE}/${key}/exec`, { command })).body.stdout;

  test('a disk is kept when its sandbox ends, and removed by reset', async () => {
    const key = await makeRuntime('running');
    await run(key, 'echo kept > /workspace/note');
    const { instance } = await getRuntime(key);
    await me.delete(`/org/main/sandboxes/${instance.sandbox_id}`);
    await me.post(`${BASE}/${key}/start`);
    expect((await getRuntime(key)).instance.sandbox_id).not.toBe(instance.sandbox_id);
    expect(await run(key, 'cat /workspace/note')).toBe('kept\n');
    await me.post(`${BASE}/${key}/reset`);
    await me.post(`${BASE}/${key}/start`);
    expect(await run(key, 'ls -A /workspace')).toBe('');
  });

  test('resetRuntime removes the disk that an ended sandbox has left', async () => {
    const key = await makeRuntime('running');
    await run(key, 'echo kept > /workspace/note');
    await me.delete(`/org/main/sandboxes/${(await getRuntime(key)).instance.sandbox_id}`);
    expect(await operate(key, 'reset')).toMatchObject({ status: 200, body: { status: 'idle' } });
    expect(await server.sandboxes?.provider.listDisks()).toEqual([]);
    // There is nothing left to reset.
    expect(await operate(key, 'reset')).toMatchObject({ status: 409 });
  });

  test('startRuntime is refused above the disk quota until a disk is removed', async () => {
    const [full, next] = [await makeRuntime('running'), await makeRuntime('idle')];
    await run(full, 'head -c 3000000 /dev/zero > /workspace/data');
    await writeQuotas(server.db, { objects: null, registry: null, runtimes: 2_000_000, spans: null });
    try {
      const used = async () => {
        const { body } = await me.get('/org/main/usage/storage');
        return body.items.find(({ kind }: { kind: string }) => kind === 'runtimes').used_bytes;
      };
      // The host measures disks every 10 s.
      await expect.poll(used).toBeGreaterThan(3_000_000);
      expect(await operate(next, 'start')).toMatchObject({ status: 429 });
      await operate(full, 'reset');
      expect(await operate(next, 'start')).toMatchObject({ status: 200 });
    } finally {
      await writeQuotas(server.db, { objects: null, registry: null, runtimes: null, spans: null });
    }
  });

  test('a pause keeps processes and their memory', async () => {
    const key = await makeRuntime('running');
    // Renamed after writing, so that a reader never sees an empty file.
    const beat = 'while :; do date +%s%N > /tmp/next; mv /tmp/next /tmp/beat; sleep 0.05; done';
    await run(key, `nohup sh -c "${beat}" >/dev/null 2>&1 & until [ -s /tmp/beat ]; do sleep 0.01; done`);
    await me.post(`${BASE}/${key}/pause`);
    await me.post(`${BASE}/${key}/resume`);
    const [first, second] = (await run(key, 'cat /tmp/beat; sleep 0.5; cat /tmp/beat')).trim().split('\n');
    expect(BigInt(second)).toBeGreaterThan(BigInt(first));
  });
});

test('one of two concurrent starts succeeds and the other returns 409', async () => {
  const key = await makeRuntime('idle');
  const responses = await Promise.all([1, 2, 3].map(() => operate(key, 'start')));
  expect(responses.map(({ status }) => status).toSorted((x, y) => x - y)).toEqual([200, 409, 409]);
});

test('a failed start changes nothing and can be repeated with the same idempotency key', async () => {
  const key = await makeRuntime('running');
  await operate(key, 'reset');
  await me.post(`${BASE}/${key}/start`);
  await me.delete(`/org/main/sandboxes/${(await getRuntime(key)).instance.sandbox_id}`);
  const [diskId = ''] = (await server.sandboxes?.provider.listDisks()) ?? [];
  const disk = join(server.sandboxes?.dataDir ?? '', 'sandboxes/disks', diskId);
  renameSync(disk, `${disk}.away`);
  writeFileSync(disk, '');
  const before = await getRuntime(key);
  const start = () => me.post(`${BASE}/${key}/start`, {}, { 'idempotency-key': `start ${key}` });
  expect(await start()).toMatchObject({ status: expect.toBeOneOf([500, 502]) });
  expect(await getRuntime(key)).toMatchObject({ status: 'idle', instance: before.instance });
  rmSync(disk);
  renameSync(`${disk}.away`, disk);
  expect((await start()).status).toBe(200);
  expect(await start()).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } });
});

test('the log of a sandbox lists its state transitions', async () => {
  const key = await makeRuntime('paused');
  const { instance } = await getRuntime(key);
  await operate(key, 'resume');
  await operate(key, 'reset');
  const { body } = await me.get(`/org/main/sandboxes/${instance.sandbox_id}/logs`);
  expect(body.items.map(({ message }: { message: string }) => message)).toEqual([
    'started',
    'paused',
    'resumed',
    'ended',
  ]);
});
