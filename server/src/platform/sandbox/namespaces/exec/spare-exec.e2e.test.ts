/** The process prepared for the next command of a sandbox: invisible, not counted, and gone when it should be. */
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { isAlive, type ProcessName, signal } from '../../process-table.ts';
import { findSpares, findSpawners, ProviderInTest } from '../provider-in-test.ts';

let host: ProviderInTest;

beforeAll(async () => {
  host = new ProviderInTest();
  await host.start('one');
});

afterAll(async () => {
  await host.close();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Returns the prepared process of the only sandbox. */
async function getSpare(): Promise<ProcessName> {
  return await vi.waitFor(() => {
    const spares = findSpares();
    expect(spares).toHaveLength(1);
    return spares[0] as ProcessName;
  });
}

const isGone = (spare: ProcessName) => expect.poll(() => isAlive(spare)).toBe(false);
const echo = { code: 0, stdout: 'here\n', stderr: '' };

test('a command is prepared from the start on, and again after each command', async () => {
  const first = await getSpare();
  expect(await host.run('one', 'echo here')).toEqual(echo);
  expect(await getSpare()).not.toEqual(first);
  await host.run('one', 'true', { cwd: '/nowhere' }).catch(() => undefined);
  await getSpare();
  await Promise.all(Array.from({ length: 5 }, () => host.run('one', 'true')));
  await getSpare();
});

test('the prepared process is invisible inside, and not counted', async () => {
  await getSpare();
  const before = await host.provider.stats('one');
  const list = 'for process in /proc/[0-9]*; do tr "\\0" " " <$process/cmdline; echo; done';
  const { stdout } = await host.run('one', list);
  expect(stdout).toContain('tini');
  expect(stdout).not.toContain('released');
  await host.provider.pause('one');
  expect((await host.provider.stats('one')).processes).toBe(before.processes);
  await host.provider.resume('one');
});

test.runIf(process.getuid?.() === 0)(
  'the prepared process does not count against the process limit of the sandbox',
  async () => {
    await host.start('bounded', { limits: { pids: 24 } });
    const fill = `import os, time
input()
while True:
  try: os.fork() or time.sleep(300)
  except OSError: time.sleep(0.05)`;
    const filling = await host.exec('bounded', '', { argv: ['python3', '-c', fill] });
    await expect.poll(() => findSpares().length).toBe(2); // includes the only sandbox, and this one
    filling.stdin.end('now\n');
    await expect.poll(async () => (await host.provider.stats('bounded')).processes).toBe(24);
    await host.provider.kill('bounded');
  },
);

test('no command is prepared while a sandbox is paused, and one is again afterwards', async () => {
  const spare = await getSpare();
  await host.provider.pause('one');
  expect(isAlive(spare)).toBe(false);
  expect(findSpares()).toEqual([]);
  await host.provider.resume('one');
  await getSpare();
  expect(await host.run('one', 'echo here')).toEqual(echo);
});

test('pauses right after commands leave no prepared process, however far it had come', async () => {
  for (let round = 0; round < 10; round += 1) {
    await host.run('one', 'true');
    await setTimeout(round);
    await host.provider.pause('one');
    expect(findSpares()).toEqual([]);
    await host.provider.resume('one');
  }
  expect(await host.run('one', 'echo here')).toEqual(echo);
});

test('a killed prepared process is replaced, whenever it was killed', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { pid } = await getSpare();
    const asked = round < 5 ? undefined : host.run('one', 'echo here');
    signal(pid, 'SIGKILL');
    const ran = (await asked) ?? (await host.run('one', 'echo here'));
    // A command that was killed while it ran is reported as killed, and does not run twice.
    if (ran.code !== 137) expect(ran).toEqual(echo);
  }
  await getSpare();
});

test('a prepared process whose inner part was killed is replaced silently', async () => {
  // The command's parent, which leads in.
  const ran = await host.run('one', 'echo here; kill -9 $PPID; sleep 5');
  expect(ran).toEqual({ ...echo, code: 137 });
  const killAll = `import os, time
known = set(os.listdir('/proc')) | {str(os.getpid())}
print('begun', flush=True)
until = time.time() + 20
while time.time() < until:
  for name in set(os.listdir('/proc')) - known:
    try: name.isdigit() and os.kill(int(name), 9)
    except OSError: pass`;
  const killer = await host.exec('one', '', { argv: ['python3', '-c', killAll] });
  await killer.stdout.take(1).toArray();
  const outcomes: unknown[] = [];
  for (let round = 0; round < 10; round += 1)
    outcomes.push(await host.run('one', 'echo here').catch((error: unknown) => error));
  killer.kill();
  await killer.exit;
  const refused = outcomes.filter((outcome) => outcome instanceof Error);
  expect(refused.length).toBeGreaterThan(0);
  // Like a command killed because the memory is used up.
  for (const error of refused) expect(error).toMatchObject({ type: 'conflict_error' });
  for (const ran of outcomes) if (!refused.includes(ran as Error)) expect(ran).toMatchObject({ stderr: '' });
  expect(await host.run('one', 'echo here')).toEqual(echo);
});

