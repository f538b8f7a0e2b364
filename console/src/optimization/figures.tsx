/** Badges, bars and figures of the optimization pages. Every colour has a word beside it, for people who cannot see colours. */
import type { OptimizationCandidate, OptimizationJobResponse, OptimizationProposal } from '@drydock/sdk';
import { Badge, Box, Group, Text } from '@mantine/core';
import { formatCount, formatScore } from '../components/format.ts';
import {
  FOUND_BY_COLORS,
  FOUND_BY_LABELS,
  JOB_COLORS,
  JOB_LABELS,
  type JobState,
  PROPOSAL_COLORS,
} from './states.ts';

const dotBadge = { variant: 'dot', tt: 'none', fw: 500, radius: 'sm', miw: 'max-content' } as const;

export const JobBadge = ({ status }: { readonly status: JobState }) => (
  <Badge {...dotBadge} color={JOB_COLORS[status]}>
    {JOB_LABELS[status]}
  </Badge>
);

export const FoundByBadge = ({ foundBy }: { readonly foundBy: OptimizationCandidate['found_by'] }) => (
  <Badge {...dotBadge} color={FOUND_BY_COLORS[foundBy]}>
    {FOUND_BY_LABELS[foundBy]}
  </Badge>
);

export const ProposalBadge = ({ status }: { readonly status: OptimizationProposal['status'] }) => (
  <Badge {...dotBadge} tt="capitalize" color={PROPOSAL_COLORS[status]}>
    {status}
  </Badge>
);

/** A score before and after, such as `0.4 → 0.8`. */
export function ScoreChange({
  from,
  to,
}: {
  readonly from: number | null | undefined;
  readonly to: number | null | undefined;
}) {
  if (to === null || to === undefined) return <span>–</span>;
  return (
    <span style={{ whiteSpace: 'nowrap' }}>
      {from !== null && from !== undefined && (
        <Text span inherit c="dimmed">
          {formatScore(from)} →{' '}
        </Text>
      )}
      {formatScore(to)}
    </span>
  );
}

/**
 * The metric calls that were made, of those that may be made, with a mark where the first iteration is paid for. Calls above the limit,
 * which is checked between iterations, have another colour.
 */
export function BudgetBar({
  job,
  height = 8,
}: {
  readonly job: OptimizationJobResponse;
  readonly height?: number;
}) {
  const { metric_calls_used, metric_calls_limit, metric_calls_floor } = job.summary.metadata.budget;
  const whole = Math.max(1, metric_calls_used, metric_calls_limit ?? metric_calls_floor);
  const share = (calls: number) => `${(100 * calls) / whole}%`;
  return (
    <Box
      role="img"
      aria-label={`Metric calls: ${describeCalls(job)}, ${formatCount(metric_calls_floor)} for the seed and one iteration`}
      pos="relative"
      h={height}
      miw={60}
      bg="var(--mantine-color-default-border)"
      style={{ borderRadius: height / 2, overflow: 'hidden' }}
    >
      <Box
        pos="absolute"
        h="100%"
        bg="var(--mantine-color-orange-6)"
        style={{ width: share(metric_calls_used) }}
      />
      <Box
        pos="absolute"
        h="100%"
        bg="var(--mantine-color-blue-6)"
        style={{ width: share(Math.min(metric_calls_used, metric_calls_limit ?? Infinity)) }}
      />
      {metric_calls_floor < whole && (
        <Box
          pos="absolute"
          top={0}
          h="100%"
          w={2}
          bg="var(--mantine-color-text)"
          style={{ left: share(metric_calls_floor) }}
        />
      )}
    </Box>
  );
}

export function describeCalls(job: OptimizationJobResponse): string {
  const { metric_calls_used, metric_calls_limit } = job.summary.metadata.budget;
  return metric_calls_limit === null
    ? formatCount(metric_calls_used)
    : `${formatCount(metric_calls_used)} of ${formatCount(metric_calls_limit)}`;
}

/** The bar with the number of calls, for a row of a list. */
export function BudgetCell({ job }: { readonly job: OptimizationJobResponse }) {
  return (
    <Group gap="xs" wrap="nowrap" miw={130}>
      <Box flex={1}>
        <BudgetBar job={job} height={6} />
      </Box>
      <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        {describeCalls(job)}
      </Text>
    </Group>
  );
}
