import type { Reporter, TestModule } from 'vitest/node';

/** Closes a run with one plain line that a person and a script can read. */
export default class TotalsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const totals = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) totals[test.result().state]++;
      // A file that could not be loaded holds no test that could fail.
      if (module.errors().length > 0) totals.failed++;
    }
    console.log(
      `${totals.passed} passed, ${totals.failed} failed, ${totals.skipped + totals.pending} skipped`,
    );
  }
}
