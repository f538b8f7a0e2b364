/** Lists all cases and runs them. */
import { ADOPTION_CASES } from './adoption.ts';
import { CAPABILITY_CASES } from './capabilities.ts';
import { COMMAND_CASES } from './commands.ts';
import { CONNECTION_CASES } from './connections.ts';
import { DURABILITY_CASES } from './durability.ts';
import { EGRESS_CASES } from './egress.ts';
import { ENDING_CASES } from './ending.ts';
import { FILE_CASES } from './files.ts';
import { LIMIT_CASES } from './limits.ts';
import { PAUSING_CASES } from './pausing.ts';
import type { ProviderUnderTest } from './provider-under-test.ts';
import { REPORT_CASES } from './report.ts';
import type { Ability, SandboxCase } from './sandbox-case.ts';
import { SHARING_CASES } from './sharing.ts';
import { TERMINAL_CASES } from './terminals.ts';
import { Workbench } from './workbench.ts';

export const ALL_CASES: readonly SandboxCase[] = [
  ...REPORT_CASES,
  ...COMMAND_CASES,
  ...TERMINAL_CASES,
  ...SHARING_CASES,
  ...DURABILITY_CASES,
  ...PAUSING_CASES,
  ...LIMIT_CASES,
  ...ENDING_CASES,
  ...ADOPTION_CASES,
  ...EGRESS_CASES,
  ...FILE_CASES,
  ...CONNECTION_CASES,
  ...CAPABILITY_CASES,
];

/** Cases without requirements: if fewer ran, something was left out. */
export const MIN_CASES = ALL_CASES.filter(({ needs }) => needs === undefined).length;

export async function runCase(sandboxCase: SandboxCase, under: ProviderUnderTest): Promise<void> {
  const bench = new Workbench(under);
  try {
    await sandboxCase.run(bench);
  } finally {
    await bench.close();
  }
}

/** @returns the missing requirement of the case */
export function findMissing({ needs }: SandboxCase, abilities: ReadonlySet<Ability>): Ability | undefined {
  return needs && !abilities.has(needs) ? needs : undefined;
}

/** Formats, for example, `4 of 60 cases skipped: 3 for want of "memory limit", …`. */
export function describeSkipped(skippedFor: readonly Ability[]): string {
  const counts = Map.groupBy(skippedFor, (ability) => ability);
  const parts = [...counts].map(([ability, cases]) => `${cases.length} for want of "${ability}"`);
  return `${skippedFor.length} of ${ALL_CASES.length} cases skipped${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`;
}
