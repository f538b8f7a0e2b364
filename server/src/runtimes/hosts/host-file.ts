/** Records which host a data directory belongs to, and which process held it last, in a small file in the directory. */
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { uuidv7 } from '../../platform/uuid.ts';

/** Identifies a process even if its process id is reused. */
const ProcessMark = z.object({
  pid: z.int(),
  /** Clock ticks since the boot of the machine. */
  startTime: z.string(),
  bootId: z.string(),
  pidNamespace: z.string(),
});
type ProcessMark = z.output<typeof ProcessMark>;

const HostFile = z.object({
  id: z.uuid(),
  /** The process that held the directory last; undefined before the first. */
  holder: ProcessMark.extend({
    holderId: z.uuid(),
    /** Whether it has released everything, though it may still run. */
    hasLeft: z.boolean(),
  }).nullable(),
});
export type HostFile = z.output<typeof HostFile>;

/** Reads the file of the folder, or creates it once, even with concurrent processes. */
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

/** Records whether this process is the host. */
export function writeHolder(path: string, id: string, holderId: string, hasLeft = false): void {
  renameSync(writeDraft(path, { id, holder: { ...ownMark(), holderId, hasLeft } }), path);
}

function writeDraft(path: string, file: HostFile): string {
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, `${JSON.stringify(file)}\n`, { mode: 0o600, flush: true });
  return draft;
}

/** `unknown` when it cannot be determined from here, for example from another container. */
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

/** Reads field 22; field 2 is the program's name, which may contain anything and ends with the last parenthesis. */
function startTimeOf(pid: number | 'self'): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie process does nothing any more.
  if (state === 'Z' || state === 'X') return '';
  return rest[18] ?? '';
}
