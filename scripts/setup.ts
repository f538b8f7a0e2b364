/**
 * Installs the Debian packages that features need, if it is permitted to; with `--tests` also those that only tests need, and their Python
 * packages in a folder of the checkout, with `--foreign-s3` those of the S3 server for `foreign-s3.nightly.test.ts`; with `--training` the
 * trainer's packages below the data directory, with `--agents` the programs of `published-agents.nightly.test.ts`; `--report` installs
 * nothing and only lists what is missing. The server starts without them, and a feature reports a missing package when it is used; a test
 * that needs one is skipped.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { describeMissingPython, findPython, installPython } from './python-packages.ts';
import {
  describeMissing,
  findMissing,
  PURPOSES,
  packagesFor,
  SYSTEM_PACKAGES,
  type SystemPackage,
} from './system-packages.ts';
import { installTraining } from './training-packages.ts';

/** Debian runs this program to decide whether a package may start its services. An existing one is left unchanged. */
const POLICY = '/usr/sbin/policy-rc.d';

const isReport = process.argv.includes('--report');
const canInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

const purposes = PURPOSES.filter((purpose) => process.argv.includes(`--${purpose}`));
const missing = findMissing(packagesFor(SYSTEM_PACKAGES, purposes));
if (missing.length > 0 && canInstall && !isReport) install(missing);
const report = describeMissing(findMissing(missing));
if (report) console.error(report);
if (purposes.includes('tests')) {
  const pythonReport = isReport ? (findPython() ? '' : describeMissingPython()) : installPython();
  if (pythonReport) console.error(pythonReport);
}

if (process.argv.includes('--training')) {
  const problem = installTraining();
  if (problem) {
    console.error(problem);
    process.exitCode = 1;
  }
}

/** Installed below /usr, which sandboxes see. Their install scripts download nothing: they put a binary of the package in its place. */
const AGENTS = ['@openai/codex@0.169.0', '@anthropic-ai/claude-code@2.1.327'];

if (process.argv.includes('--agents') && !isReport) {
  const allowed = '--allow-scripts=@anthropic-ai/claude-code';
  const npm = ['install', '--global', '--prefix', '/usr', allowed, ...AGENTS];
  if (spawnSync('npm', npm, { stdio: 'inherit' }).status !== 0) process.exitCode = 1;
}

function install(packages: readonly SystemPackage[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) => spawnSync('apt-get', ['-q', ...args], { stdio: 'inherit', env });
  apt('update');
  // Installed one by one, so that an unavailable package does not keep the others from being installed.
  for (const { name, isService } of packages) {
    const go = () => apt('install', '-y', '--no-install-recommends', name);
    if (isService) withoutServices(go);
    else go();
  }
}

function withoutServices(work: () => void): void {
  if (existsSync(POLICY)) return work();
  writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    work();
  } finally {
    rmSync(POLICY, { force: true });
  }
}
