/** Badges, bars and figures of the evaluation pages. Every colour has a word beside it, for people who cannot see colours. */
import type { EvaluationResponse } from '@drydock/sdk';
import { Badge, Box, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount, formatPercent } from '../components/format.ts';
import {
  countEnded,
  countGroups,
  EVALUATION_COLORS,
  EVALUATION_LABELS,
  type EvaluationState,
  ITEM_LABELS,
  type ItemState,
  itemColor,
} from './states.ts';

const dotBadge = { variant: 'dot', tt: 'none', fw: 500, radius: 'sm', miw: 'max-content' } as const;

export const StatusBadge = ({ status }: { readonly status: EvaluationState }) => (
  <Badge {...dotBadge} color={EVALUATION_COLORS[status]}>
    {EVALUATION_LABELS[status]}
  </Badge>
);

export const ItemBadge = ({ status }: { readonly status: ItemState }) => (
  <Badge {...dotBadge} color={itemColor(status)}>
    {ITEM_LABELS[status]}
  </Badge>
);

/** The tags that a user gave to an evaluation. */
export function Tags({ tags }: { readonly tags: readonly string[] }) {
  if (tags.length === 0) return null;
  return (
    <Group gap={4}>
      {tags.map((tag) => (
        <Badge key={tag} variant="default" tt="none" fw={400}>
          {tag}
        </Badge>
      ))}
    </Group>
  );
}

/** The result of one scorer; `passed` is null when the scorer failed itself. */
export const ScoreBadge = ({
  passed,
  children,
}: {
  readonly passed: boolean | null;
  readonly children: ReactNode;
}) => (
  <Badge {...dotBadge} color={passed === null ? 'grape' : passed ? 'teal' : 'red'}>
    {children}
  </Badge>
);

const fill = (color: string) => `var(--mantine-color-${color}-6)`;

/** One segment for each group of states. */
export function StateBar({
  evaluation,
  height = 8,
}: {
  readonly evaluation: EvaluationResponse;
  readonly height?: number;
}) {
  const groups = countGroups(evaluation.item_counts);
  const total = Math.max(1, evaluation.total_samples);
  const words = groups.map(({ label, count }) => `${formatCount(count)} ${label.toLowerCase()}`).join(', ');
  return (
    <Box
      role="img"
      aria-label={`Samples: ${words || 'none'}`}
      style={{ display: 'flex', gap: 1, height, borderRadius: height / 2, overflow: 'hidden', minWidth: 60 }}
      bg="var(--mantine-color-default-border)"
    >
      {groups
        .filter(({ states }) => !states.includes('queued'))
        .map(({ label, color, count }) => (
          <Box key={label} bg={fill(color)} style={{ width: `${(100 * count) / total}%`, minWidth: 2 }} />
        ))}
    </Box>
  );
}

export function StateLegend({ evaluation }: { readonly evaluation: EvaluationResponse }) {
  return (
    <Group gap="md" style={{ rowGap: 2 }}>
      {countGroups(evaluation.item_counts).map(({ label, color, count }) => (
        <Group key={label} gap={6} wrap="nowrap">
          <Box
            w={8}
            h={8}
            bg={label === 'Queued' ? 'var(--mantine-color-default-border)' : fill(color)}
            style={{ borderRadius: 2 }}
          />
          <Text size="xs">
            {label} <b>{formatCount(count)}</b>
          </Text>
        </Group>
      ))}
    </Group>
  );
}

/** The bar with how many samples have ended, for a row of a list. */
export function ProgressCell({ evaluation }: { readonly evaluation: EvaluationResponse }) {
  const { item_counts, total_samples } = evaluation;
  return (
    <Group gap="xs" wrap="nowrap" miw={150}>
      <Box flex={1}>
        <StateBar evaluation={evaluation} height={6} />
      </Box>
      <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        {formatCount(countEnded(item_counts))} / {formatCount(total_samples)}
      </Text>
    </Group>
  );
}

interface RateBarProps {
  /** What the rate refers to, for people who cannot see the bar. */
  readonly label: string;
  readonly rate: number | null;
  readonly interval: { readonly low: number; readonly high: number } | null | undefined;
}

/** A rate as a bar, with its interval at 95 % as a line across its end. */
export function RateBar({ label, rate, interval }: RateBarProps) {
  const words = interval
    ? `${formatPercent(rate)}, 95 % interval ${formatPercent(interval.low)} to ${formatPercent(interval.high)}`
    : formatPercent(rate);
  return (
    <Box
      role="img"
      aria-label={`${label}: ${words}`}
      pos="relative"
      h={12}
      miw={80}
      bg="var(--mantine-color-default-border)"
      style={{ borderRadius: 3 }}
    >
      <Box
        pos="absolute"
        h="100%"
        bg={fill('teal')}
        style={{ width: `${100 * (rate ?? 0)}%`, borderRadius: 3, opacity: 0.65 }}
      />
      {interval && (
        <Box
          pos="absolute"
          top={5}
          h={2}
          bg="var(--mantine-color-text)"
          style={{
            left: `${100 * interval.low}%`,
            width: `${Math.max(0.5, 100 * (interval.high - interval.low))}%`,
            outline: '1px solid var(--mantine-color-body)',
          }}
        />
      )}
    </Box>
  );
}

/** A value with its label above it. */
export function Figure({
  label,
  children,
  hint,
}: {
  readonly label: string;
  readonly children: ReactNode;
  readonly hint?: ReactNode;
}) {
  return (
    <Box miw={0}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text component="div" fw={600} size="sm" className="user-text">
        {children}
      </Text>
      {hint !== undefined && (
        <Text component="div" size="xs" c="dimmed">
          {hint}
        </Text>
      )}
    </Box>
  );
}
