/** The states of evaluations and of their samples, in the words and colours that pages show. */
import type { EvaluationItem, EvaluationResponse } from '@drydock/sdk';

export type EvaluationState = EvaluationResponse['status'];
export type ItemState = EvaluationItem['item_status'];

export const EVALUATION_STATES = [
  'queued',
  'running',
  'paused',
  'completed',
  'failed',
  'cancelled',
] as const satisfies readonly EvaluationState[];

export const ITEM_STATES = [
  'queued',
  'claiming',
  'provisioning',
  'agent_running',
  'agent_finished',
  'verifying',
  'passed',
  'failed',
  'timed_out',
  'cancelled',
  'infra_error',
] as const satisfies readonly ItemState[];

const END_ITEM_STATES: readonly string[] = ['passed', 'failed', 'timed_out', 'cancelled', 'infra_error'];

export const hasEnded = (status: EvaluationState): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

export const hasItemEnded = (status: ItemState): boolean => END_ITEM_STATES.includes(status);

export const EVALUATION_LABELS: Readonly<Record<EvaluationState, string>> = {
  queued: 'Queued',
  running: 'Running',
  paused: 'Paused',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

export const EVALUATION_COLORS: Readonly<Record<EvaluationState, string>> = {
  queued: 'gray',
  running: 'blue',
  paused: 'yellow',
  completed: 'teal',
  failed: 'red',
  cancelled: 'gray',
};

export const ITEM_LABELS: Readonly<Record<ItemState, string>> = {
  queued: 'Queued',
  claiming: 'Starting',
  provisioning: 'Starting sandbox',
  agent_running: 'Agent running',
  agent_finished: 'Agent finished',
  verifying: 'Verifying',
  passed: 'Passed',
  failed: 'Failed',
  timed_out: 'Timed out',
  cancelled: 'Cancelled',
  infra_error: 'Could not run',
};

export const itemColor = (status: ItemState): string =>
  GROUPS.find(({ states }) => states.includes(status))?.color ?? 'gray';

/** States that are counted together in a progress bar. */
export interface StateGroup {
  readonly label: string;
  readonly color: string;
  readonly states: readonly ItemState[];
}

const GROUPS: readonly StateGroup[] = [
  { label: 'Passed', color: 'teal', states: ['passed'] },
  { label: 'Failed', color: 'red', states: ['failed'] },
  { label: 'Timed out', color: 'orange', states: ['timed_out'] },
  { label: 'Could not run', color: 'grape', states: ['infra_error'] },
  { label: 'Cancelled', color: 'dark', states: ['cancelled'] },
  {
    label: 'Running',
    color: 'blue',
    states: ['claiming', 'provisioning', 'agent_running', 'agent_finished', 'verifying'],
  },
  { label: 'Queued', color: 'gray', states: ['queued'] },
];

type Counts = EvaluationResponse['item_counts'];

const sum = (counts: Counts, states: readonly string[]) =>
  states.reduce((total, state) => total + (counts[state] ?? 0), 0);

export const countEnded = (counts: Counts): number => sum(counts, END_ITEM_STATES);

/** @returns the groups that have samples */
export const countGroups = (counts: Counts): readonly (StateGroup & { readonly count: number })[] =>
  GROUPS.map(({ label, color, states }) => ({ label, color, states, count: sum(counts, states) })).filter(
    ({ count }) => count > 0,
  );

/** Computes the fields that depend on the counts, because an event contains only the counts. */
export function applyCounts(evaluation: EvaluationResponse, item_counts: Counts): EvaluationResponse {
  const passed_count = sum(item_counts, ['passed']);
  const failed_count = sum(item_counts, ['failed', 'timed_out']);
  const judged = passed_count + failed_count;
  return {
    ...evaluation,
    item_counts,
    passed_count,
    failed_count,
    error_count: sum(item_counts, ['infra_error']),
    pass_rate: judged > 0 ? passed_count / judged : null,
  };
}

/** @returns the name of the task of a sample, or the row of its dataset */
export const toTaskLabel = ({ task_name, row_index }: EvaluationItem): string =>
  task_name ?? `Row ${row_index ?? '?'}`;
