/** The spawner: its environment and files, its remains, and the fate of commands when it ends. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { isAlive, listNumbers, signal } from '../../process-table.ts';
import { StrayFiles } from '../host-environment.ts';
import { findPrograms } from '../programs.ts';
import { findSpares, findSpawners, ProviderInTest, readText } from '../provider-in-test.ts';
import { Spawner } from './spawner.ts';

let host: ProviderInTest;

beforeAll(async () => {
  host = new ProviderInTest();
  await host.start('one');
});

afterAll(async () => {
  await host.close();
  expect(findSpawners(process.pid)).toEqual([]);
});

function getSpawner(): number {
  const [spawner, ...others] = findSpawners(process.pid);
  expect(others).toEqual([]);
  return spawner ?? expect.fail('there is none');
}

const countFiles = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;
const isRun = (commandLine: string) =>
  listNumbers().some((pid) => readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() === commandLine);

test("the spawner has none of the server's environment and files", async () => {
  const spawner = getSpawner();
  const names = readText(`/proc/${spawner}/environ`).split('\0').filter(Boolean);
  expect(names.map((text) => text.replace(/=.*/s, '')).toSorted()).toEqual([
    'NODE_CHANNEL_FD',
    'NODE_CHANNEL_SERIALIZATION_MODE',
    'PATH',
  ]);
  const listFiles = () =>
    readdirSync(`/proc/${spawner}/fd`)
      .map((number) => readlinkSync(`/proc/${spawner}/fd/${number}`))
      .filter((name) => name.startsWith('/') && name !== '/dev/null');
  // Files passed for the last sandbox stay open for a moment after its start.
  await expect.poll(listFiles).toEqual([]);
});

test('the end of the spawner ends commands and reports them, spares background processes, and the next command runs', async () => {
  await host.run('one', 'sleep 7741 & true');
  const running = await Promise.all([7742, 7743].map((seconds) => host.exec('one', `exec sleep ${seconds}`)));
  const before = getSpawner();
  const ends = vi.fn<(code: number) => void>();
  for (const { exit } of running) void exit.then(({ code }) => ends(code));
  signal(before, 'SIGKILL');
  for (const { exit, stdout } of running) {
    expect(await exit).toEqual({ code: 137 });
    expect(await stdout.toArray()).toEqual([]);
  }
  await expect.poll(() => ['sleep 7742', 'sleep 7743'].filter(isRun)).toEqual([]);
  expect(isRun('sleep 7741')).toBe(true);
  expect(await host.run('one', 'echo here')).toEqual({ code: 0, stdout: 'here\n', stderr: '' });
  expect(getSpawner()).not.toBe(before);
  expect(ends.mock.calls).toEqual([[137], [137]]);
  await host.start('after');
  expect(await host.run('after', 'exit 3')).toMatchObject({ code: 3 });
  await host.provider.kill('after');
  expect(host.ended).toEqual([]);
});

test('commands starting while the spawner ends either run or are refused, without partial state', async () => {
  for (let round = 0; round < 5; round += 1) {
    const asked = Promise.allSettled(Array.from({ length: 6 }, () => host.run('one', 'exec sleep 7744')));
    const killAll = () => findSpawners(process.pid).forEach((pid) => signal(pid, 'SIGKILL'));
    // Repeatedly, since commands may all begin only after the first kill.
    const kills = setInterval(killAll, 10 + round * 30);
    await asked;
    clearInterval(kills);
    for (const outcome of await asked) {
      if (outcome.status === 'fulfilled') expect(outcome.value.code).toBe(137);
      else expect(outcome.reason).toHaveProperty('type');
    }
  }
  expect(await host.run('one', 'echo here')).toMatchObject({ stdout: 'here\n' });
  await expect.poll(() => isRun('sleep 7744')).toBe(false);
});

