/** Resource usage of processes, read from /proc. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100; // USER_HZ, the same on every Linux that Node runs on

interface Stat {
  readonly parent: number;
  readonly seconds: number;
}

/** Returns a process and all its descendants. */
export function processTree(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const parent = Number.isInteger(pid) ? readStat(pid)?.parent : undefined;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const below = (pid: number): number[] => [pid, ...(children.get(pid) ?? []).flatMap(below)];
  return below(root);
}

export function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
}

/** Includes the CPU time of ended children, so that a whole tree loses nothing when one of them ends. */
export function cpuSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (readStat(pid)?.seconds ?? 0), 0);
}

/** Returns the CPU time of each thread by its id; the id of the first thread is that of the process. */
export function threadSeconds(pid: number): Map<number, number> {
  const ids = readdirSync(`/proc/${pid}/task`).map(Number);
  return new Map(ids.map((id) => [id, readStat(`${pid}/task/${id}`)?.seconds ?? 0]));
}

/** Returns their proportional share of memory: pages shared by several processes are divided among them. */
export function pssBytes(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const kibibytes = /^Pss:\s+(\d+) kB/m.exec(rollup)?.[1];
    if (kibibytes === undefined) throw new Error(`/proc/${pid}/smaps_rollup contains no PSS`);
    return sum + Number(kibibytes) * 1024;
  }, 0);
}

/**
 * Resets the peak that `peakBytes` reads.
 * @returns the current resident memory
 */
export function beginPeak(pid: number): number {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return peakBytes(pid);
}

export const peakBytes = (pid: number) => readStatus(pid, 'VmHWM');

/** Returns the current resident memory of the process. */
export const residentBytes = (pid: number) => readStatus(pid, 'VmRSS');

function readStatus(pid: number, field: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1];
  if (kibibytes === undefined) throw new Error(`/proc/${pid}/status contains no ${field}`);
  return Number(kibibytes) * 1024;
}

function readStat(pid: number | string): Stat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined; // it has just ended
  }
  // The command before the last parenthesis may contain anything; fields count from the state, which is the third.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15).map(Number);
  return { parent: Number(fields[1]), seconds: (utime + stime + cutime + cstime) / TICKS_PER_SECOND };
}
