/** The Debian packages that features need beyond what npm installs. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface SystemPackage {
  readonly name: string;
  /** The program by which one sees that it is there. */
  readonly command: string;
  /** What does not work without it. */
  readonly feature: string;
}

export const SYSTEM_PACKAGES: readonly SystemPackage[] = [];

const FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

export function findMissing(packages: readonly SystemPackage[]): SystemPackage[] {
  return packages.filter(({ command }) => !FOLDERS.some((folder) => existsSync(join(folder, command))));
}

export function describeMissing(missing: readonly SystemPackage[]): string {
  if (missing.length === 0) return '';
  const lines = missing.map(
    ({ name, feature }) => `Missing: the Debian package ${name}, needed for ${feature}.`,
  );
  return [...lines, 'Install with "npm run setup" as root, or go on without.'].join('\n');
}
