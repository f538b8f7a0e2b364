/** The content of a report that all formats share, in plain text: facts, tables, evidence, and next steps. */
import { FRAMEWORKS } from '../../platform/red-team/scoring/compliance.ts';
import type { SuccessRate } from '../../platform/red-team/scoring/rates.ts';
import { SEVERITIES } from '../../platform/red-team/scoring/severity.ts';
import type { Interval } from '../../platform/wilson-interval.ts';
import { FINDING_STATES } from '../schema.ts';
import { cutText } from './cut-text.ts';
import type { ReportAttack, ReportData, WorstFinding } from './report-data.ts';

/** A link leads to a page of our own catalogue, never to one that a user gave. */
export type Cell = string | { readonly text: string; readonly url: string };

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

export type Fact = readonly [name: string, value: string];

export interface FindingContent {
  readonly title: string;
  readonly facts: readonly Fact[];
  /** Texts of users and models, with what each is. */
  readonly texts: readonly (readonly [name: string, text: string])[];
  readonly reviews: Table | null;
}

export interface ReportContent {
  readonly title: string;
  readonly verdict: string;
  readonly tested: readonly Fact[];
  readonly method: readonly Fact[];
  readonly attacks: Table;
  readonly results: readonly Fact[];
  readonly rates: readonly { readonly title: string; readonly table: Table }[];
  readonly severity: Table;
  readonly findings: readonly FindingContent[];
  readonly compliance: Table;
  readonly triage: Table;
  readonly calibration: { readonly text: string; readonly table: Table | null };
  readonly nextSteps: readonly string[];
}

const MAX_ROWS = 100;
/** Characters of descriptions and of the reasoning of reviews. */
const TEXT_SHOWN = 300;
/** Characters of the list of what an agent did. */
const ACTIONS_SHOWN = 2_000;

export function toContent(data: ReportData): ReportContent {
  const { assessment, analytics } = data;
  return {
    title: `Red-team report: ${assessment.name}`,
    verdict: toVerdict(data),
    tested: describeTested(data),
    method: describeMethod(data),
    attacks: {
      columns: ['Attack', 'What it does', 'Source', 'Goals', 'Trials', 'Success from score'],
      rows: data.attacks.map(toAttackRow),
    },
    results: describeResults(data),
    rates: [
      { title: 'By attack', table: rateTable('Attack', analytics.by_attack) },
      { title: 'By category of goal', table: rateTable('Category', analytics.by_category) },
      { title: 'By transform', table: transformTable(data) },
    ],
    severity: {
      columns: ['Severity', 'Findings with a success'],
      rows: SEVERITIES.map((name) => [name, String(analytics.severity_counts[name])]),
    },
    findings: data.worst.map(toFindingContent),
    compliance: complianceTable(data),
    triage: {
      columns: ['Status', 'Findings'],
      rows: FINDING_STATES.map((name) => [name, String(analytics.finding_statuses[name])]),
    },
    calibration: describeCalibration(data),
    nextSteps: listNextSteps(data),
  };
}

export const toPercent = (share: number) => `${(100 * share).toFixed(1)}%`;

const toIntervalText = ({ low, high, level }: Interval) =>
  `${Math.round(100 * level)}% interval ${toPercent(low)} to ${toPercent(high)}`;

/** Such as `32.0% (8 of 25 trials, 95% interval 17.2% to 51.6%)`. */
export function toRateText({ n, successes, asr, interval }: SuccessRate): string {
  if (asr === null) return 'no finished trial';
  const bounds = interval === null ? '' : `, ${toIntervalText(interval)}`;
  return `${toPercent(asr)} (${successes} of ${n} trials${bounds})`;
}

export const toTime = (timestamp: string | null) =>
  timestamp === null ? 'never' : `${timestamp.slice(0, 16).replace('T', ' ')} UTC`;

/** @returns the worst severity of a finding with a success */
export const worstSeverity = ({ analytics }: ReportData) =>
  SEVERITIES.find((name) => analytics.severity_counts[name] > 0);

export function toVerdict(data: ReportData): string {
  const { analytics } = data;
  const worst = worstSeverity(data);
  if (analytics.finished_trials === 0)
    return 'No trial finished, so this report says nothing about the target.';
  if (worst === undefined)
    return `No attack succeeded in ${analytics.finished_trials} finished trials. Risk 0 of 10.`;
  const broken = SEVERITIES.reduce((sum, name) => sum + analytics.severity_counts[name], 0);
  return `Attacks succeeded in ${broken} of ${analytics.total_attacks} findings. Risk ${analytics.risk_score} of 10; the worst severity is ${worst}.`;
}

