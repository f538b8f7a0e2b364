import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What PostgreSQL writes about itself into `postmaster.pid`. */
export interface Postmaster {
  readonly pid: number;
  readonly socketDir: string;
  readonly isReady: boolean;
  readonly isStopping: boolean;
}

/** Finds the running postmaster of this directory, if there is one. A stale file of a dead one is ignored. */
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
    // The number now belongs to another program (a container was started again): PostgreSQL itself would refuse to start.
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
 * Recognises also a killed process that its parent has not reaped yet, since PostgreSQL treats its number as alive too. The lock file of a
 * postmaster must never be removed, since the next one learns from it whether connections of the last still run.
 */
function isPostgres(pid: number): boolean {
  if (process.platform !== 'linux') return true;
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres';
  } catch {
    return true; // not visible to us: assume that it is PostgreSQL
  }
}
