import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const SLOWEST = 20;

/** Ends a run with the slowest files, and one plain line for people and scripts. */
export default class TotalsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const totals = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) totals[test.result().state]++;
      // A file that could not be loaded has no tests that could fail.
      if (module.errors().length > 0) totals.failed++;
    }
    printSlowest(modules);
    console.log(
      `${totals.passed} passed, ${totals.failed} failed, ${totals.skipped + totals.pending} skipped`,
    );
  }
}

function printSlowest(modules: readonly TestModule[]): void {
  if (modules.length < 2) return;
  const files = modules.map((module) => ({
    file: relative('', module.moduleId),
    seconds: secondsOf(module),
  }));
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  const sum = files.reduce((total, { seconds }) => total + seconds, 0);
  console.log(
    `The ${slowest.length} slowest of ${files.length} files, which take ${Math.round(sum)} s in all:`,
  );
  for (const { file, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
}

/** Seconds of its tests and hooks, and of its imports and setup. */
function secondsOf(module: TestModule): number {
  const { collectDuration, duration } = module.diagnostic();
  return (collectDuration + duration) / 1_000;
}