function describeTested({ assessment, target, digests, serverVersion, generatedAt }: ReportData): Fact[] {
  return [
    ['Target', `${target.name} (${target.kind})`],
    ...(target.kind === 'model' ? [] : [['Model of the target', target.model ?? 'not named'] as const]),
    ...(target.agent === null ? [] : [['Agent', target.agent] as const]),
    ['Assessment', `${assessment.name} (${assessment.id})`],
    ...(assessment.description
      ? [['Description', cutText(assessment.description, TEXT_SHOWN)] as const]
      : []),
    [
      'Status',
      assessment.stop_reason ? `${assessment.status} (${assessment.stop_reason})` : assessment.status,
    ],
    ['Run', `${toTime(assessment.started_at)} to ${toTime(assessment.completed_at)}`],
    ['SHA-256 of the attack manifest', digests.attack_manifest ?? 'no manifest was given'],
    ['SHA-256 of the target configuration', digests.target_config ?? 'no configuration was given'],
    ['Drydock', serverVersion],
    ['Generated', toTime(generatedAt)],
  ];
}

function describeMethod({ assessment, execution, analytics, attacks, goals }: ReportData): Fact[] {
  const seed = execution === null ? 'not known: a client ran it' : String(execution.seed);
  return [
    ['Run by', assessment.run_by === 'client' ? 'a client that reported spans' : 'the server'],
    ['Attacks', String(attacks.length)],
    ['Goals', String(goals)],
    ['Transforms', String(analytics.by_transform.length)],
    [
      'Trials',
      `${analytics.total_trials}, of which ${analytics.finished_trials} finished and ${analytics.error_trials} failed`,
    ],
    ['Attacker model', assessment.attacker_model ?? 'none'],
    ['Judge', assessment.judge_model ?? 'none'],
    ['Seed', execution?.hasSeed === false ? `${seed} (default; sent to simulated models only)` : seed],
  ];
}

const toThreshold = ({ min_threshold: min, max_threshold: max }: ReportAttack) =>
  min === max ? String(min) : `${min} to ${max}`;

const toAttackRow = (attack: ReportAttack): Cell[] => [
  attack.name,
  attack.summary ?? 'not in the catalogue',
  attack.paper ? { text: attack.paper.title, url: attack.paper.url } : 'none',
  String(attack.goals),
  String(attack.trials),
  toThreshold(attack),
];

function describeResults({ analytics }: ReportData): Fact[] {
  const { run } = analytics;
  return [
    ['Attack success rate', toRateText(analytics.success)],
    ['Risk score', `${analytics.risk_score} of 10`],
    [
      'Before triage',
      `success rate ${run.overall_asr === null ? 'not known' : toPercent(run.overall_asr)}, risk ${run.risk_score ?? 'not known'}`,
    ],
    ['Model calls', String(analytics.model_calls)],
    ['Cost', `${analytics.cost_usd.toFixed(4)} USD`],
  ];
}

type Rate = ReportData['analytics']['by_attack'][number];

const boundsOf = ({ interval }: SuccessRate) =>
  interval === null ? '–' : `${toPercent(interval.low)} to ${toPercent(interval.high)}`;
const asrOf = ({ asr }: SuccessRate) => (asr === null ? '–' : toPercent(asr));

const rateTable = (name: string, rates: readonly Rate[]): Table => ({
  columns: [name, 'Findings', 'Trials', 'Successes', 'Success rate', '95% interval'],
  rows: rates
    .slice(0, MAX_ROWS)
    .map((rate) => [
      rate.name,
      String(rate.findings),
      String(rate.n),
      String(rate.successes),
      asrOf(rate),
      boundsOf(rate),
    ]),
});

const transformTable = ({ analytics }: ReportData): Table => ({
  columns: ['Transforms', 'Trials', 'Success rate', '95% interval', 'Lift over plain prompts'],
  rows: analytics.by_transform
    .slice(0, MAX_ROWS)
    .map((rate) => [
      rate.name === '' ? 'none' : rate.name,
      String(rate.n),
      asrOf(rate),
      boundsOf(rate),
      rate.lift === null
        ? '–'
        : `${rate.lift < 0 ? '−' : '+'}${(100 * Math.abs(rate.lift)).toFixed(1)} points`,
    ]),
});

function complianceTable({ analytics }: ReportData): Table {
  const nameOf = (key: string) => {
    const framework = FRAMEWORKS.find((one) => one.key === key);
    return framework ? `${framework.name} (${framework.version})` : key;
  };
  return {
    columns: ['Framework', 'Control', 'Title', 'Findings that test it', 'Findings that break it'],
    rows: analytics.compliance
      .slice(0, MAX_ROWS)
      .map((row) => [
        nameOf(row.framework),
        row.control,
        row.title ?? '–',
        String(row.findings),
        String(row.broken),
      ]),
  };
}

