/** Who the host of a data directory is, and which process was the last to be it: a small file in it. */
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { uuidv7 } from '../../platform/uuid.ts';

/** A process, told apart from every other that ever has the same number. */
const ProcessMark = z.object({
  pid: z.int(),
  /** In ticks since the machine started. */
  startTime: z.string(),
  bootId: z.string(),
  pidNamespace: z.string(),
});
type ProcessMark = z.output<typeof ProcessMark>;

const HostFile = z.object({
  id: z.uuid(),
  /** Of the process that held it last; none before the first. */
  holder: ProcessMark.extend({
    holderId: z.uuid(),
    /** It has let go of everything, though it may still be there. */
    hasLeft: z.boolean(),
  }).nullable(),
});
export type HostFile = z.output<typeof HostFile>;

/** The file of the folder; made where there is none, once, however many processes come at the same time. */
export function readHostFile(path: string): HostFile {
  try {
    return HostFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o711 });
  const draft = writeDraft(path, { id: uuidv7(), holder: null });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readHostFile(path);
}

/** Notes that this process is the host now, or no longer. */
export function writeHolder(path: string, id: string, holderId: string, hasLeft = false): void {
  renameSync(writeDraft(path, { id, holder: { ...ownMark(), holderId, hasLeft } }), path);
}

function writeDraft(path: string, file: HostFile): string {
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, `${JSON.stringify(file)}\n`, { mode: 0o600, flush: true });
  return draft;
}

/** `unknown` where it cannot be seen from here, as from another container. */
export function fateOf(mark: NonNullable<HostFile['holder']>): 'alive' | 'dead' | 'unknown' {
  const own = ownMark();
  if (mark.hasLeft) return 'dead';
  if (mark.bootId !== own.bootId) return 'dead';
  if (mark.pidNamespace !== own.pidNamespace) return 'unknown';
  try {
    return startTimeOf(mark.pid) === mark.startTime ? 'alive' : 'dead';
  } catch {
    return 'dead';
  }
}

function ownMark(): ProcessMark {
  return {
    pid: process.pid,
    startTime: startTimeOf('self'),
    bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    pidNamespace: readlinkSync('/proc/self/ns/pid'),
  };
}

/** The 22nd field; the second holds the program's name, which may hold anything, and ends with the last bracket. */
function startTimeOf(pid: number | 'self'): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // One that has ended and was not collected yet does nothing any more.
  if (state === 'Z' || state === 'X') return '';
  return rest[18] ?? '';
}
