/** The host programs that create a sandbox: located once, then called by their absolute path. */
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '../../errors.ts';

/** Debian package of each program. */
const PACKAGES = {
  bwrap: 'bubblewrap',
  tini: 'tini',
  setpriv: 'util-linux',
  nsenter: 'util-linux',
  unshare: 'util-linux',
  mount: 'util-linux',
  mkfifo: 'coreutils',
  sleep: 'coreutils',
  stty: 'coreutils',
  tty: 'coreutils',
  script: 'bsdutils',
  sh: 'dash',
  socat: 'socat',
} as const;

type ProgramName = keyof typeof PACKAGES;

/** Optional: the first is needed for network access only, the second for terminals only. */
const OPTIONAL = ['socat', 'script'] as const satisfies readonly ProgramName[];
type OptionalName = (typeof OPTIONAL)[number];

/** System folders, which exist at the same paths inside a sandbox. */
const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];

export type Programs = Readonly<Record<Exclude<ProgramName, OptionalName>, string>> &
  Readonly<Record<OptionalName, string | undefined>>;

/** @throws {ApiError} that names the missing programs and their packages */
export function findPrograms(): Programs {
  const found = Object.fromEntries(
    (Object.keys(PACKAGES) as ProgramName[]).map((name) => [name, findProgram(name)]),
  ) as Record<ProgramName, string | undefined>;
  const missing = (Object.keys(PACKAGES) as ProgramName[]).filter(
    (name) => found[name] === undefined && !OPTIONAL.some((optional) => optional === name),
  );
  if (missing.length === 0) return found as Programs;
  const packages = [...new Set(missing.map((name) => PACKAGES[name]))].join(' ');
  throw new ApiError(
    'sandbox_provider_error',
    `${missing.join(', ')} could not be found in ${FOLDERS.join(', ')}. Install the package ${packages}; on Debian as root: npm run setup.`,
  );
}

export function findProgram(name: ProgramName): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
