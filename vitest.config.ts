import { globSync, readFileSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';
import LongFirst from './server/test/long-first.ts';
import { PATIENCE_MS } from './server/test/patience.ts';

const TESTS = ['server/**/*.test.ts', 'sdk/**/*.test.ts', 'scripts/**/*.test.ts'];

/** Needs an S3 that is not ours: `npm run test:foreign-s3`. */
const notAsked = process.env.DRYDOCK_TEST_FOREIGN_S3 ? [] : ['server/test/foreign-s3.test.ts'];

/** Tests that look at the process they run in, or change it, must not share it with others. */
const OF_THE_PROCESS = [
  /process\.(memoryUsage|cpuUsage|threadCpuUsage|getActiveResourcesInfo|pid|on\(|env\.\w+ =)|monitorEventLoopDelay/,
  /\/proc\/self|openCgroups|useFakeTimers|stubEnv|describeObjectStorage/,
];
const alone = globSync(TESTS, { exclude: ['**/node_modules/**'] }).filter((file) => {
  const text = readFileSync(file, 'utf8');
  return OF_THE_PROCESS.some((pattern) => pattern.test(text));
});

export default defineConfig({
  test: {
    reporters: ['default', './server/test/totals-reporter.ts'],
    globalSetup: ['server/test/global-setup.ts'],
    setupFiles: ['server/test/each-file.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: PATIENCE_MS } },
    // docs/decisions/traces.md, of the threads that decode
    execArgv: ['--no-memory-protection-keys'],
    // One more than the cores of a small machine: many tests wait for processes, leases and locks.
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    projects: [
      // To load the modules of the server takes longer than the tests of most files do.
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: TESTS,
          exclude: [...configDefaults.exclude, ...notAsked, ...alone],
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: alone, exclude: [...configDefaults.exclude, ...notAsked] },
      },
    ],
  },
});
