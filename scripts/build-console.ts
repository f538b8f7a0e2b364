/** Builds the web console when its files are missing or outdated. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const VITE = join(ROOT, 'node_modules/vite/bin/vite.js');
/** Holds the hash of the sources that the files in console/dist were built from. */
const STAMP = join(ROOT, 'console/dist/.sources');
const SOURCES = [
  'console/src/**/*.{ts,tsx,css}',
  'console/public/*',
  'console/{index.html,package.json,vite.config.ts}',
  'sdk/src/**/*.ts',
  'scripts/build-console.ts',
];

/** Hashes everything that the console is built from. Modification times would not do, because a checkout changes them. */
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
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources) return;
  say('Building the console …');
  const began = performance.now();
  const { status, stderr, error } = spawnSync(
    process.execPath,
    [VITE, 'build', 'console', '--logLevel', 'error'],
    {
      cwd: ROOT,
      // Tests set NODE_ENV to "test", with which React would be built for development.
      env: { ...process.env, NODE_ENV: 'production' },
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw error ?? new Error(stderr);
  writeFileSync(STAMP, sources);
  say(`Built the console in ${((performance.now() - began) / 1_000).toFixed(1)} s.`);
}

if (import.meta.main) {
  try {
    buildConsole(console.log);
  } catch (error) {
    // The server starts nevertheless, because the API works without the console.
    // The output of a failed build begins with a place in its code; the reason follows.
    const lines = String(error).trim().split('\n');
    const reason = lines.find((line) => /Error: (?!file:)/.test(line)) ?? lines[0];
    console.error(
      `The console could not be built and will not be served: ${reason?.trim()} Run "npm ci" with Node 20.19 or later, then this command again.`,
    );
  }
}
