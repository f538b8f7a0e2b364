import { existsSync, globSync, readFileSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';
import LongFirst from './server/test/long-first.ts';
import { WAIT_TIMEOUT_MS } from './server/test/wait-timeout.ts';

const FOLDERS = '{server,sdk,scripts,console}';
/**
 * Pages in Chromium, servers that are started, killed and fuzzed as processes, commands of the documents in a shell,
 * whole jobs of the engines, programs inside sandboxes, and reads of random data that a model checks: `npm run test:e2e`.
 */
const E2E = `${FOLDERS}/**/*.e2e.test.ts`;
/** What takes minutes, or programs that few machines have: `npm run test:nightly`. */
const NIGHTLY = `${FOLDERS}/**/*.nightly.test.ts`;

const OF_MODE: Readonly<Record<string, string>> = { e2e: E2E, nightly: NIGHTLY };
/** What runs nightly holds servers to bounds, and needs the machine for itself. */
const MAX_WORKERS: Readonly<Record<string, number>> = { nightly: 1 };

/** Tests that look at the process they run in, or change it, must not share it with others. */
const OF_THE_PROCESS = [
  /process\.(memoryUsage|cpuUsage|threadCpuUsage|getActiveResourcesInfo|on\(|env\.\w+ =)|monitorEventLoopDelay/,
  /\/proc\/self|openCgroups|findSpawners|useFakeTimers|stubEnv|describeObjectStorage|LiveMemory|openDiskGuard|parentOf\(/,
];

export default defineConfig(({ mode }) => {
  const include = [OF_MODE[mode] ?? `${FOLDERS}/**/*.test.ts`];
  const hasBrowser = existsSync('/usr/bin/chromium');
  if (mode in OF_MODE && !hasBrowser)
    console.warn('console/test is skipped: Chromium is missing. Run "npm run setup -- --tests".');
  const exclude = [
    ...configDefaults.exclude,
    ...Object.values(OF_MODE).filter((pattern) => !include.includes(pattern)),
    ...(hasBrowser ? [] : ['console/test/**']),
  ];
  const alone = globSync(include, { exclude }).filter((file) => {
    const text = readFileSync(file, 'utf8');
    return OF_THE_PROCESS.some((pattern) => pattern.test(text));
  });
  return {
    test: {
      reporters: ['default', './server/test/totals-reporter.ts'],
      globalSetup: ['server/test/global-setup.ts'],
      setupFiles: ['server/test/each-file.ts'],
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: WAIT_TIMEOUT_MS } },
      // docs/design/traces.md explains this for the decoder threads
      execArgv: ['--no-memory-protection-keys'],
      // More than the cores of a small machine: one worker keeps two thirds of a core busy, with its programs and PostgreSQL.
      maxWorkers: MAX_WORKERS[mode] ?? 4,
      sequence: { sequencer: LongFirst },
      projects: [
        // To load the modules of the server takes longer than the tests of most files do.
        {
          extends: true,
          test: { name: 'shared', isolate: false, include, exclude: [...exclude, ...alone] },
        },
        { extends: true, test: { name: 'alone', include: alone, exclude } },
      ],
    },
  };
});
