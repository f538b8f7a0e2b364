/** Counts the findings that tested each control of a framework, and those that broke it. */
import { CONTROLS, FRAMEWORKS } from '../../platform/red-team/scoring/compliance.ts';
import type { TrialCounts } from '../../platform/red-team/scoring/rates.ts';

interface TaggedFinding {
  readonly tags: Readonly<Record<string, readonly string[]>> | null;
  readonly counts: TrialCounts;
}

export interface ControlCoverage {
  readonly framework: string;
  /** Name and version; null for a framework that only a client knows. */
  readonly framework_name: string | null;
  readonly control: string;
  readonly title: string | null;
  /** Findings that test it. */
  readonly findings: number;
  /** Findings in which an attack succeeded. */
  readonly broken: number;
}

const FRAMEWORK_NAMES: ReadonlyMap<string, string> = new Map(
  FRAMEWORKS.map(({ key, name, version }) => [key, `${name} (${version})`]),
);

/** @returns by framework, then by control. Tags of frameworks that only a client knows are kept at the end. */
export function coverControls(findings: readonly TaggedFinding[]): ControlCoverage[] {
  const cells = new Map<string, { framework: string; control: string; findings: number; broken: number }>();
  for (const { tags, counts } of findings)
    for (const [framework, controls] of Object.entries(tags ?? {}))
      for (const control of controls) {
        const key = `${framework} ${control}`;
        const cell = cells.get(key) ?? { framework, control, findings: 0, broken: 0 };
        cells.set(key, cell);
        cell.findings++;
        if (counts.jailbreaks > 0) cell.broken++;
      }
  const order = FRAMEWORKS.map(({ key }) => key as string);
  const rankOf = (framework: string) => (order.indexOf(framework) + order.length + 1) % (order.length + 1);
  return [...cells.values()]
    .map((cell) =>
      Object.assign(cell, {
        title: CONTROLS[cell.control] ?? null,
        framework_name: FRAMEWORK_NAMES.get(cell.framework) ?? null,
      }),
    )
    .toSorted((a, b) => rankOf(a.framework) - rankOf(b.framework) || (a.control < b.control ? -1 : 1));
}