test('killing the server ends its spawner, all commands, and waiting processes', async () => {
  const source = `
    import { ProviderInTest } from ${JSON.stringify(join(import.meta.dirname, '../provider-in-test.ts'))};
    const host = new ProviderInTest();
    console.log(host.folder);
    await host.start('left');
    await host.exec('left', 'exec sleep 7745');
    console.log('done');
    setInterval(() => undefined, 1000);`;
  const server = spawn(process.execPath, ['--input-type=module-typescript', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const folder = String((await lines.next()).value);
  expect((await lines.next()).value).toBe('done');
  const [spawner = 0] = findSpawners(server.pid ?? 0);
  expect(spawner).toBeGreaterThan(0);
  await expect.poll(() => isRun('sleep 7745')).toBe(true);
  await expect.poll(() => findSpares(spawner).length).toBe(1);
  const spares = findSpares(spawner);
  server.kill('SIGKILL');
  await once(server, 'exit');
  await expect.poll(() => readText(`/proc/${spawner}/cmdline`)).toBe('');
  await expect.poll(() => isRun('sleep 7745')).toBe(false);
  await expect.poll(() => spares.filter(isAlive)).toEqual([]);
  const next = new ProviderInTest(folder);
  expect(await next.provider.adopt('left')).toEqual({ state: 'running' });
  await next.close();
});

test('many commands leave no open files, in the server or the spawner', async () => {
  await host.run('one', 'true');
  const spawner = getSpawner();
  await expect.poll(() => findSpares(spawner).length).toBe(1);
  const count = () => [countFiles(process.pid), countFiles(spawner)];
  let before = count();
  // Both processes still have files open for commands that are being started.
  const isSettled = () => String(before) === String((before = count()));
  await expect.poll(isSettled, { interval: 200 }).toBe(true);
  for (let round = 0; round < 20; round += 1) {
    await Promise.all(
      Array.from({ length: 5 }, () => host.run('one', 'cat; echo out; echo err >&2', {}, Buffer.from('x'))),
    );
    await host.run('one', 'true', { cwd: '/nowhere' }).catch(() => undefined);
    await host.run('one', '', { argv: ['echo', 'x'.repeat(200_000)] }).catch(() => undefined);
  }
  // Fewer are fine: a file that was being closed counts before. A leak, of whichever command, is 20 files or more.
  await expect.poll(() => count().map((files, place) => files <= (before[place] ?? 0))).toEqual([true, true]);
});

test('megabytes of arbitrary bytes pass through unchanged', async () => {
  const bytes = randomBytes(8_000_000);
  const execution = await host.exec('one', '', { argv: ['cat'] });
  execution.stdin.end(bytes);
  const output = Buffer.concat(await execution.stdout.toArray());
  expect(output.equals(bytes)).toBe(true);
  expect(await execution.exit).toEqual({ code: 0 });
});

test('unread input neither blocks the server nor accumulates in it', async () => {
  const bytes = Buffer.alloc(8_000_000);
  expect(await host.run('one', 'echo over', {}, bytes)).toEqual({ code: 0, stdout: 'over\n', stderr: '' });
  expect(await host.run('one', 'exec <&-; sleep 0.2; echo over', {}, bytes)).toMatchObject({
    stdout: 'over\n',
  });
  const execution = await host.exec('one', 'sleep 0.3; wc -c');
  expect(execution.stdin.write(bytes)).toBe(false);
  execution.stdin.end();
  expect(Buffer.concat(await execution.stdout.toArray()).toString()).toBe('8000000\n');
});

test('errors of the system are reported with their code', async () => {
  const spawner = new Spawner(findPrograms(), new StrayFiles());
  const plan = { cwd: '/', files: ['ignore', 'ignore', 'ignore'], reportLines: 0, outlives: false } as const;
  const start = (...argv: string[]) => spawner.start({ ...plan, argv });
  await expect(start('/no/such/program')).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(start('/bin/true', 'x'.repeat(200_000))).rejects.toMatchObject({ code: 'E2BIG' });
  await expect(start('/bin/true', 'a\0b')).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' });
  expect(await (await start('/bin/sh', '-c', 'exit 9')).ended).toEqual({ code: 9, signal: null });
  await spawner.close();
  await expect(start('/bin/true')).rejects.toThrow('closed');
});
