/** The states of assessments and findings, in the words and colours that pages show. */
import type { AssessmentResponse, FindingSummary } from '@drydock/sdk';

export type AssessmentState = AssessmentResponse['status'];
export type Severity = FindingSummary['severity'];
export type FindingState = FindingSummary['finding_status'];
export type FindingType = FindingSummary['finding_type'];

export const ASSESSMENT_STATES = [
  'pending',
  'running',
  'completed',
  'failed',
] as const satisfies readonly AssessmentState[];

export const ASSESSMENT_LABELS: Readonly<Record<AssessmentState, string>> = {
  pending: 'Not started',
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
};

export const ASSESSMENT_COLORS: Readonly<Record<AssessmentState, string>> = {
  pending: 'gray',
  running: 'blue',
  completed: 'teal',
  failed: 'red',
};

export const hasEnded = (status: AssessmentState): boolean => status === 'completed' || status === 'failed';

/** The API has no state of its own for assessments that were cancelled. */
export const isCancelled = ({ status, stop_reason }: AssessmentResponse): boolean =>
  status === 'failed' && stop_reason === 'cancelled';

/** Highest first. */
export const SEVERITIES = [
  'critical',
  'high',
  'medium',
  'low',
  'info',
] as const satisfies readonly Severity[];

export const SEVERITY_LABELS: Readonly<Record<Severity, string>> = {
  critical: 'Critical',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  info: 'Info',
};

export const FINDING_STATES = [
  'open',
  'false_positive',
  'accepted_risk',
  'remediated',
  'incorrect_scoring',
] as const satisfies readonly FindingState[];

export const FINDING_LABELS: Readonly<Record<FindingState, string>> = {
  open: 'Open',
  false_positive: 'False positive',
  accepted_risk: 'Accepted risk',
  remediated: 'Remediated',
  incorrect_scoring: 'Incorrect scoring',
};

export const FINDING_COLORS: Readonly<Record<FindingState, string>> = {
  open: 'orange',
  false_positive: 'gray',
  accepted_risk: 'grape',
  remediated: 'teal',
  incorrect_scoring: 'gray',
};

export const FINDING_TYPES = [
  'jailbreak',
  'partial',
  'refusal',
  'robust',
  'error',
  'evasion',
  'degradation',
] as const satisfies readonly FindingType[];

export const TYPE_LABELS: Readonly<Record<FindingType, string>> = {
  jailbreak: 'Jailbreak',
  partial: 'Partial',
  refusal: 'Refusal',
  robust: 'Robust',
  error: 'Error',
  evasion: 'Evasion',
  degradation: 'Degradation',
};

const ABBREVIATIONS = new Map([
  ['pii', 'PII'],
  ['mcp', 'MCP'],
  ['pair', 'PAIR'],
  ['tap', 'TAP'],
  ['goat', 'GOAT'],
]);

/** The name of an attack, transform or category as people write it: `best_of_n` is "Best of n". */
export function toWords(name: string): string {
  const words = name.split('_').map((word) => ABBREVIATIONS.get(word) ?? word);
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The name of a goal's category; findings without one are judged as general jailbreaks. */
export const categoryOf = ({ goal_category }: { readonly goal_category: string | null }): string =>
  goal_category ?? 'jailbreak_general';

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export type TargetKind = 'model' | 'http' | 'agent';

export function kindOf({ target_config }: Pick<AssessmentResponse, 'target_config'>): TargetKind {
  const kind = target_config?.['kind'];
  return kind === 'http' || kind === 'agent' ? kind : 'model';
}

/** The model, the URL or the capability that is attacked. */
export function targetOf(assessment: Pick<AssessmentResponse, 'target_config' | 'target_model'>): string {
  const { target_config, target_model } = assessment;
  const kind = kindOf(assessment);
  if (kind === 'http') return textOf(target_config?.['url']) ?? 'HTTP service';
  if (kind === 'agent') {
    const { name, version } = (target_config?.['capability'] ?? {}) as Record<string, unknown>;
    return [textOf(name), textOf(version)].filter(Boolean).join('@') || 'Agent';
  }
  return target_model ?? '–';
}

export const KIND_LABELS: Readonly<Record<TargetKind, string>> = {
  model: 'Model',
  http: 'HTTP service',
  agent: 'Agent in a sandbox',
};
