/** The files that an agent has left changed in /workspace. They are for readers only: nothing is decided by them. */
import type { EphemeralSandbox } from '../../../runtimes/service.ts';
import type { ChangedFileOf } from '../../schema.ts';
import { isHostTrouble } from '../sample-sandbox.ts';

const MAX_FILES = 200;
const MAX_BYTES = 65_536;
const TIMEOUT_SECONDS = 10;

/** Lists files by size and path, each ended by NUL, since a path may hold any other character. */
const LIST = `find /workspace -xdev -type f -newermt "@$1" -printf '%s %P\\0' 2>/dev/null | head -z -n ${MAX_FILES}`;

/** @returns null where the sandbox cannot say, as one that the agent has broken or ended */
export async function listChangedFiles(
  sandbox: EphemeralSandbox,
  since: Date,
): Promise<readonly ChangedFileOf[] | null> {
  try {
    const seconds = (since.getTime() / 1_000).toFixed(3);
    const { stdout, exitCode } = await sandbox.exec(['sh', '-c', LIST, 'sh', seconds], {
      cwd: '/',
      timeoutSeconds: TIMEOUT_SECONDS,
      maxBytes: MAX_BYTES,
    });
    return exitCode === 0 ? toFiles(stdout) : null;
  } catch (error) {
    // The sample is continued when its host is back. Every other failure is left to the verification to find.
    if (isHostTrouble(error)) throw error;
    return null;
  }
}

function toFiles(stdout: string): ChangedFileOf[] {
  // The last one may be cut.
  const whole = stdout.slice(0, stdout.lastIndexOf('\0') + 1);
  return whole
    .split('\0')
    .slice(0, -1)
    .map((line) => {
      const space = line.indexOf(' ');
      return { path: line.slice(space + 1), size_bytes: Number(line.slice(0, space)) };
    })
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
