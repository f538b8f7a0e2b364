/** The programs of the host that make a sandbox. Found once, and called by their whole path from then on. */
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '../../errors.ts';

/** Which package of Debian brings it. */
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

/** Only what needs the network needs the first, and only terminals the second. */
const OPTIONAL = ['socat', 'script'] as const satisfies readonly ProgramName[];
type OptionalName = (typeof OPTIONAL)[number];

/** Where the system's own lie: inside a sandbox they are at the same place, since it sees these folders. */
const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];

export type Programs = Readonly<Record<Exclude<ProgramName, OptionalName>, string>> &
  Readonly<Record<OptionalName, string | undefined>>;

/** @throws {ApiError} that names what is missing, and how it is had */
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
