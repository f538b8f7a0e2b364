import { describe, expect, test } from 'vitest';
import { analyze } from './analyze.ts';
import type { Measured, MeasuredFinding } from './measured.ts';

const finding = (id: string, change: Partial<MeasuredFinding>): MeasuredFinding => ({
  id,
  attack_name: 'baseline',
  goal: 'g',
  goal_category: 'credential_leak',
  finding_status: 'open',
  finding_type: 'robust',
  severity: 'info',
  run_finding_type: 'robust',
  run_severity: 'info',
  best_score: 0,
  total_trials: 0,
  finished_trials: 0,
  jailbreak_trials: 0,
  execution_time_s: 1,
  cost_usd: 0.5,
  model_calls: 3,
  compliance_tags: { owasp_llm: ['LLM01:2025'] },
  ...change,
});

/** 3 of 16 finished trials succeeded: 1 of 10 of baseline, 2 of 6 of pair. */
const measured: Measured = {
  id: 'a',
  project_id: 'p',
  judge_model: 'j',
  status: 'completed',
  started_at: null,
  completed_at: null,
  findings: [
    finding('1', {
      total_trials: 11,
      finished_trials: 10,
      jailbreak_trials: 1,
      best_score: 0.9,
      finding_type: 'jailbreak',
      run_finding_type: 'jailbreak',
      severity: 'high',
      run_severity: 'critical',
    }),
    finding('2', {
      attack_name: 'pair',
      goal: 'h',
      goal_category: 'bias_fairness',
      total_trials: 6,
      finished_trials: 6,
      jailbreak_trials: 2,
      best_score: 0.6,
      finding_type: 'jailbreak',
      run_finding_type: 'jailbreak',
      severity: 'medium',
      run_severity: 'medium',
    }),
    finding('3', {
      attack_name: 'tap',
      goal_category: 'invented',
      finding_type: 'error',
      run_finding_type: 'error',
      total_trials: 2,
    }),
  ],
  transforms: [
    { finding_id: '1', transforms: [], finished: 8, jailbreaks: 0 },
    { finding_id: '1', transforms: ['base64'], finished: 2, jailbreaks: 1 },
    { finding_id: '2', transforms: ['hex', 'reverse'], finished: 4, jailbreaks: 2 },
    { finding_id: '2', transforms: [], finished: 2, jailbreaks: 0 },
  ],
};

describe('analyze', () => {
  const run = analyze(measured, { isTriaged: false });

  test('pools trials, and weighs the worst severity for the risk', () => {
    expect(run).toMatchObject({
      overall_asr: 3 / 16,
      // 10 × (0.6 + 0.4 × 3/16) = 6.75
      risk_score: 6.8,
      total_attacks: 3,
      total_trials: 19,
      finished_trials: 16,
      error_trials: 3,
      model_calls: 9,
      cost_usd: 1.5,
      execution_time_s: 3,
    });
    expect(run.success.interval?.low).toBeCloseTo(0.0659, 3);
    expect(run.success.interval?.high).toBeCloseTo(0.4301, 3);
  });

  test('rates attacks, categories and goals, the most successful first', () => {
    expect(run.by_attack.map(({ name, n, successes }) => [name, n, successes])).toEqual([
      ['pair', 6, 2],
      ['baseline', 10, 1],
      ['tap', 0, 0],
    ]);
    expect(run.by_category.map(({ name, asr }) => [name, asr])).toEqual([
      ['bias_fairness', 2 / 6],
      ['credential_leak', 0.1],
      ['jailbreak_general', null],
    ]);
    expect(run.matrix).toContainEqual({
      category: 'bias_fairness',
      attack_name: 'pair',
      n: 6,
      successes: 2,
      asr: 2 / 6,
    });
  });

  test('measures the lift of chains against baseline without transforms', () => {
    expect(run.baseline).toMatchObject({ n: 8, successes: 0, asr: 0 });
    expect(run.by_transform.map(({ name, asr, lift }) => [name, asr, lift])).toEqual([
      ['base64', 0.5, 0.5],
      ['hex → reverse', 0.5, 0.5],
    ]);
  });

  test('counts severities of successes, types and controls', () => {
    expect(run.severity_counts).toEqual({ critical: 1, high: 0, medium: 1, low: 0, info: 0 });
    expect(run.finding_types).toMatchObject({ jailbreak: 2, error: 1, robust: 0 });
    expect(run.compliance).toMatchObject([{ control: 'LLM01:2025', findings: 3, broken: 2 }]);
    expect(run.top_findings.map(({ id }) => id)).toEqual(['1', '2']);
    expect(run.recommendations.length).toBeGreaterThan(0);
  });

  test('lets triage decide: severities of people, and rejected findings as held', () => {
    const findings = measured.findings.map((one) =>
      one.id === '2' ? Object.assign({}, one, { finding_status: 'false_positive' as const }) : one,
    );
    const triaged = analyze({ ...measured, findings }, { isTriaged: true });
    // 8 × (0.6 + 0.4 × 1/16) = 5
    expect(triaged).toMatchObject({ overall_asr: 1 / 16, risk_score: 5 });
    expect(triaged.severity_counts).toMatchObject({ critical: 0, high: 1, medium: 0 });
    expect(triaged.by_transform.map(({ name, successes }) => [name, successes])).toEqual([
      ['base64', 1],
      ['hex → reverse', 0],
    ]);
    const { overall_asr, risk_score, severity_counts, by_transform } = run;
    expect(analyze({ ...measured, findings }, { isTriaged: false })).toMatchObject({
      overall_asr,
      risk_score,
      severity_counts,
      by_transform,
    });
  });

  test('has a rate of null and no risk without trials', () => {
    const none = analyze({ ...measured, findings: [], transforms: [] }, { isTriaged: true });
    expect(none).toMatchObject({
      overall_asr: null,
      risk_score: 0,
      by_attack: [],
      success: { interval: null },
    });
  });
});
