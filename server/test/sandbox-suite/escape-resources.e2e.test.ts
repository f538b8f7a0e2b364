/** A sandbox may exhaust only its own resources, not those of its neighbours or the host. */
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { findSpares } from '../../src/platform/sandbox/namespaces/provider-in-test.ts';
import { until } from '../processes.ts';
import { type Cell, expectAlive, openWorld } from './escape-world.ts';

const world = await openWorld();
const holds = (limit: string) => world?.limits.includes(limit) ?? false;
const MIB = 1024 * 1024;

describe.runIf(world)('the resources of a sandbox', () => {
  let neighbour: Cell;
  beforeAll(async () => {
    if (world) neighbour = await world.start();
  });

  test.runIf(holds('pids'))('are exhausted by a fork bomb in that sandbox only', async () => {
    if (!world) return;
    const diskId = randomUUID();
    const cell = await world.start({ cpuCores: 0.5, memoryMb: 512, pids: 64 }, diskId);
    const pause = 'select(undef, undef, undef, 0.005)';
    const bomb = cell
      .perl(`mkdir '/workspace/here'; until (-e '/workspace/go') { ${pause} } for (;;) { fork; ${pause} }`)
      .catch(() => undefined);
    const workspace = world.workspaceOf(diskId);
    await expect.poll(() => existsSync(join(workspace, 'here'))).toBe(true);
    // There is a place more for the one that waits for the next command: a bomb that was faster would have it.
    if (!world.isContainer) await expect.poll(() => findSpares().length).toBe(2); // and the neighbour's
    writeFileSync(join(workspace, 'go'), '');
    await until('it is full', async () => (await world.provider.stats(cell.id)).processes >= 50);
    for (let n = 0; n < 20; n++)
      expect((await world.provider.stats(cell.id)).processes).toBeLessThanOrEqual(64);
    await expectAlive(neighbour);
    expect((await world.provider.stats(cell.id)).processes).toBeGreaterThan(1); // still running
    await world.provider.kill(cell.id);
    await bomb;
    expect(await world.provider.list()).not.toContain(cell.id);
  });

  test.runIf(holds('memory'))(
    'limit memory: a memory bomb is killed, and its sandbox continues',
    async () => {
      if (!world) return;
      const cell = await world.start({ memoryMb: 64, pids: 64 });
      const { code } = await cell.sh('head -c 300000000 /dev/zero | tail -n 1 > /dev/null');
      expect(code).toBe(137);
      // Files in a tmpfs count as memory.
      for (const place of ['/tmp', '/dev/shm', '/run']) {
        const filled = await cell.sh(
          `head -c 200000000 /dev/zero > ${place}/big; echo $?; rm -f ${place}/big`,
        );
        expect(filled.stdout).not.toBe('0\n');
      }
      const stats = await world.provider.stats(cell.id);
      expect(stats.memoryBytes).toBeLessThanOrEqual(64 * MIB);
      await expectAlive(cell, neighbour);
    },
  );

  test('limit files in a tmpfs, even without a memory limit', async () => {
    const { stdout } = await neighbour.sh(
      'df -B1 --output=size /tmp /run /dev/shm | tail -n +2 | sort -n | tail -1',
    );
    expect(Number(stdout)).toBeLessThanOrEqual(1024 * MIB);
    expect((await neighbour.sh('echo x > /dev/x || mkdir /x || echo x > /etc/x')).code).not.toBe(0);
  });

  test('limit the size of a file', async () => {
    const { code } = await neighbour.sh('truncate -s 11G /workspace/huge');
    expect(code).not.toBe(0);
    await neighbour.sh('rm -f /workspace/huge');
  });

  test('do not include a gigabyte of output, which is counted and dropped while other requests are served', async () => {
    if (!world) return;
    const execution = await world.provider.exec(neighbour.id, {
      argv: ['head', '-c', String(1024 * MIB), '/dev/zero'],
      cwd: '/workspace',
      environment: {},
    });
    execution.stdin.end();
    execution.stderr.resume();
    const before = process.memoryUsage().rss;
    let bytes = 0;
    let responses = 0;
    const over = new AbortController();
    const others = (async () => {
      while (!over.signal.aborted) {
        await expectAlive(neighbour);
        if (!over.signal.aborted) responses++;
        await sleep(20);
      }
    })();
    for await (const chunk of execution.stdout) bytes += (chunk as Buffer).length;
    over.abort();
    await others;
    expect((await execution.exit).code).toBe(0);
    expect(bytes).toBe(1024 * MIB);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * MIB);
    expect(responses).toBeGreaterThan(0);
  });

  test('limit unread output by stopping its writer, not the server', async () => {
    if (!world) return;
    const execution = await world.provider.exec(neighbour.id, {
      argv: ['yes'],
      cwd: '/workspace',
      environment: {},
    });
    const before = process.memoryUsage().rss;
    for (let n = 0; n < 5; n++) await expectAlive(neighbour);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MIB);
    execution.kill();
    await execution.exit;
  });

  test('allow 100,000 files, which are removed with the disk', async () => {
    if (!world) return;
    const cell = await world.start();
    expect(existsSync(world.workspaceOf(cell.diskId))).toBe(true);
    const made = await cell.perl(
      'for my $d (0..99) { mkdir "d$d"; for my $n (0..999) { open(my $f, ">", "d$d/$n") or die $!; } } print "made"',
    );
    expect(made.stdout).toBe('made');
    expect((await cell.sh('find . -type f | wc -l')).stdout.trim()).toBe('100000');
    await expectAlive(neighbour);
    await world.provider.kill(cell.id);
    await world.provider.removeDisk(cell.diskId);
    expect(existsSync(world.workspaceOf(cell.diskId))).toBe(false);
    expect(await world.provider.listDisks()).not.toContain(cell.diskId);
  });
});
