/** The report of a provider about itself. */
import assert from 'node:assert/strict';
import type { SandboxCase } from './sandbox-case.ts';

export const REPORT_CASES: readonly SandboxCase[] = [
  {
    name: "a provider's report is complete and the same when requested again",
    run: async ({ provider }) => {
      const report = await provider.probe();
      assert.equal(report.name, provider.name);
      assert.equal(report.available, true, report.reason);
      assert.equal(report.reason, undefined);
      assert.ok(['process', 'container', 'vm'].includes(report.isolation));
      assert.ok(report.preserves.includes('disk'));
      assert.equal(new Set(report.limits).size, report.limits.length);
      assert.deepEqual(await provider.probe(), report);
    },
  },
  {
    name: 'a provider that claims to keep memory and processes also claims to pause',
    run: async ({ provider }) => {
      const { supportsPause, preserves } = await provider.probe();
      assert.equal(preserves.includes('processes') && preserves.includes('memory'), supportsPause);
    },
  },
];
