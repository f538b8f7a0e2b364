import { existsSync, globSync, readFileSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';
import LongFirst from './server/test/long-first.ts';
import { WAIT_TIMEOUT_MS } from './server/test/wait-timeout.ts';

const FOLDERS = '{server,sdk,scripts,console}';
/** What takes minutes, or programs that few machines have: `npm run test:nightly`. */
const NIGHTLY = `${FOLDERS}/**/*.nightly.test.ts`;
/** Pages of the console in Chromium, which take a fifth of the time of all tests: `npm run test:console`. */
const BROWSER = 'console/test/**/*.test.ts';

/** Tests that look at the process they run in, or change it, must not share it with others. */
const OF_THE_PROCESS = [
  /process\.(memoryUsage|cpuUsage|threadCpuUsage|getActiveResourcesInfo|pid|on\(|env\.\w+ =)|monitorEventLoopDelay/,
  /\/proc\/self|openCgroups|useFakeTimers|stubEnv|describeObjectStorage|LiveMemory/,
];

export default defineConfig(({ mode }) => {
  const isNightly = mode === 'nightly';
  const isInBrowser = mode === 'console';
  const hasBrowser = existsSync('/usr/bin/chromium');
  if (isInBrowser && !hasBrowser)
    console.warn('console/test is skipped: Chromium is missing. Run "npm run setup -- --tests".');
  const include = [isNightly ? NIGHTLY : isInBrowser ? BROWSER : `${FOLDERS}/**/*.test.ts`];
  const exclude = [
    ...configDefaults.exclude,
    ...(isNightly ? [] : [NIGHTLY]),
    ...(hasBrowser && (isNightly || isInBrowser) ? [] : [BROWSER]),
  ];
  const alone = globSync(include, { exclude }).filter((file) => {
    const text = readFileSync(file, 'utf8');
    return OF_THE_PROCESS.some((pattern) => pattern.test(text));
  });
  return {
    test: {
      passWithNoTests: !hasBrowser,
      reporters: ['default', './server/test/totals-reporter.ts'],
      globalSetup: ['server/test/global-setup.ts'],
      setupFiles: ['server/test/each-file.ts'],
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: WAIT_TIMEOUT_MS } },
      // docs/design/traces.md explains this for the decoder threads
      execArgv: ['--no-memory-protection-keys'],
      // One more than the cores of a small machine: many tests wait for processes, leases and locks. What runs nightly
      // starts servers by itself, hurries them and holds them to bounds.
      maxWorkers: isNightly ? 1 : 3,
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
