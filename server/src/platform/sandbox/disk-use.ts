/** Measures what a sandbox uses on the disk, including deleted files that it holds open. */
import type { Stats } from 'node:fs';
import { readdir, readFile, readlink, stat, statfs } from 'node:fs/promises';
import { type ProgramResult, runProgram } from '../process/run-program.ts';

export interface DiskUse {
  readonly bytes: number;
  readonly files: number;
}

const WAIT_TIMEOUT_MS = 60_000;
const BLOCK_BYTES = 512;
const OVERLAY = 0x794c7630;
/** Maximum number of open files of all processes that are checked; the rest is ignored. */
const MAX_HANDLES = 20_000;

/** @param processes whose open deleted files count too, once each */
export async function measureDisk(
  folders: readonly string[],
  processes: readonly number[],
): Promise<DiskUse> {
  const [bytes, files, removed] = [
    await diskUsage(folders, ['--block-size=1']),
    await diskUsage(folders, ['--inodes']),
    await measureRemoved(folders[0] ?? '/', processes),
  ];
  return { bytes: bytes + removed.bytes, files: files + removed.files };
}

/** A measurement that times out counts as more than any limit. */
async function diskUsage(folders: readonly string[], how: readonly string[]): Promise<number> {
  // Uses root of a user namespace, if nothing else, to read folders that the sandbox closed to its own user.
  const root = process.getuid?.() === 0 ? [] : ['unshare', '--user', '--map-root-user'];
  const [command = '', ...args] = [
    ...root,
    'nice',
    'du',
    '--summarize',
    '--total',
    '--one-file-system',
    ...how,
    '--',
    ...folders,
  ];
  const result = await runProgram({
    command,
    args,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    timeoutMs: WAIT_TIMEOUT_MS,
  });
  return result.timedOut ? Number.MAX_SAFE_INTEGER : toNumber(result);
}

/** The last line is the total. */
const toNumber = ({ stdout }: ProgramResult) => Number(/(\d+)\ttotal\n$/.exec(stdout)?.[1] ?? 0);

async function measureRemoved(folder: string, processes: readonly number[]): Promise<DiskUse> {
  const { type } = await statfs(folder);
  const found = new Map<string, number>();
  let handles = 0;
  for (const pid of processes) {
    if (handles > MAX_HANDLES) break;
    const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
    handles += names.length;
    for (const name of names) await countHandle(`/proc/${pid}/fd/${name}`, type, found);
    await countMappings(pid, found);
  }
  return { bytes: [...found.values()].reduce((sum, bytes) => sum + bytes, 0), files: found.size };
}

async function countHandle(handle: string, type: number, found: Map<string, number>): Promise<void> {
  try {
    const file = await stat(handle);
    if (!isRemoved(file)) return;
    // Files on tmpfs count as memory.
    const { type: ownType } = await statfs(handle);
    if (ownType !== type && ownType !== OVERLAY) return;
    if ((await readlink(handle)).startsWith('/memfd:')) return;
    found.set(String(file.ino), file.blocks * BLOCK_BYTES);
  } catch {
    // closed in between
  }
}

const isRemoved = (file: Stats) => file.isFile() && file.nlink === 0;

/** A file may exist as a memory mapping only. */
async function countMappings(pid: number, found: Map<string, number>): Promise<void> {
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8').catch(() => '');
  const removed = /^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ (\d+) +(\/.*) \(deleted\)$/gm;
  for (const [, from = '', to = '', inode = '', path = ''] of maps.matchAll(removed)) {
    if (/^\/(memfd:|dev\/zero|dev\/shm\/|tmp\/|run\/|SYSV)/.test(path) || found.has(inode)) continue;
    found.set(inode, Number.parseInt(to, 16) - Number.parseInt(from, 16));
  }
}
