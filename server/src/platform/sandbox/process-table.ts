/** Processes as reported by the kernel. A process id is reused; together with the start time it is unique. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { constants } from 'node:os';

export interface ProcessName {
  readonly pid: number;
  /** Start time in ticks since boot. */
  readonly start: number;
}

export interface ProcessEntry extends ProcessName {
  /** State as written by `ps`: `T` stopped, `Z` ended and not yet reaped. */
  readonly state: string;
  readonly parent: number;
  readonly session: number;
  readonly cpuTicks: number;
}

/** Returns an id that changes with each boot, after which process ids are reused. */
export function readBootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

/** @param process an id, or a path such as `self/fd/7` that leads to its folder in /proc */
export function findProcess(process: number | string): ProcessEntry | undefined {
  try {
    return toEntry(readFileSync(`/proc/${process}/stat`, 'latin1'));
  } catch {
    return undefined;
  }
}

/** Returns whether the process exists and is not a zombie. */
export function isAlive({ pid, start }: ProcessName): boolean {
  const entry = findProcess(pid);
  return entry !== undefined && entry.start === start && entry.state !== 'Z' && entry.state !== 'X';
}

/**
 * Returns a mark of this process for the files it creates, so that the next process knows whether their creator still runs. The process id
 * alone is not enough: in a container it is the same each time.
 */
export function readOwnMark(): string {
  return `${process.pid}-${findProcess(process.pid)?.start}`;
}

/** @param text that begins with a mark; other texts belong to no process */
export function isMarkOfLiving(text: string): boolean {
  const [, pid, start] = /^(\d+)-(\d+)-/.exec(text) ?? [];
  return pid !== undefined && isAlive({ pid: Number(pid), start: Number(start) });
}

export function listProcesses(): ProcessEntry[] {
  return listNumbers()
    .map(findProcess)
    .filter((entry) => entry !== undefined);
}

export function listNumbers(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

export function listChildren(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Returns `pid:[4026532263]` and the like; undefined when the process is gone or inaccessible. */
export function findNamespace(pid: number, kind: 'pid' | 'user'): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/${kind}`);
  } catch {
    return undefined;
  }
}

export function readResidentBytes(pid: number): number {
  try {
    const found = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
    return Number(found?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Returns whether this signal is pending for the process. */
export function hasPending(pid: number, name: 'SIGCHLD'): boolean {
  try {
    const masks = readFileSync(`/proc/${pid}/status`, 'latin1').matchAll(/^(?:Sig|Shd)Pnd:\s*([0-9a-f]+)$/gm);
    const bit = 1n << BigInt(constants.signals[name] - 1);
    return [...masks].some(([, mask]) => (BigInt(`0x${mask}`) & bit) !== 0n);
  } catch {
    return false;
  }
}

/** @returns whether the process existed */
export function signal(pid: number, name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGHUP'): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

/** The name in parentheses may contain anything, including parentheses and spaces. */
function toEntry(stat: string): ProcessEntry {
  const rest = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(rest[number - 3]);
  return {
    pid: Number.parseInt(stat, 10),
    state: rest[0] ?? '',
    parent: field(4),
    session: field(6),
    cpuTicks: field(14) + field(15),
    start: field(22),
  };
}
