/**
 * Where a process puts files for a while: a folder of its own, which ends with it. The name tells whose it is, so that what a
 * killed process has left can be told from what is in use.
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

  /** Also removes the folders of processes that were killed. */
  static async open(): Promise<WorkFolder> {
    await removeDeadWorkFolders();
    const start = startOf(process.pid) ?? '0';
    return new WorkFolder(await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-${start}-`)));
  }

  /** A new folder for the time of this work; what is left in it then is removed. */
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

  /** Call it when nothing is at work any more. */
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

/** @returns how many */
export async function removeDeadWorkFolders(): Promise<number> {
  const names = await readdir(tmpdir());
  let removed = 0;
  for (const name of names) {
    const [, pid, start] = namePattern.exec(name) ?? [];
    if (pid === undefined || start === undefined || isAlive(Number(pid), start)) continue;
    // Of another user of this machine, it may not be removed.
    await remove(join(tmpdir(), name)).then(
      () => removed++,
      () => undefined,
    );
  }
  return removed;
}

/** Numbers of processes are given away again: the time of its start tells which one it was. */
function isAlive(pid: number, start: string): boolean {
  if (process.platform === 'linux') return startOf(pid) === start;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** In ticks since the machine's start; undefined for a process that is not there, and where there is no /proc. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in brackets, may hold anything. The 22nd field is the 20th behind it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
