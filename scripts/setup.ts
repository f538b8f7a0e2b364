/**
 * Installs the Debian packages that features need, where it may; `--report` installs nothing and only says what is
 * missing. What cannot be had is named: the server starts without it, and the feature says so when it is asked for.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { SYSTEM_PACKAGES, type SystemPackage } from './system-packages.ts';

const isReport = process.argv.includes('--report');
const missing = SYSTEM_PACKAGES.filter((wanted) => !isInstalled(wanted));
if (missing.length > 0 && !isReport && canInstall()) install(missing);

const stillMissing = missing.filter((wanted) => !isInstalled(wanted));
for (const { name, feature } of stillMissing)
  console.error(`Missing: the Debian package ${name}, needed for ${feature}.`);
if (stillMissing.length > 0) console.error('Install them with "npm run setup" as root, or do without.');

function isInstalled({ command }: SystemPackage): boolean {
  return ['/usr/bin', '/usr/sbin', '/bin', '/sbin', '/usr/local/bin'].some((folder) =>
    existsSync(`${folder}/${command}`),
  );
}

function canInstall(): boolean {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

function install(packages: readonly SystemPackage[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) => spawnSync('apt-get', ['-q', ...args], { stdio: 'inherit', env });
  apt('update');
  apt('install', '-y', '--no-install-recommends', ...packages.map(({ name }) => name));
}
