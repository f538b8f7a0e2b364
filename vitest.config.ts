import { configDefaults, defineConfig } from 'vitest/config';

/** Needs an S3 that is not ours: `npm run test:foreign-s3`. */
const notAsked = process.env.DRYDOCK_TEST_FOREIGN_S3 ? [] : ['server/test/foreign-s3.test.ts'];

export default defineConfig({
  test: {
    include: ['server/**/*.test.ts', 'sdk/**/*.test.ts', 'scripts/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...notAsked],
    reporters: ['default', './server/test/totals-reporter.ts'],
    globalSetup: ['server/test/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // docs/decisions/traces.md, of the threads that decode
    execArgv: ['--no-memory-protection-keys'],
    // One more than the cores of a small machine: many tests wait for processes, leases and locks.
    maxWorkers: 3,
  },
});
