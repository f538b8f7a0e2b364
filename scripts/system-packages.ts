/** The Debian packages that features and tests need beyond the npm packages. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface SystemPackage {
  readonly name: string;
  /** The program whose presence shows that the package is installed. */
  readonly command: string;
  /** The feature that needs the package. */
  readonly feature: string;
  /** Purpose for which it is installed; a server alone does not need it. */
  readonly onlyFor?: Purpose;
  /** Whether its service would change the machine, so that it is not started. */
  readonly isService?: boolean;
}

export const PURPOSES = ['tests', 'foreign-s3'] as const;
export type Purpose = (typeof PURPOSES)[number];

export const SYSTEM_PACKAGES: readonly SystemPackage[] = [
  { name: 'bubblewrap', command: 'bwrap', feature: 'runtimes: it makes their sandboxes' },
  { name: 'tini', command: 'tini', feature: 'runtimes: it is the first process of a sandbox' },
  { name: 'socat', command: 'socat', feature: 'runtimes that may reach hosts of the network' },
  {
    name: 'pgbouncer',
    command: 'pgbouncer',
    feature: 'the tests behind a transaction pooler',
    onlyFor: 'tests',
  },
  {
    name: 'python3-pip',
    command: 'pip3',
    feature: 'the tests with the SDKs for Python of OpenTelemetry, OpenAI and Anthropic',
    onlyFor: 'tests',
  },
  {
    name: 'docker.io',
    command: 'dockerd',
    feature: 'the tests of sandboxes in containers, which start it for themselves',
    onlyFor: 'tests',
    isService: true,
  },
  { name: 'chromium', command: 'chromium', feature: 'the tests of the console', onlyFor: 'tests' },
  { name: 'zsh', command: 'zsh', feature: 'the tests of the documents in zsh', onlyFor: 'tests' },
  s3Client('awscli', 'aws'),
  s3Client('s3cmd', 's3cmd'),
  s3Client('rclone', 'rclone'),
  ceph('radosgw'),
  ceph('ceph-mon'),
  ceph('ceph-osd'),
];

function s3Client(name: string, command: string): SystemPackage {
  return { name, command, feature: `the tests of the object store with ${name}`, onlyFor: 'tests' };
}

function ceph(name: string): SystemPackage {
  return { name, command: name, feature: 'foreign-s3.nightly.test.ts', onlyFor: 'foreign-s3' };
}

/** Returns the packages that the server needs, and those for these purposes. */
export const packagesFor = (packages: readonly SystemPackage[], purposes: readonly Purpose[]) =>
  packages.filter(({ onlyFor }) => onlyFor === undefined || purposes.includes(onlyFor));

const FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** Returns the path of a program; it searches only system folders, since packages install there. */
export function findProgram(command: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, command)).find((path) => existsSync(path));
}

export function findMissing(packages: readonly SystemPackage[]): SystemPackage[] {
  return packages.filter(({ command }) => findProgram(command) === undefined);
}

export function describeMissing(missing: readonly SystemPackage[]): string {
  if (missing.length === 0) return '';
  const lines = missing.map(
    ({ name, feature }) => `Missing: the Debian package ${name}, needed for ${feature}.`,
  );
  const flags = PURPOSES.filter((purpose) => missing.some(({ onlyFor }) => onlyFor === purpose));
  const setup = [
    'npm run setup',
    ...(flags.length > 0 ? ['--'] : []),
    ...flags.map((flag) => `--${flag}`),
  ].join(' ');
  return [...lines, `Install with "${setup}" as root, or go on without.`].join('\n');
}