test('a prepared process ends with the spawner, runs nothing, and the next command gets another one', async () => {
  const spare = await getSpare();
  for (const pid of findSpawners()) signal(pid, 'SIGKILL');
  await host.run('one', 'echo here').catch(() => undefined); // it may be its last
  await isGone(spare);
  expect(await host.run('one', 'echo here')).toEqual(echo);
});

test('a prepared process ends a minute after the last use, and a command runs without it', async () => {
  const spare = await getSpare();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const execution = await host.exec('one', 'exit 3');
  expect(await execution.exit).toEqual({ code: 3 });
  vi.advanceTimersByTime(59_000);
  vi.useRealTimers();
  await isGone(spare);
  const next = await getSpare();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  expect(await (await host.exec('one', 'exit 4')).exit).toEqual({ code: 4 });
  vi.advanceTimersByTime(60_000);
  vi.useRealTimers();
  await isGone(next);
  await expect.poll(() => findSpares()).toEqual([]);
  expect(await host.run('one', 'echo here')).toEqual(echo);
});

test('a prepared process ends with its sandbox, however that ends', async () => {
  await host.provider.pause('one'); // so that the remaining ones belong to the others
  for (const end of [
    () => host.provider.kill('short'),
    () => host.exec('short', 'kill -TERM 1').then(() => expect.poll(() => host.ended.length).toBe(1)),
  ]) {
    await host.start('short');
    const spare = await getSpare();
    await end();
    await isGone(spare);
    await expect.poll(() => findSpares()).toEqual([]);
    await host.provider.kill('short');
  }
  await host.provider.resume('one');
});

test('exec passes every possible argument unchanged', async () => {
  const letters = Array.from({ length: 0x2fff }, (_, code) => code + 1)
    .filter((code) => code < 0xd800)
    .map((code) => String.fromCodePoint(code))
    .join('');
  const words = ['', "'", `it's "$HOME" \`id\` \\ $(id)`, 'a\nb\n', '-n', '*', letters, '😀'.repeat(20_000)];
  const { stdout, code } = await host.run('one', '', { argv: ['printf', '%s\\0', ...words] });
  expect(code).toBe(0);
  expect(stdout.split('\0').slice(0, -1)).toEqual(words);
  const many = Array.from({ length: 9_998 }, (_, index) => `'${index}`);
  expect((await host.run('one', '', { argv: ['printf', '%s\\n', ...many] })).stdout).toBe(
    `${many.join('\n')}\n`,
  );
  await host.run('one', `mkdir -p "/workspace/it's \\$x"`);
  expect((await host.run('one', 'pwd', { cwd: `/workspace/it's $x` })).stdout).toBe(`/workspace/it's $x\n`);
});

test('exec passes only the given environment', async () => {
  const environment = { __script: 'a', __script_0: "b'", LD_PRELOAD: '', 'with.dot': 'c', PATH: '/usr/bin' };
  const { stdout } = await host.run('one', '', { argv: ['env', '-0'], environment });
  const found = Object.fromEntries(
    stdout
      .split('\0')
      .filter(Boolean)
      .map((text) => text.split(/=(.*)/s)),
  );
  expect(found).toMatchObject({ __script: 'a', __script_0: "b'", LD_PRELOAD: '', PATH: '/usr/bin' });
  expect(Object.keys(found).filter((name) => /hidden|script_1|heard|released|OLDPWD/.test(name))).toEqual([]);
});

test('exec refuses arguments that are too long or not valid text before anything runs', async () => {
  const long = Array.from({ length: 40 }, () => 'x'.repeat(100_000));
  for (const argv of [
    ['echo', ...long],
    ['echo', 'x'.repeat(131_072)],
    ['echo', 'a\0b'],
  ] as [string, ...string[]][]) {
    await expect(host.run('one', '', { argv })).rejects.toMatchObject({ type: 'validation_error' });
  }
  // Around the maximum length a command is either refused or runs; the kernel never refuses it.
  for (let length = 2_030_000; length < 2_100_000; length += 10_000) {
    const argv = ['true', ...Array.from({ length: 100 }, () => 'x'.repeat(length / 100))] as const;
    const outcome = await host.run('one', '', { argv }).catch((error: unknown) => error);
    if (outcome instanceof Error) expect(outcome).toMatchObject({ type: 'validation_error' });
    else expect(outcome).toEqual({ code: 0, stdout: '', stderr: '' });
  }
});
