/** Runs all static checks: format, lint, types, dead code, generated files. */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Keeps what tsc found out, so that a repeated check reads changed files only. */
const incremental = (name: string) => [
  '--noEmit',
  '--incremental',
  '--tsBuildInfoFile',
  `node_modules/.cache/tsc/${name}.tsbuildinfo`,
];

const CHECKS: Record<string, string[]> = {
  lint: ['oxlint', '--type-aware', '--deny-warnings'],
  format: ['biome', 'check', '--error-on-warnings'],
  types: ['tsc', ...incremental('all')],
  'types of the console': ['tsc', '--project', 'console', ...incremental('console')],
  'dead code': ['knip'],
  generated: ['node', 'server/scripts/generate.ts', '--check'],
};

const ENVIRONMENT = {
  // Makes tsc and oxlint, which are written in Go, collect garbage less often: 10 to 15 % less CPU for the same peak of memory.
  GOGC: '400',
  NODE_COMPILE_CACHE: 'node_modules/.cache/compiled',
  ...process.env,
};

interface Result {
  readonly name: string;
  readonly isGood: boolean;
  readonly seconds: number;
  readonly output: string;
}

function run(name: string, [command, ...args]: string[]): Promise<Result> {
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn(command ?? '', args, { env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    const end = (isGood: boolean) =>
      resolve({ name, isGood, seconds: (performance.now() - started) / 1000, output });
    child.on('error', (error) => {
      output += error.message;
      end(false);
    });
    child.on('close', (code) => end(code === 0));
  });
}

const waiting = Object.entries(CHECKS);
const results: Result[] = [];
async function work(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const result = await run(...next);
    results.push(result);
    console.log(`${result.isGood ? 'ok  ' : 'FAIL'} ${result.name} (${result.seconds.toFixed(1)} s)`);
    if (!result.isGood) console.log(result.output.trimEnd());
  }
}
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
process.exit(results.every(({ isGood }) => isGood) ? 0 : 1);
