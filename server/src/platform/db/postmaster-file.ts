import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What PostgreSQL writes about itself into `postmaster.pid`. */
export interface Postmaster {
  readonly pid: number;
  readonly socketDir: string;
  readonly isReady: boolean;
  readonly isStopping: boolean;
}

/** The postmaster that runs on this directory, if one does. A file left by a dead one is not believed. */
export function findPostmaster(pgdata: string): Postmaster | undefined {
  const file = join(pgdata, 'postmaster.pid');
  let lines: string[];
  try {
    lines = readFileSync(file, 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return undefined;
  if (!isPostgres(pid)) {
    // The number went to another program (a container started again): PostgreSQL itself would refuse to start.
    rmSync(file, { force: true });
    return undefined;
  }
  const status = lines[7]?.trim();
  return { pid, socketDir: lines[4] ?? '', isReady: status === 'ready', isStopping: status === 'stopping' };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Also one that was killed and waits to be noticed by its parent: PostgreSQL takes its number for alive too. The lock
 * file of a postmaster must never be removed, since it tells the next one whether connections of the last still run.
 */
function isPostgres(pid: number): boolean {
  if (process.platform !== 'linux') return true;
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres';
  } catch {
    return true; // not to be seen by us: to be on the safe side
  }
}
