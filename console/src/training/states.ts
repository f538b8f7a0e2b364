/** The states of training jobs, and what pages read from their loosely typed metrics. */
import type { TrainingJobResponse } from '@drydock/sdk';

export type JobState = TrainingJobResponse['status'];

export const JOB_STATES = [
  'queued',
  'running',
  'completed',
  'failed',
  'cancelled',
] as const satisfies readonly JobState[];

export const hasEnded = (status: JobState): boolean => status !== 'queued' && status !== 'running';

/** A job without a name is called after its model. */
export const nameOf = ({ name, model }: Pick<TrainingJobResponse, 'name' | 'model'>): string => name ?? model;

/** @returns a figure of the job, or undefined where it is not known yet */
export function figureOf(
  { metrics }: Pick<TrainingJobResponse, 'metrics'>,
  name: string,
): number | undefined {
  const value = metrics[name];
  return typeof value === 'number' ? value : undefined;
}

/** Known once a trainer has read the data. */
export const totalStepsOf = (job: TrainingJobResponse): number | undefined => figureOf(job, 'total_steps');
