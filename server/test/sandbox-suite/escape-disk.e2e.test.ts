/** Sandboxes that fill the disk are ended, however they hide their data; the limits here are small. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { until } from '../processes.ts';
import { type Cell, expectAlive, openWorld } from './escape-world.ts';

const BOUND_MIB = 32;
const world = await openWorld({ diskBytes: BOUND_MIB * 1024 * 1024, diskFiles: 3000 });

describe.runIf(world)('a disk', () => {
  let neighbour: Cell;
  beforeAll(async () => {
    if (world) neighbour = await world.start();
  });

  /** Each script would write far more than the limit, in steps. */
  test.each([
    ['by one file', 'while :; do head -c 4M /dev/zero >> /workspace/big; sleep 0.02; done'],
    ['at home', 'n=0; while :; do n=$((n+1)); head -c 2M /dev/zero > /home/user/$n; sleep 0.02; done'],
    ['in /var', 'n=0; while :; do n=$((n+1)); head -c 2M /dev/zero > /var/tmp/$n; sleep 0.02; done'],
    [
      'in a folder that is closed to everybody',
      'mkdir -p h/i; cd h/i; chmod 000 ..; while :; do head -c 4M /dev/zero >> big; sleep 0.02; done',
    ],
    [
      'by a file that has no name any more',
      'exec 9> gone; rm gone; while :; do head -c 4M /dev/zero >&9; sleep 0.02; done',
    ],
    ['with many files', 'n=0; while :; do n=$((n+1)); : > f$n; done'],
  ])('filled %s ends its sandbox', async (_how, script) => {
    if (!world) return;
    const cell = await world.start();
    // The guard must have measured the disk before, since it compares the free space.
    await sleep(300);
    const filling = cell.sh(script).catch(() => undefined);
    await until('it is ended', () => world.ended.includes(cell.id));
    await filling;
    await expectAlive(neighbour);
    // The written data is kept: the disk can be used or removed.
    expect(existsSync(world.workspaceOf(cell.diskId))).toBe(true);
    await world.provider.removeDisk(cell.diskId);
    expect(existsSync(world.workspaceOf(cell.diskId))).toBe(false);
    expect(await world.provider.listDisks()).not.toContain(cell.diskId);
  });

  test('within its limit keeps its sandbox running', async () => {
    if (!world) return;
    const cell = await world.start();
    await sleep(300);
    await cell.sh(
      `head -c ${BOUND_MIB - 8}M /dev/zero > /workspace/file; for n in $(seq 500); do : > $n; done`,
    );
    await sleep(1000);
    await expectAlive(cell, neighbour);
    expect(world.ended).not.toContain(cell.id);
  });
});