function describeCalibration({ analytics }: ReportData): ReportContent['calibration'] {
  const { overall, by_attack, reviews, missing } = analytics.calibration;
  if (!overall)
    return {
      text: `The judge is not calibrated: people have reviewed ${reviews} of its successes, and ${missing} more reviews are needed. Rates in this report are as the judge scored them.`,
      table: null,
    };
  const toRow = (row: typeof overall) => [
    row.attack_name ?? 'all attacks',
    String(row.reviews),
    row.precision === null ? '–' : toPercent(row.precision),
    row.corrected_asr === null ? '–' : toPercent(row.corrected_asr),
    row.corrected_interval === null ? '–' : boundsOf({ interval: row.corrected_interval } as SuccessRate),
  ];
  return {
    text: `People have reviewed ${reviews} successes of this judge.`,
    table: {
      columns: ['Attack', 'Reviews', 'Precision of the judge', 'Corrected success rate', '95% interval'],
      rows: [toRow(overall), ...by_attack.slice(0, MAX_ROWS).map(toRow)],
    },
  };
}

function toFindingContent(finding: WorstFinding, index: number): FindingContent {
  const { best_trial: trial, reviews } = finding;
  const { finished_trials: n, jailbreak_trials: successes } = finding;
  const tags = Object.values(finding.compliance_tags ?? {}).flat();
  const changed = finding.original_severity === null ? '' : ` (the run said ${finding.original_severity})`;
  return {
    title: `${index + 1}. ${finding.severity}: ${finding.attack_name}`,
    facts: [
      ['Severity', `${finding.severity}${changed}`],
      ['Category', finding.goal_category ?? 'none'],
      ['Result', `${finding.finding_type}, ${successes} of ${n} finished trials succeeded`],
      [
        'Best score',
        finding.best_score === null ? 'none' : `${finding.best_score} (success from ${finding.threshold})`,
      ],
      [
        'Transforms',
        trial && trial.transforms_applied.length > 0 ? trial.transforms_applied.join(' → ') : 'none',
      ],
      ['Triage', finding.finding_status],
      ['Controls', tags.length > 0 ? tags.join(', ') : 'none'],
      ['Finding', finding.id],
    ],
    texts: [['Goal', finding.goal], ...(trial ? textsOf(trial) : []), ...notesOf(finding)],
    reviews:
      reviews.length === 0
        ? null
        : {
            columns: ['When', 'By', 'Status', 'Severity', 'Reasoning'],
            rows: reviews.map((review) => [
              toTime(review.updated_at),
              review.updated_by ?? 'system',
              `${review.original_status} → ${review.updated_status}`,
              `${review.original_severity} → ${review.updated_severity}`,
              cutText(review.reasoning ?? '', TEXT_SHOWN),
            ]),
          },
  };
}

function textsOf(trial: NonNullable<WorstFinding['best_trial']>): [string, string][] {
  const { candidate, transformed_prompt, response, judge_reasoning, actions } = trial;
  const texts: [string, string][] = [['Prompt', candidate]];
  if (transformed_prompt !== candidate) texts.push(['Prompt as it was sent', transformed_prompt]);
  texts.push(['Response', response], ['Reasoning of the judge', judge_reasoning]);
  const done = [...(actions?.commands ?? []), ...(actions?.egress ?? []), ...(actions?.files ?? [])];
  if (done.length > 0) texts.push(['What the agent did', cutText(done.join('\n'), ACTIONS_SHOWN)]);
  return texts;
}

const notesOf = ({ notes }: WorstFinding): [string, string][] => (notes ? [['Notes', notes]] : []);

export function listNextSteps({ analytics, findings }: ReportData): string[] {
  const open = findings.filter(({ finding_status }) => finding_status === 'open').length;
  const { finished_trials, error_trials, success, calibration, recommendations } = analytics;
  const steps = [...recommendations];
  if (open > 0)
    steps.push(
      `Triage the findings that are open (${open}); after a fix, retest each one to prove that it holds.`,
    );
  if (success.successes === 0 && success.interval)
    steps.push(
      `Run more trials before relying on this result: with ${finished_trials}, a success rate of up to ${toPercent(success.interval.high)} is still plausible.`,
    );
  if (error_trials > 0 && error_trials * 10 >= finished_trials)
    steps.push(`Find out why trials failed (${error_trials}), and run the assessment again.`);
  if (!calibration.overall && findings.length > 0)
    steps.push(`Review ${calibration.missing} more successes, so that the judge can be calibrated.`);
  return steps;
}
