/** Builds the web console where its files are missing or older than their sources. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const VITE = join(ROOT, 'node_modules/vite/bin/vite.js');
const MARK = join(ROOT, 'console/dist/.sources');
const SOURCES = [
  'console/src/**/*.{ts,tsx,css}',
  'console/public/*',
  'console/{index.html,package.json,vite.config.ts}',
  'sdk/src/**/*.ts',
  'scripts/build-console.ts',
];

/** A hash of everything that the console is built from. Times of files do not survive a checkout. */
function hashSources(): string {
  const hash = createHash('sha256');
  for (const file of globSync(SOURCES, { cwd: ROOT }).toSorted())
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(ROOT, file)))
      .update('\0');
  return hash.digest('hex');
}

export function buildConsole(say: (line: string) => void = () => undefined): void {
  const sources = hashSources();
  if (existsSync(MARK) && readFileSync(MARK, 'utf8') === sources) return;
  say('Building the console …');
  const began = performance.now();
  const { status, stderr, error } = spawnSync(
    process.execPath,
    [VITE, 'build', 'console', '--logLevel', 'error'],
    {
      cwd: ROOT,
      // React is built for production, also where the tests of the console build it.
      env: { ...process.env, NODE_ENV: 'production' },
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw error ?? new Error(stderr);
  writeFileSync(MARK, sources);
  say(`Built the console in ${((performance.now() - began) / 1_000).toFixed(1)} s.`);
}

if (import.meta.main) {
  try {
    buildConsole(console.log);
  } catch (error) {
    // The API works without it.
    console.error(
      `The console could not be built, and is not served. Run "npm ci", then this command again. ${String(error)}`,
    );
  }
}
