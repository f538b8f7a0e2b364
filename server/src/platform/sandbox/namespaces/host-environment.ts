/** Environment and files of every process that creates or enters a sandbox: nothing of the server's. */

import type { StdioOptions } from 'node:child_process';
import { openSync, readdirSync, readFileSync } from 'node:fs';

export const OUTER_ENVIRONMENT = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' } as const;

/** A server running as root switches to the sandbox's user first; otherwise it already is that user. */
export function toUserChange(setpriv: string, uid: number, options: readonly string[] = []): string[] {
  const user =
    process.getuid?.() === 0 ? ['--reuid', String(uid), '--regid', String(uid), '--clear-groups'] : [];
  return [setpriv, ...user, '--no-new-privs', ...options, '--'];
}

/**
 * Files inherited from the parent process, which would be passed on unintentionally: Node sets close-on-exec only for the first sixteen. In
 * a sandbox they would lead out of it.
 */
export class StrayFiles {
  private readonly numbers: readonly number[];
  private readonly nothing: number;

  constructor() {
    this.numbers = readdirSync('/proc/self/fd').map(Number).filter(isHandedOn);
    this.nothing = openSync('/dev/null', 'r+');
  }

  /** Closes the stray files in a child process. */
  cover(files: readonly (number | 'ignore' | 'ipc')[]): StdioOptions {
    const covered: (number | 'ignore' | 'ipc')[] = [...files];
    for (const number of this.numbers) {
      while (covered.length < number) covered.push('ignore');
      covered[number] ??= this.nothing;
    }
    return covered;
  }
}

const CLOSED_WHEN_HANDED_ON = 0o2000000;

function isHandedOn(number: number): boolean {
  if (number < 16) return false;
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${number}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_WHEN_HANDED_ON) === 0;
  } catch {
    return false;
  }
}
