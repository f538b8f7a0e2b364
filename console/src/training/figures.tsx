/** Badges, bars and figures of the training pages. Every colour has a word beside it, for people who cannot see colours. */
import type { TrainingJobResponse } from '@drydock/sdk';
import { Badge, Box, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatCompact, formatCount } from '../components/format.ts';
import { useWhere } from '../frame/scope.ts';
import { lastLossQuery } from './queries.ts';
import { figureOf, type JobState, totalStepsOf } from './states.ts';

export const JOB_LABELS: Readonly<Record<JobState, string>> = {
  queued: 'Queued',
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

const JOB_COLORS: Readonly<Record<JobState, string>> = {
  queued: 'gray',
  running: 'blue',
  completed: 'teal',
  failed: 'red',
  cancelled: 'gray',
};

export const JobBadge = ({ status }: { readonly status: JobState }) => (
  <Badge variant="dot" tt="none" fw={500} radius="sm" miw="max-content" color={JOB_COLORS[status]}>
    {JOB_LABELS[status]}
  </Badge>
);

interface StepBarProps {
  readonly job: TrainingJobResponse;
  readonly height?: number;
}

/** Steps that are done, of all steps. */
export function StepBar({ job, height = 6 }: StepBarProps) {
  const total = totalStepsOf(job);
  return (
    <Box
      role="img"
      aria-label={`Steps: ${describeSteps(job)}`}
      h={height}
      miw={60}
      bg="var(--mantine-color-default-border)"
      style={{ borderRadius: height / 2, overflow: 'hidden' }}
    >
      <Box
        h="100%"
        bg={`var(--mantine-color-${JOB_COLORS[job.status]}-6)`}
        style={{ width: `${total ? Math.min(100, (100 * job.step) / total) : 0}%` }}
      />
    </Box>
  );
}

export function describeSteps(job: TrainingJobResponse): string {
  const total = totalStepsOf(job);
  return total === undefined ? formatCount(job.step) : `${formatCount(job.step)} / ${formatCount(total)}`;
}

/** The bar with the number of steps, for a row of a list. */
export function StepCell({ job }: StepBarProps) {
  return (
    <Group gap="xs" wrap="nowrap" miw={130}>
      <Box flex={1}>
        <StepBar job={job} />
      </Box>
      <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        {describeSteps(job)}
      </Text>
    </Group>
  );
}

/** A value of a curve: learning rates are as small as 1e-7, tokens per second as large as 100,000. */
export function formatValue(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 0.001) return value.toExponential(2).replace(/\.?0*e-/, 'e−');
  return size >= 10_000 ? formatCompact(value) : String(Number(value.toPrecision(4)));
}

/** The last loss of a job of a list, which may have to be read. */
export function LastLoss({ job }: StepBarProps) {
  const where = useWhere();
  const known = figureOf(job, 'train/loss_last');
  const { data } = useQuery({
    ...lastLossQuery({ ...where, job_id: job.id }),
    enabled: known === undefined && job.step > 0,
  });
  return formatValue(known ?? data);
}

/** The datasets that a job trains on. */
export function describeData({
  dataset_ref,
  trajectory_dataset_refs,
}: TrainingJobResponse): readonly string[] {
  const all = [...(dataset_ref ? [dataset_ref] : []), ...trajectory_dataset_refs];
  return all.map(({ name, version }) => `${name}@${version}`);
}
