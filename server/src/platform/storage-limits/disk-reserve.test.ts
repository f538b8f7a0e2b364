/** Tests the reserve on a small file system; skipped if none can be mounted. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { DiskReserve } from './disk-reserve.ts';
import { StorageLimitError } from './storage-limit-error.ts';

const MIB = 1024 ** 2;
const folder = mkdtempSync(join(tmpdir(), 'drydock-reserve-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'none', folder]).status === 0;
afterAll(() => {
  if (mounted) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(!mounted)('a disk of 64 MiB with a reserve of 8 MiB', () => {
  /** Writes foreign files until only this much is left. */
  const leave = (mib: number) => {
    truncateSync(writeTo('others'), 0);
    writeFileSync(join(folder, 'others'), Buffer.alloc((64 - mib) * MIB));
  };
  const writeTo = (name: string) => {
    const path = join(folder, name);
    writeFileSync(path, '');
    return path;
  };
  const open = () => new DiskReserve(folder, 8 * MIB);

  test('take refuses files at twice the reserve, and rows at the reserve', async () => {
    leave(24);
    await open().take('files', 8 * MIB);
    await expect(open().take('files', 9 * MIB)).rejects.toThrow(StorageLimitError);
    await open().take('rows', 16 * MIB);
    await expect(open().take('rows', 17 * MIB)).rejects.toMatchObject({ status: 429 });
  });

  test('take subtracts what was taken since the last measurement', async () => {
    leave(24);
    const reserve = open();
    // A measurement is valid for 250 ms, so all are taken in one turn.
    const taken = await Promise.allSettled([
      reserve.take('files', 4 * MIB),
      reserve.take('files', 4 * MIB),
      reserve.take('files', MIB),
      reserve.take('rows', 8 * MIB),
    ]);
    expect(taken.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(taken[2]).toMatchObject({
      reason: { message: expect.stringContaining('The disk of this server has 24 MiB left') },
    });
  });

  test('findShortage reports which writes are refused', async () => {
    leave(20);
    expect(await open().findShortage()).toBeUndefined();
    leave(12);
    expect(await open().findShortage()).toContain('12 MiB left: objects and new sandboxes are refused');
    leave(4);
    expect(await open().findShortage()).toContain('everything but deletes');
  });
});

test('the reserve is a tenth of a small disk and 512 MiB of a large one', async () => {
  const left = await new DiskReserve(folder).bytesLeftByFiles();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(2 * 512 * MIB);
  if (mounted) expect(left).toBeCloseTo(2 * 6.4 * MIB, -2);
});
