/** Sandboxes that fill a disk, simulated by this process on a small file system of its own if available. */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../../../test/processes.ts';
import { type DiskBounds, openDiskGuard } from './disk-guard.ts';
import { measureDisk } from './disk-use.ts';

const MIB = 1024 * 1024;
const folders: string[] = [];
const mounts: string[] = [];

afterEach(() => {
  for (const mount of mounts.splice(0)) spawnSync('umount', [mount]);
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-guard-'));
  folders.push(folder);
  return folder;
}

/** Mounts a file system of 64 MiB and 2000 files. */
function mountSmall(): string | undefined {
  const folder = makeFolder();
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m,nr_inodes=2000', 'none', folder]);
  if (status !== 0) return undefined;
  mounts.push(folder);
  return folder;
}

const canMount = mountSmall() !== undefined;
/** Prefers a separate file system, on which no other process frees space. */
const makePlace = () => mountSmall() ?? makeFolder();

function guard(folder: string, bounds: Partial<DiskBounds>, ids: readonly string[]) {
  const ended: { id: string; reason: string }[] = [];
  const watching = openDiskGuard({
    folder,
    bounds: { reserveBytes: 0, reserveFiles: 0, ...bounds },
    intervalMs: 20,
    end: async (id, reason) => void ended.push({ id, reason }),
  });
  onTestFinished(() => watching.close());
  for (const id of ids) {
    mkdirSync(join(folder, id));
    watching.add({ id, isNew: true, folders: [join(folder, id)], processes: async () => [process.pid] });
  }
  return { ended, watching };
}

/** Waits until the guard has seen a newly added disk. */
const aWhile = () => sleep(150);
const write = (file: string, bytes: number) => writeFileSync(file, Buffer.alloc(bytes, 1));

describe('the disk guard', () => {
  test('ends only the sandbox whose disk exceeds its limit', async () => {
    const folder = makePlace();
    const { ended } = guard(folder, { diskBytes: 8 * MIB }, ['greedy', 'modest']);
    await aWhile();
    write(join(folder, 'modest', 'file'), 4 * MIB);
    write(join(folder, 'greedy', 'file'), 12 * MIB);
    await until('it is ended', () => ended.length > 0);
    await aWhile();
    expect(ended.map(({ id }) => id)).toEqual(['greedy']);
    expect(ended[0]?.reason).toMatch(/holds \d+ bytes, of which it may hold 8388608/);
  });

  test('ends the sandbox that grew most when a group exceeds its limit', async () => {
    const folder = makePlace();
    const { ended, watching } = guard(folder, {}, ['stranger']);
    const group = { id: 'organization', maxBytes: 8 * MIB };
    for (const id of ['modest', 'greedy']) {
      mkdirSync(join(folder, id));
      watching.add({ id, group, isNew: true, folders: [join(folder, id)], processes: async () => [] });
    }
    await aWhile();
    write(join(folder, 'stranger', 'file'), 12 * MIB);
    write(join(folder, 'modest', 'file'), 3 * MIB);
    await aWhile();
    expect(ended).toEqual([]);
    write(join(folder, 'greedy', 'file'), 6 * MIB);
    await until('it is ended', () => ended.length > 0);
    await aWhile();
    expect(ended.map(({ id }) => id)).toEqual(['greedy']);
    expect(ended[0]?.reason).toContain('the disks of the running sandboxes of its organization hold');
  });

  test.skipIf(!canMount)('does not blame a disk that was large before for using the reserve', async () => {
    const folder = mountSmall() ?? '';
    mkdirSync(join(folder, 'old'));
    mkdirSync(join(folder, 'database'));
    write(join(folder, 'old', 'file'), 20 * MIB);
    const { ended, watching } = guard(folder, { reserveBytes: 32 * MIB }, ['idle']);
    watching.add({ id: 'old', isNew: false, folders: [join(folder, 'old')], processes: async () => [] });
    await aWhile();
    write(join(folder, 'database', 'file'), 30 * MIB);
    await aWhile();
    write(join(folder, 'database', 'more'), 8 * MIB);
    await aWhile();
    expect(await watching.findShortage()).toContain('bytes');
    expect(ended).toEqual([]);
  });

  test('detects a disk that fills slowly', async () => {
    const folder = makePlace();
    const { ended } = guard(folder, { diskBytes: 8 * MIB }, ['slow']);
    await aWhile();
    for (let n = 0; n < 12; n++) {
      write(join(folder, 'slow', `${n}`), MIB);
      await sleep(30);
    }
    await until('it is ended', () => ended.length > 0);
  });

  test('ignores disks below their limit, and disks that were removed', async () => {
    const folder = makePlace();
    const { ended, watching } = guard(folder, { diskBytes: 8 * MIB }, ['small', 'gone']);
    await aWhile();
    watching.remove('gone');
    write(join(folder, 'small', 'file'), 6 * MIB);
    write(join(folder, 'gone', 'file'), 20 * MIB);
    await sleep(300);
    expect(ended).toEqual([]);
  });

  test('counts deleted files that are still open', async () => {
    const folder = makeFolder();
    const file = join(folder, 'file');
    const fd = openSync(file, 'w');
    onTestFinished(() => closeSync(fd));
    unlinkSync(file);
    writeSync(fd, Buffer.alloc(5 * MIB, 1));
    expect((await measureDisk([folder], [])).bytes).toBeLessThan(MIB);
    expect((await measureDisk([folder], [process.pid])).bytes).toBeGreaterThanOrEqual(5 * MIB);
  });
});

describe.runIf(canMount)('the disk guard on a file system of its own', () => {
  test('counts many files like large ones', async () => {
    const folder = mountSmall() ?? '';
    const { ended } = guard(folder, { diskFiles: 500 }, ['many', 'few']);
    await aWhile();
    for (let n = 0; n < 700; n++) writeFileSync(join(folder, 'many', `${n}`), '');
    await until('it is ended', () => ended.length > 0);
    await aWhile();
    expect(ended).toMatchObject([{ id: 'many', reason: expect.stringContaining('files') }]);
  });

  test('ends the sandbox that uses the reserve once, and spares one that did not grow', async () => {
    const folder = mountSmall() ?? '';
    mkdirSync(join(folder, 'database'));
    const { ended, watching } = guard(folder, { reserveBytes: 32 * MIB }, ['greedy', 'modest']);
    await aWhile();
    expect(await watching.findShortage()).toBeUndefined();
    write(join(folder, 'greedy', 'file'), 36 * MIB);
    await until('it is ended', () => ended.length > 0);
    await sleep(200);
    expect(ended.map(({ id }) => id)).toEqual(['greedy']);
    expect(await watching.findShortage()).toContain('bytes');
    write(join(folder, 'database', 'file'), 2 * MIB);
    await sleep(200);
    expect(ended).toHaveLength(1);
  });
});
