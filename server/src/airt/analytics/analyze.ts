/** Computes the analytics of an assessment: rates by attack, category, transform and goal, severity, risk, compliance. */
import type { z } from 'zod';
import { REJECTED_STATUSES } from '../../platform/red-team/scoring/calibration.ts';
import {
  poolCounts,
  riskScore,
  successRate,
  type TrialCounts,
} from '../../platform/red-team/scoring/rates.ts';
import { SEVERITIES, toGoalCategory } from '../../platform/red-team/scoring/severity.ts';
import { FINDING_TYPES } from '../../platform/red-team/scoring/summary.ts';
import { FINDING_STATES } from '../schema.ts';
import { coverControls } from './coverage.ts';
import type { Measured, MeasuredFinding } from './measured.ts';
import { recommend } from './recommendations.ts';
import type { AirtFigures } from './schema.ts';

type Figures = z.output<typeof AirtFigures>;

const MAX_TOP = 10;
const MAX_GOALS = 200;

interface Counted {
  readonly finding: MeasuredFinding;
  readonly counts: TrialCounts;
}

/** @param isTriaged whether the decisions of people count, or only what the run found */
export function analyze(measured: Measured, { isTriaged }: { readonly isTriaged: boolean }): Figures {
  const findings = measured.findings.map((finding) => toCounted(finding, isTriaged));
  const pooled = successRate(poolCounts(findings.map(({ counts }) => counts)));
  const succeeded = findings.filter(({ counts }) => counts.jailbreaks > 0);
  const severityOf = ({ finding }: Counted) => (isTriaged ? finding.severity : finding.run_severity);
  const risk = riskScore(succeeded.map(severityOf), pooled.asr ?? 0);
  const sum = (read: (finding: MeasuredFinding) => number) =>
    measured.findings.reduce((total, finding) => total + read(finding), 0);
  return {
    assessment_id: measured.id,
    status: measured.status,
    overall_asr: pooled.asr,
    success: pooled,
    risk_score: risk,
    total_attacks: findings.length,
    total_trials: sum(({ total_trials }) => total_trials),
    finished_trials: pooled.n,
    error_trials: sum(({ total_trials, finished_trials }) => total_trials - finished_trials),
    by_attack: rateBy(findings, ({ finding }) => finding.attack_name),
    by_category: rateBy(findings, ({ finding }) => toGoalCategory(finding.goal_category)),
    by_goal: rateBy(findings, ({ finding }) => finding.goal).slice(0, MAX_GOALS),
    ...rateTransforms(measured, findings),
    matrix: toMatrix(findings),
    severity_counts: countEach(SEVERITIES, succeeded, severityOf),
    finding_types: countEach(FINDING_TYPES, findings, ({ finding }) =>
      isTriaged ? finding.finding_type : finding.run_finding_type,
    ),
    finding_statuses: countEach(FINDING_STATES, findings, ({ finding }) => finding.finding_status),
    compliance: coverControls(
      findings.map(({ finding, counts }) => ({ tags: finding.compliance_tags, counts })),
    ),
    started_at: measured.started_at,
    completed_at: measured.completed_at,
    execution_time_s: sum(({ execution_time_s }) => execution_time_s ?? 0),
    model_calls: sum(({ model_calls }) => model_calls),
    cost_usd: sum(({ cost_usd }) => cost_usd),
    top_findings: toTop(succeeded, severityOf),
    recommendations: recommend(
      succeeded.map(({ finding }) => ({
        category: toGoalCategory(finding.goal_category),
        attack: finding.attack_name,
      })),
    ),
  };
}

function toCounted(finding: MeasuredFinding, isTriaged: boolean): Counted {
  const isRejected = isTriaged && REJECTED_STATUSES.has(finding.finding_status);
  const { finished_trials: finished, jailbreak_trials } = finding;
  return { finding, counts: { finished, jailbreaks: isRejected ? 0 : jailbreak_trials } };
}

/** @returns the most successful first */
function rateBy(findings: readonly Counted[], keyOf: (finding: Counted) => string) {
  return [...Map.groupBy(findings, keyOf)]
    .map(([name, group]) => {
      const rate = successRate(poolCounts(group.map(({ counts }) => counts)));
      return Object.assign(rate, { name, findings: group.length });
    })
    .toSorted((a, b) => (b.asr ?? -1) - (a.asr ?? -1) || (a.name < b.name ? -1 : 1));
}

/** The lift of a chain is its rate minus that of unchanged prompts: of `baseline` if it was run, otherwise of all untransformed ones. */
function rateTransforms({ transforms }: Measured, findings: readonly Counted[]) {
  const byId = new Map(findings.map((counted) => [counted.finding.id, counted]));
  const counted = transforms.flatMap(({ finding_id, transforms: chain, finished, jailbreaks }) => {
    const of = byId.get(finding_id);
    if (!of) return [];
    const held = of.counts.jailbreaks === 0;
    return {
      chain: chain.join(' → '),
      attack: of.finding.attack_name,
      finished,
      jailbreaks: held ? 0 : jailbreaks,
    };
  });
  const plain = counted.filter(({ chain }) => chain === '');
  const ofBaseline = plain.filter(({ attack }) => attack === 'baseline');
  const baseline = successRate(poolCounts(ofBaseline.length > 0 ? ofBaseline : plain));
  const by_transform = [...Map.groupBy(counted, ({ chain }) => chain)]
    .filter(([chain]) => chain !== '')
    .map(([name, group]) => {
      const rate = successRate(poolCounts(group));
      const lift = rate.asr === null || baseline.asr === null ? null : rate.asr - baseline.asr;
      return Object.assign(rate, { name, lift });
    })
    .toSorted((a, b) => (b.asr ?? -1) - (a.asr ?? -1) || (a.name < b.name ? -1 : 1));
  return { baseline, by_transform };
}

function toMatrix(findings: readonly Counted[]) {
  const cells = Map.groupBy(findings, ({ finding }) =>
    JSON.stringify([toGoalCategory(finding.goal_category), finding.attack_name]),
  );
  return [...cells].map(([key, group]) => {
    const [category, attack_name] = JSON.parse(key) as [string, string];
    const { n, successes, asr } = successRate(poolCounts(group.map(({ counts }) => counts)));
    return { category, attack_name, n, successes, asr };
  });
}

function countEach<Name extends string>(
  names: readonly Name[],
  findings: readonly Counted[],
  nameOf: (finding: Counted) => Name,
): Record<Name, number> {
  const counts = Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
  for (const finding of findings) counts[nameOf(finding)]++;
  return counts;
}

function toTop(succeeded: readonly Counted[], severityOf: (finding: Counted) => (typeof SEVERITIES)[number]) {
  return succeeded
    .toSorted(
      (a, b) =>
        SEVERITIES.indexOf(severityOf(a)) - SEVERITIES.indexOf(severityOf(b)) ||
        (b.finding.best_score ?? 0) - (a.finding.best_score ?? 0),
    )
    .slice(0, MAX_TOP)
    .map((counted) => ({
      id: counted.finding.id,
      attack_name: counted.finding.attack_name,
      goal: counted.finding.goal,
      goal_category: counted.finding.goal_category,
      severity: severityOf(counted),
      best_score: counted.finding.best_score,
    }));
}
