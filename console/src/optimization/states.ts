/** The states of optimization jobs and of what they find, in the words and colours that pages show. */
import type { OptimizationCandidate, OptimizationJobResponse, OptimizationProposal } from '@drydock/sdk';

export type JobState = OptimizationJobResponse['status'];
export type TargetKind = OptimizationJobResponse['target_kind'];

export const JOB_STATES = [
  'pending',
  'queued',
  'running',
  'completed',
  'failed',
  'cancelled',
] as const satisfies readonly JobState[];

export const TARGET_KINDS = ['capability_agent', 'capability_env'] as const satisfies readonly TargetKind[];

export const JOB_LABELS: Readonly<Record<JobState, string>> = {
  pending: 'Pending',
  queued: 'Queued',
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

export const JOB_COLORS: Readonly<Record<JobState, string>> = {
  pending: 'gray',
  queued: 'gray',
  running: 'blue',
  completed: 'teal',
  failed: 'red',
  cancelled: 'gray',
};

export const KIND_LABELS: Readonly<Record<TargetKind, string>> = {
  capability_agent: 'Agent instructions',
  capability_env: 'Agent in a sandbox',
};

export const hasEnded = (status: JobState): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** A job without a name is called after its capability. */
export const nameOf = ({ name, capability }: OptimizationJobResponse): string => name ?? capability.name;

export const FOUND_BY_LABELS: Readonly<Record<OptimizationCandidate['found_by'], string>> = {
  seed: 'Seed',
  reflection: 'Reflection',
  merge: 'Merge',
};

export const FOUND_BY_COLORS: Readonly<Record<OptimizationCandidate['found_by'], string>> = {
  seed: 'gray',
  reflection: 'blue',
  merge: 'grape',
};

export const PROPOSAL_COLORS: Readonly<Record<OptimizationProposal['status'], string>> = {
  accepted: 'teal',
  rejected: 'red',
  unfinished: 'gray',
};

const REASONS: Readonly<Record<string, string>> = {
  not_better: 'not better than its parent on the minibatch',
  perfect_score: 'the parent already has a perfect score on the minibatch',
  no_traces: 'there was nothing to reflect on',
  reflection_failed: 'the reflection model failed',
  unchanged: 'the reflection did not change the text',
  duplicate: 'the same text was proposed before',
  merge_not_better: 'the merge is worse than its better parent',
};

export const toReason = (reason: string): string => REASONS[reason] ?? reason.replaceAll('_', ' ');

const STOP_REASONS: Readonly<Record<string, string>> = {
  max_metric_calls: 'the limit of metric calls was reached',
  max_trials: 'the limit of iterations was reached',
  max_trials_without_improvement: 'there was no improvement for too many iterations',
  max_runtime_sec: 'the limit of running time was reached',
  reflection_failed: 'three reflections in a row failed',
  credits: 'the organization has no credits left',
  cancelled: 'it was cancelled',
};

export const toStopReason = (reason: string): string => STOP_REASONS[reason] ?? reason.replaceAll('_', ' ');

/** The examples that candidates are scored on: without a validation set, those of the training set. */
export const validationSplitOf = ({ summary }: OptimizationJobResponse): 'validation' | 'train' =>
  summary.val_size > 0 ? 'validation' : 'train';

export const validationSizeOf = ({ summary }: OptimizationJobResponse): number =>
  summary.val_size || summary.train_size;
