/**
 * Temporary folder of a process, removed when the process ends. Its name identifies the process, so that remains of killed processes can be
 * distinguished from folders in use.
 */
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CleanUp } from '../clean-up.ts';

const PREFIX = 'drydock-work-';
const namePattern = /^drydock-work-(\d+)-(\d+)-/;

export class WorkFolder {
  readonly path: string;
  #isClosed = false;

  private constructor(path: string) {
    this.path = path;
  }

  /** Removes the folders of killed processes, and creates a new one. */
  static async open(): Promise<WorkFolder> {
    await removeDeadWorkFolders();
    const start = startOf(process.pid) ?? '0';
    return new WorkFolder(await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-${start}-`)));
  }

  /** Creates a new folder for the duration of the work; remaining files are removed. */
  async within<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new Error('The work folder is closed.');
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(this.path, 'job-'));
    try {
      return await work(folder);
    } finally {
      await remove(folder);
    }
  }

  /** Call this after all work has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await remove(this.path);
  }
}

const remove = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 3 });

export const deadWorkFolders: CleanUp = {
  name: 'work folders of dead processes',
  run: removeDeadWorkFolders,
};

/** @returns the number of removed folders */
export async function removeDeadWorkFolders(): Promise<number> {
  const names = await readdir(tmpdir());
  let removed = 0;
  for (const name of names) {
    const [, pid, start] = namePattern.exec(name) ?? [];
    if (pid === undefined || start === undefined || isAlive(Number(pid), start)) continue;
    // A folder of another user may not be removable.
    await remove(join(tmpdir(), name)).then(
      () => removed++,
      () => undefined,
    );
  }
  return removed;
}

/** Process ids are reused: the start time identifies the process. */
function isAlive(pid: number, start: string): boolean {
  if (process.platform === 'linux') return startOf(pid) === start;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Start time in ticks since boot; undefined when the process or /proc does not exist. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program name in parentheses may contain anything. The 22nd field is the 20th after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
