/** Control groups of this machine, in whichever version it has. Tests of missing features are skipped by name. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { isRoot, nodeAsNobody, seenByNobody } from '../../../../test/as-nobody.ts';
import { type Cgroup, openCgroups } from './cgroups.ts';
import { makeGroup as makeGroupIn } from './group.ts';
import { findLayout, type Layout } from './layout.ts';

const owner = `test-${randomUUID()}`;
const { layout } = await findLayout();
const cgroups = await openCgroups(owner);
const has = (limit: 'cpu' | 'memory' | 'pids') => cgroups.limits.includes(limit);

afterAll(async () => {
  expect(await cgroups.list()).toEqual([]);
  await cgroups.close();
  expect(globSync(`/sys/fs/cgroup/**/${owner}*`)).toEqual([]);
});

async function makeGroup(limits: Parameters<typeof cgroups.create>[1] = {}): Promise<Cgroup> {
  const group = await cgroups.create(randomUUID(), limits);
  onTestFinished(async () => {
    await group.kill();
    await group.remove();
  });
  return group;
}

/** Joins the group first, as a sandbox does. */
async function runIn(group: Cgroup, script: string): Promise<ChildProcess> {
  const joining = 'for file in "$@"; do echo 0 > "$file" || exit 1; done; echo joined';
  const child = spawn('sh', ['-c', `${joining}; exec >/dev/null; ${script}`, 'sh', ...group.procsFiles], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await new Promise((joined) => child.stdout.once('data', joined));
  return child;
}

const ended = (child: ChildProcess) =>
  new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('exit', (code, signal) => resolve(code ?? signal)),
  );

const inOrder = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);

const valueOf = (limit: 'cpu' | 'memory' | 'pids', group: Cgroup, file: string) =>
  readFileSync(join(layout[limit]?.parent ?? '', `${owner}.${group.id}`, file), 'utf8').trim();

test('openCgroups explains what is not possible and how to fix it', () => {
  const lacking = 3 - cgroups.limits.length + (cgroups.canFreeze ? 0 : 1);
  expect(cgroups.reasons.length > 0).toBe(lacking > 0);
});

test.runIf(cgroups.canFreeze)('openCgroups removes a frozen trial group of a killed process', async () => {
  const name = `${owner}..${process.pid}-1-freeze`;
  const group = await makeGroupIn(layout, name, name, {});
  const child = await runIn(group, 'sleep 600');
  const end = ended(child);
  await group.freeze();
  await openCgroups(owner);
  expect(await end).toBe('SIGKILL');
  expect(globSync(`/sys/fs/cgroup/**/${name}`)).toEqual([]);
});

test.runIf(isRoot && existsSync('/usr/bin/setpriv'))(
  'openCgroups as an ordinary user reports that no groups are available',
  async () => {
    const source = seenByNobody(join(import.meta.dirname, 'cgroups.ts'));
    const script = `const { openCgroups } = await import(${JSON.stringify(source)});
      const { limits, canFreeze, reasons } = await openCgroups('nobody');
      console.log(JSON.stringify({ limits, canFreeze, reasons }));`;
    const [command, ...args] = nodeAsNobody('--input-type=module', '-e', script);
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const output = (await Array.fromAsync(child.stdout)).join('');
    const found = JSON.parse(output) as Pick<typeof cgroups, 'limits' | 'canFreeze' | 'reasons'>;
    expect(found).toMatchObject({ limits: [], canFreeze: false });
    expect(found.reasons.join()).toContain('Run the server as root');
  },
);

test.runIf(!has('memory'))('create refuses a limit that the host cannot enforce', async () => {
  await expect(cgroups.create(randomUUID(), { memoryMb: 64 })).rejects.toThrow('memory');
});

describe.runIf(cgroups.limits.length > 0)('control groups with limits', () => {
  test('find returns a group by its id to its owner only', async () => {
    const group = await makeGroup();
    expect(await cgroups.list()).toEqual([group.id]);
    expect((await cgroups.find(group.id))?.procsFiles).toEqual(group.procsFiles);
    const other = await openCgroups(`${owner}-other`);
    expect(await other.find(group.id)).toBeUndefined();
    expect(await other.list()).toEqual([]);
    await other.close();
    expect(await cgroups.find(randomUUID())).toBeUndefined();
  });

  test('create fails for an existing group and leaves it alone', async () => {
    const group = await makeGroup();
    await expect(cgroups.create(group.id, {})).rejects.toThrow('already');
    expect(await cgroups.list()).toEqual([group.id]);
  });

  test.runIf(has('memory'))(
    'a process over the memory limit is killed; other processes of the group are not',
    async () => {
      const group = await makeGroup({ memoryMb: 32 });
      const neighbour = await runIn(group, 'exec sleep 600');
      const bomb = await runIn(group, 'head -c 200000000 /dev/zero | tail -n 1 > /dev/null');
      expect(await ended(bomb)).toBe(137);
      const stats = await group.stats();
      expect(stats.memoryKills).toBe(1);
      expect(stats.memoryBytes).toBeLessThan(32 * 1024 * 1024);
      expect(neighbour.exitCode ?? neighbour.signalCode).toBeNull();
    },
  );

  test.runIf(has('pids'))('processes beyond the limit are not started', async () => {
    const group = await makeGroup({ pids: 5 });
    await runIn(group, 'for i in 1 2 3 4 5 6 7 8 9; do sleep 600 & done; wait');
    await expect.poll(() => valueOf('pids', group, 'pids.events')).not.toBe('max 0');
    expect((await group.stats()).processes).toBeLessThanOrEqual(5);
  });

  test.runIf(has('cpu'))('two busy processes together get the share of the group', async () => {
    const group = await makeGroup({ cpuCores: 0.2 });
    await runIn(group, 'while :; do :; done & while :; do :; done');
    const before = (await group.stats()).cpuSeconds ?? 0;
    const started = performance.now();
    await sleep(1000);
    const used = ((await group.stats()).cpuSeconds ?? 0) - before;
    const seconds = (performance.now() - started) / 1000;
    expect(used / seconds).toBeLessThan(0.35);
    expect(used).toBeGreaterThan(0.01);
  });

  test('create writes the limits as the kernel expects them', async () => {
    const group = await makeGroup({ cpuCores: 2, memoryMb: 512, pids: 1024 });
    if (layout.pids) expect(valueOf('pids', group, 'pids.max')).toBe('1024');
    if (layout.memory?.version === 1) {
      expect(valueOf('memory', group, 'memory.limit_in_bytes')).toBe(String(512 * 1024 * 1024));
    }
    if (layout.cpu?.version === 1) expect(valueOf('cpu', group, 'cpu.cfs_quota_us')).toBe('200000');
  });
});

describe.runIf(layout.memory?.version === 2)('control groups of v2 with limits', () => {
  test('create writes the limits as the kernel expects them, and disables swap', async () => {
    const group = await makeGroup({ cpuCores: 2, memoryMb: 512, pids: 1024 });
    expect(valueOf('memory', group, 'memory.max')).toBe(String(512 * 1024 * 1024));
    expect(valueOf('cpu', group, 'cpu.max')).toBe('200000 100000');
    const swap = join(layout.memory?.parent ?? '', `${owner}.${group.id}`, 'memory.swap.max');
    if (existsSync(swap)) expect(readFileSync(swap, 'utf8').trim()).toBe('0');
  });
});

describe.runIf(cgroups.canFreeze)(`freezing with v${layout.freezer?.version}`, () => {
  test('a frozen group uses no CPU, and continues where it stopped', async () => {
    const group = await makeGroup();
    await runIn(group, 'while :; do :; done');
    await group.freeze();
    expect(await group.isFrozen()).toBe(true);
    const before = (await group.stats()).cpuSeconds ?? 0;
    await sleep(100);
    expect((await group.stats()).cpuSeconds).toBe(before);
    await group.thaw();
    expect(await group.isFrozen()).toBe(false);
    await sleep(100);
    expect((await group.stats()).cpuSeconds).toBeGreaterThan(before);
  });

  test('freeze catches processes that are being started', async () => {
    const group = await makeGroup();
    await runIn(group, 'while :; do sleep 0.001; done');
    for (let round = 0; round < 20; round++) {
      await group.freeze();
      const before = inOrder(await group.processes());
      await sleep(3);
      expect(inOrder(await group.processes())).toEqual(before);
      await group.thaw();
    }
  });

  test('a frozen group can be killed and removed', async () => {
    const group = await makeGroup();
    const child = await runIn(group, 'sleep 600 & sleep 600');
    await group.freeze();
    await group.kill();
    expect(await group.processes()).toEqual([]);
    expect(child.signalCode ?? (await ended(child))).toBe('SIGKILL');
    await group.remove();
    await group.remove();
    expect(await cgroups.find(group.id)).toBeUndefined();
    expect(group.procsFiles.filter((file) => existsSync(dirname(file)))).toEqual([]);
  });

  test('kill ends a group that keeps forking', async () => {
    const group = await makeGroup(has('pids') ? { pids: 64 } : {});
    await runIn(group, 'ulimit -t 5; while :; do (sleep 1 &) ; done');
    await sleep(100);
    await group.kill();
    expect(await group.processes()).toEqual([]);
  });
});

const OLD_FREEZER = '/sys/fs/cgroup/freezer';
const canUseOldFreezer = process.getuid?.() === 0 && existsSync(join(OLD_FREEZER, 'cgroup.procs'));

test.runIf(canUseOldFreezer)(
  'a group with only a v1 freezer freezes, and releases killed processes',
  async () => {
    const old: Layout = { freezer: { version: 1, parent: join(OLD_FREEZER, 'drydock'), controllers: [] } };
    const group = await makeGroupIn(old, 'old', `${owner}.${randomUUID()}`, {});
    onTestFinished(async () => {
      await group.kill();
      await group.remove();
    });
    const child = await runIn(group, 'while :; do sleep 0.001; done');
    for (let round = 0; round < 10; round++) {
      await group.freeze();
      const before = inOrder(await group.processes());
      await sleep(3);
      expect(inOrder(await group.processes())).toEqual(before);
      await group.thaw();
    }
    await group.freeze();
    const exit = ended(child);
    await group.kill();
    expect(await exit).toBe('SIGKILL');
  },
);

test.runIf(has('memory'))(
  'keepReady leaves this process in its group, and does not keep the process alive',
  async () => {
    const groupsOf = () => readFileSync('/proc/self/cgroup', 'utf8');
    const before = groupsOf();
    const other = await openCgroups(owner);
    for (let round = 0; round < 3; round++) {
      other.keepReady();
      await sleep(25);
      expect(groupsOf()).toBe(before);
    }
    await other.close();
    other.keepReady();
    expect(groupsOf()).toBe(before);
  },
);
