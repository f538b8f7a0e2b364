/** Disks: their owners, their durability, and their removal whatever a sandbox made of them. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ProviderInTest } from '../provider-in-test.ts';
import { readUidRange } from './uid-range.ts';

let host: ProviderInTest;

beforeEach(() => {
  host = new ProviderInTest();
});

afterEach(async () => {
  await host.close();
});

const isRoot = process.getuid?.() === 0;
const folderOf = (disk: string) => join(host.folder, 'sandboxes/disks', disk);

test('files on a disk persist, and temporary files do not', async () => {
  await host.start('first', { diskId: 'kept' });
  const kept = '/workspace/a /home/user/b /usr/local/bin/c /opt/d /var/lib/e';
  await host.run('first', `touch ${kept} /tmp/f /run/g /dev/shm/h`);
  await host.provider.kill('first');
  await host.start('second', { diskId: 'kept' });
  expect((await host.run('second', `ls ${kept}`)).code).toBe(0);
  expect((await host.run('second', 'ls /tmp /run /dev/shm')).stdout).not.toMatch(/[fgh]\n/);
});

test.runIf(isRoot)('each disk belongs to a user of its own, who cannot enter another one', async () => {
  await host.start('one');
  await host.start('two');
  const [one, two] = [statSync(folderOf('disk-one')), statSync(folderOf('disk-two'))];
  expect(one.uid).not.toBe(two.uid);
  expect(Math.min(one.uid, two.uid)).toBeGreaterThanOrEqual(readUidRange().first);
  expect(one.mode & 0o777).toBe(0o700);
  await host.provider.kill('one');
  await host.replace();
  await host.start('again', { diskId: 'disk-one' });
  expect(statSync(folderOf('disk-one')).uid).toBe(one.uid);
});

test('remove deletes a disk full of files, unreadable folders and links that lead out, and nothing else', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'drydock-outside-'));
  await host.start('messy');
  const script = `
    mkdir -p deep/locked && touch deep/locked/file && chmod 000 deep/locked && chmod 500 deep
    ln -s ${outside} out; ln -s / root; ln -s nowhere dangling; mkfifo pipe
    mkdir many && cd many && seq 1 5000 | xargs touch
    rm -rf /usr/local/lib && ln -s ${outside} /usr/local/lib
    rm -rf /var/log && ln -s ${outside} /var/log
    chmod 000 /workspace /home/user /opt`;
  expect(await host.run('messy', script)).toMatchObject({ code: 0, stderr: '' });
  await host.provider.kill('messy');
  // The next start creates nothing at the targets of the links.
  await host.start('again', { diskId: 'disk-messy' });
  await host.provider.kill('again');
  expect(readdirSync(outside)).toEqual([]);
  await host.provider.removeDisk('disk-messy');
  expect(await host.provider.listDisks()).toEqual([]);
  await expect.poll(() => readdirSync(join(host.folder, 'sandboxes/disks'))).toEqual([]);
  expect(statSync(outside).isDirectory()).toBe(true);
  rmSync(outside, { recursive: true });
  await host.provider.removeDisk('disk-messy'); // idempotent
});

test.each([
  ['0 0 4294967295', 2_000_000_000, 100_000_000],
  ['0 100000 65536', 32_768, 32_768],
  ['0 1000 1\n1 100000 65536', 32_769, 32_768],
])('a server with the uid map %j assigns users from %i on', (map, first, count) => {
  expect(readUidRange(map)).toEqual({ first, count });
});
