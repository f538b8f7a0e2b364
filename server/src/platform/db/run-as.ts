/** PostgreSQL refuses to run as root. This file selects the account that runs it instead, and builds the launch command. */
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export interface Launch {
  readonly command: string;
  readonly args: string[];
  readonly uid?: number;
  readonly gid?: number;
}

const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));

/** The account to run as, or undefined for an ordinary user, who runs everything as themselves. */
export function postgresAccount(pgdata: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  // PostgreSQL accepts only files of its own user: the account that created the directory keeps running it.
  if (existsSync(pgdata)) {
    const { uid, gid } = statSync(pgdata);
    if (uid !== 0) return { uid, gid };
  }
  return findAccount('postgres') ?? findAccount('nobody') ?? { uid: 65534, gid: 65534 };
}

function findAccount(name: string): Account | undefined {
  try {
    const id = (flag: string) => Number(execFileSync('id', [flag, name], { stdio: 'pipe' }).toString());
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined; // no such account on this machine
  }
}

/**
 * Builds the command that runs as that account. With setpriv (util-linux) the child also ends when this process is killed, and it can reach
 * its files even if they lie under a closed folder such as /root: it keeps only the capability to search and read.
 */
export function launchAs(
  account: Account | undefined,
  command: string,
  args: string[],
  paths: string[],
): Launch {
  if (!setpriv) return { command, args, ...account };
  const privileges = ['--pdeathsig', 'INT'];
  if (account) {
    privileges.push(`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups');
    const closed = paths.some((path) => !canReach(account, path));
    const kept = closed ? '-all,+dac_read_search' : '-all';
    privileges.push(`--inh-caps=${kept}`, `--ambient-caps=${kept}`, `--bounding-set=${kept}`);
    // access(2) ignores ambient capabilities of a non-root user unless this bit is set.
    if (closed) privileges.push('--securebits=+no_setuid_fixup');
  }
  return { command: setpriv, args: [...privileges, '--', command, ...args] };
}

function canReach(account: Account, path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode, uid, gid } = statSync(folder);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if (!(mode & bit)) return false;
    if (folder === dirname(folder)) return true;
  }
}
