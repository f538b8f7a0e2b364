/**
 * Installs the Debian packages that features need, where it may; with `--tests` also those that only tests need;
 * `--report` installs nothing and only says what is missing. The server starts without them, and a feature says so
 * when it is asked for; a test that needs one is skipped.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  describeMissing,
  findMissing,
  packagesFor,
  SYSTEM_PACKAGES,
  type SystemPackage,
} from './system-packages.ts';

const isReport = process.argv.includes('--report');
const canInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

const missing = findMissing(packagesFor(SYSTEM_PACKAGES, process.argv.includes('--tests')));
if (missing.length > 0 && canInstall && !isReport) install(missing);
const report = describeMissing(findMissing(missing));
if (report) console.error(report);

function install(packages: readonly SystemPackage[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) => spawnSync('apt-get', ['-q', ...args], { stdio: 'inherit', env });
  apt('update');
  apt('install', '-y', '--no-install-recommends', ...packages.map(({ name }) => name));
}
