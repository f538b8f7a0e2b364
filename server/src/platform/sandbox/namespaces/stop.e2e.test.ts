/** A pause stops all processes, keeps their state, and uses no CPU: by the host's freezer, or by signals when there is none. */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findNamespace } from '../process-table.ts';
import { Layout } from './layout.ts';
import { ProviderInTest } from './provider-in-test.ts';
import { findRecord } from './record.ts';
import { continueBySignals, listInside, stopBySignals } from './stop.ts';

let host: ProviderInTest;

beforeAll(async () => {
  host = new ProviderInTest();
  await host.start('one');
});

afterAll(async () => {
  await host.close();
});

function getFirst(): number {
  const record = findRecord(new Layout(join(host.folder, 'sandboxes')).record('one'));
  if (!record?.processes) throw new Error('no record');
  return record.processes.first.pid;
}

const cpuTicks = () =>
  listInside(findNamespace(getFirst(), 'pid')).reduce((sum, entry) => sum + entry.cpuTicks, 0);
const spin = 'echo begun; i=0; while :; do i=$((i+1)); [ -e /workspace/stop ] && { echo $i; exit 5; }; done';

test('pausing by the provider', async () => {
  await host.run('one', 'rm -f stop');
  const execution = await host.exec('one', spin);
  const output = execution.stdout.toArray();
  await setTimeout(100);
  await host.provider.pause('one');
  expect(await host.provider.inspect('one')).toEqual({ state: 'paused' });
  const before = cpuTicks();
  await setTimeout(300);
  expect(cpuTicks()).toBe(before);
  await expect(host.run('one', 'true')).rejects.toMatchObject({ type: 'conflict_error' });
  await expect(host.provider.pause('one')).rejects.toMatchObject({ type: 'conflict_error' });
  await host.provider.resume('one');
  await expect(host.provider.resume('one')).rejects.toMatchObject({ type: 'conflict_error' });
  await host.run('one', 'touch stop');
  expect(await execution.exit).toEqual({ code: 5 });
  expect(Buffer.concat(await output).toString()).toMatch(/^begun\n\d+\n$/);
});

test('pausing by signals, including processes that keep forking', async () => {
  await host.run('one', 'rm -f stop');
  const execution = await host.exec(
    'one',
    'while [ ! -e /workspace/stop ]; do sh -c true & wait; done; exit 6',
  );
  await stopBySignals(getFirst());
  const before = cpuTicks();
  const states = listInside(findNamespace(getFirst(), 'pid')).map(({ state }) => state);
  expect(states.filter((state) => !'TZ'.includes(state))).toEqual([]);
  await setTimeout(200);
  expect(cpuTicks()).toBe(before);
  continueBySignals(getFirst());
  await host.run('one', 'touch stop');
  expect(await execution.exit).toEqual({ code: 6 });
});

test('commands starting during a pause complete after the resume, or are refused', async () => {
  const commands = Array.from({ length: 20 }, async (_, index) => {
    await setTimeout(index * 2);
    return await host.run('one', `echo ${index}`).catch((error: unknown) => error);
  });
  await setTimeout(15);
  await host.provider.pause('one');
  await setTimeout(100);
  await host.provider.resume('one');
  for (const [index, result] of (await Promise.all(commands)).entries()) {
    if (result instanceof Error) expect(result).toMatchObject({ type: 'conflict_error' });
    else expect(result).toEqual({ code: 0, stdout: `${index}\n`, stderr: '' });
  }
});

test('a paused sandbox can be killed', async () => {
  await host.start('paused');
  await host.run('paused', 'sleep 600 & true');
  const execution = await host.exec('paused', 'sleep 600; true');
  await host.provider.pause('paused');
  await host.provider.kill('paused');
  expect((await execution.exit).code).toBe(137);
  expect(await host.provider.list()).toEqual(['one']);
});
