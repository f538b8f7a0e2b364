/** Sandboxes of a killed process, as found by the next process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Layout } from './layout.ts';
import { ProviderInTest } from './provider-in-test.ts';
import { findRecord, writeRecord } from './record.ts';

let host: ProviderInTest;
let server: ChildProcess | undefined;

beforeEach(() => {
  host = new ProviderInTest();
});

afterEach(async () => {
  server?.kill('SIGKILL');
  await host.close();
  expect(host.listProcesses()).toEqual([]);
});

/** Runs the script in a separate process, with a provider on the folder, until it prints `done`; then kills that process. */
async function inKilledServer(script: string): Promise<void> {
  const source = `
    import { createNamespacesProvider } from ${JSON.stringify(join(import.meta.dirname, 'namespaces-provider.ts'))};
    const events = { ended: () => undefined, egress: () => undefined };
    const folder = ${JSON.stringify(join(host.folder, 'sandboxes'))};
    const provider = createNamespacesProvider({ folder, log: console, events });
    const start = (id) => provider.start({
      id, diskId: 'disk-' + id, hostname: 'box', limits: {}, hasWorkspace: true, egressAllow: [],
    });
    const exec = (id, script) => provider.exec(id, { argv: ['sh', '-c', script], cwd: '/', environment: {} });
    ${script}
    console.log('done');
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  server = child;
  await once(createInterface({ input: child.stdout }), 'line');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('adopt keeps running sandboxes running and paused ones paused, and commands ended with the server', async () => {
  await inKilledServer(`
    await start('running');
    await start('paused');
    await exec('running', 'exec sleep 7731');
    await (await exec('running', 'sleep 7732 & true')).exit;
    await (await exec('paused', '(while :; do echo x >>/workspace/ticks; sleep 0.01; done) >/dev/null 2>&1 & true')).exit;
    await provider.pause('paused');`);
  expect((await host.provider.list()).toSorted()).toEqual(['paused', 'running']);
  expect(await host.provider.inspect('running')).toMatchObject({ state: 'gone' }); // not adopted yet
  expect(await host.provider.adopt('running')).toEqual({ state: 'running' });
  expect(await host.provider.adopt('paused')).toEqual({ state: 'paused' });
  const { stdout } = await host.run('running', 'cat /proc/[0-9]*/cmdline | tr "\\0" " "');
  expect(stdout.match(/sleep 773\d/g)).toEqual(['sleep 7732']);
  await expect(host.run('paused', 'true')).rejects.toMatchObject({ type: 'conflict_error' });
  await host.provider.resume('paused');
  const count = async () => Number((await host.run('paused', 'wc -l <ticks')).stdout);
  const before = await count();
  await expect.poll(count).toBeGreaterThan(before);
});

test('adopt returns the exact end time of a sandbox that ended while no server ran', async () => {
  await inKilledServer(`
    await start('short');
    await (await exec('short', '(until [ -e /workspace/go ]; do sleep 0.02; done; kill -9 -1) & true')).exit;`);
  const goAt = Date.now();
  writeFileSync(join(host.folder, 'sandboxes/disks/disk-short/workspace/go'), '');
  await expect.poll(() => host.listProcesses()).toEqual([]);
  await setTimeout(100);
  const adoptedAt = Date.now();
  const inspected = await host.provider.adopt('short');
  expect(inspected).toMatchObject({ state: 'gone' });
  const endedAt = inspected.state === 'gone' ? (inspected.endedAt?.getTime() ?? 0) : 0;
  // File times may lag by up to 10 ms.
  expect(endedAt).toBeGreaterThan(goAt - 50);
  expect(endedAt).toBeLessThan(adoptedAt);
  expect(await host.provider.list()).toEqual([]);
});

test('the end of an adopted sandbox is reported', async () => {
  await inKilledServer(`await start('adopted');`);
  await host.provider.adopt('adopted');
  await host.run('adopted', 'kill -9 -1').catch(() => undefined);
  await expect.poll(() => host.ended.map(({ id }) => id)).toEqual(['adopted']);
  await expect.poll(() => host.provider.list()).toEqual([]);
});

test('reap removes everything of a start during which the server was killed', async () => {
  for (const delay of [1, 8, 15, 25]) {
    await inKilledServer(`
      await provider.probe();
      start('half-${delay}').catch(() => undefined);
      await new Promise((later) => setTimeout(later, ${delay}));`);
  }
  for (const id of await host.provider.list()) await host.provider.kill(id);
  expect(await host.provider.list()).toEqual([]);
  await setTimeout(200);
  expect(host.listProcesses()).toEqual([]);
});

test('adopt undoes a pause during which the server was killed', async () => {
  await inKilledServer(`await start('half'); await provider.pause('half');`);
  const path = new Layout(join(host.folder, 'sandboxes')).record('half');
  const record = findRecord(path);
  if (!record) throw new Error('no record');
  await writeRecord(path, { ...record, is_paused: false });
  expect(await host.provider.adopt('half')).toEqual({ state: 'running' });
  expect(await host.run('half', 'echo on')).toMatchObject({ stdout: 'on\n' });
});

test('adopt does not mistake a process with a reused id for the original', async () => {
  await inKilledServer(`await start('old');`);
  const path = new Layout(join(host.folder, 'sandboxes')).record('old');
  const record = findRecord(path);
  if (!record?.processes) throw new Error('no record');
  const bystander = spawn('sleep', ['600']);
  const stranger = { pid: bystander.pid ?? 0, start: 1 };
  const processes = { outermost: record.processes.outermost, holder: stranger, first: stranger };
  await writeRecord(path, { ...record, processes });
  expect(await host.provider.adopt('old')).toEqual({ state: 'gone', endedAt: undefined });
  expect(await host.provider.list()).toEqual([]);
  expect(bystander.exitCode ?? bystander.signalCode).toBe(null);
  bystander.kill();
});

test('adopt ignores a record from before a reboot', async () => {
  await inKilledServer(`await start('old');`);
  const path = new Layout(join(host.folder, 'sandboxes')).record('old');
  const record = findRecord(path);
  if (!record) throw new Error('no record');
  await writeRecord(path, { ...record, boot_id: 'another' });
  expect(await host.provider.adopt('old')).toEqual({ state: 'gone', endedAt: undefined });
  expect(await host.provider.list()).toEqual([]);
});
