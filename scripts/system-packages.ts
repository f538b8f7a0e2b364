/** The Debian packages that features, and tests, need beyond what npm installs. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface SystemPackage {
  readonly name: string;
  /** The program by which one sees that it is there. */
  readonly command: string;
  /** What does not work without it. */
  readonly feature: string;
  /** Who only runs the server does without. */
  readonly onlyForTests?: boolean;
}

export const SYSTEM_PACKAGES: readonly SystemPackage[] = [
  {
    name: 'pgbouncer',
    command: 'pgbouncer',
    feature: 'the tests behind a transaction pooler',
    onlyForTests: true,
  },
];

/** What is needed to run the server, or also to test it. */
export const packagesFor = (packages: readonly SystemPackage[], isForTests: boolean) =>
  packages.filter(({ onlyForTests }) => isForTests || !onlyForTests);

const FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

export function findMissing(packages: readonly SystemPackage[]): SystemPackage[] {
  return packages.filter(({ command }) => !FOLDERS.some((folder) => existsSync(join(folder, command))));
}

export function describeMissing(missing: readonly SystemPackage[]): string {
  if (missing.length === 0) return '';
  const lines = missing.map(
    ({ name, feature }) => `Missing: the Debian package ${name}, needed for ${feature}.`,
  );
  const setup = missing.some(({ onlyForTests }) => onlyForTests)
    ? 'npm run setup -- --tests'
    : 'npm run setup';
  return [...lines, `Install with "${setup}" as root, or go on without.`].join('\n');
}
