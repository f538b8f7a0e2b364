/** How the score developed: a chart of all candidates, and the same as a table. */
import type { OptimizationCandidate, OptimizationJobResponse } from '@drydock/sdk';
import { Badge, Group, Stack, Text } from '@mantine/core';
import { formatCount, formatScore } from '../../components/format.ts';
import { type Column, ListTable } from '../../components/list/list-table.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { FoundByBadge } from '../figures.tsx';
import type { JobSearch } from '../search.ts';
import { validationSizeOf } from '../states.ts';
import { ScoreChart } from './chart.tsx';

interface ProgressTabProps {
  readonly job: OptimizationJobResponse;
  readonly candidates: readonly OptimizationCandidate[];
  readonly selected: number | undefined;
  readonly onChange: (next: JobSearch, options?: { readonly replace: boolean }) => void;
}

export function ProgressTab({ job, candidates, selected, onChange }: ProgressTabProps) {
  const { budget, best_index, holdout_size } = job.summary.metadata;
  const select = (index: number) => onChange({ candidate: index }, { replace: true });
  if (candidates.length === 0)
    return (
      <Text size="sm" c="dimmed">
        The first score appears when the capability as it is has been scored on all{' '}
        {formatCount(validationSizeOf(job))} examples.
      </Text>
    );
  return (
    <Stack gap="md">
      <SectionCard title="Scores" hint={describeScores(holdout_size)}>
        <ScoreChart
          candidates={candidates}
          selected={selected}
          calls={budget.metric_calls_used}
          onSelect={select}
        />
      </SectionCard>
      <ListTable
        label="Candidates"
        columns={toColumns(best_index)}
        rows={candidates}
        keyOf={({ index }) => String(index)}
        selected={selected === undefined ? undefined : String(selected)}
        onSelect={(index) => select(Number(index))}
        onOpen={(index) => onChange({ tab: 'candidates', candidate: Number(index) })}
      />
      <Text size="xs" c="dimmed">
        A double click, or Enter, opens a candidate with its text.
      </Text>
    </Stack>
  );
}

const describeScores = (holdoutSize: number): string =>
  holdoutSize === 0
    ? 'Mean score on the validation set.'
    : `Mean score on the validation set; the holdout are ${formatCount(holdoutSize)} examples that the optimizer never sees.`;

const toColumns = (best: number | null): readonly Column<OptimizationCandidate>[] => [
  {
    key: 'index',
    label: 'Candidate',
    render: ({ index, is_on_frontier }) => (
      <Group gap={6} wrap="nowrap">
        <Text size="sm" fw={500}>
          #{index}
        </Text>
        {index === best && (
          <Badge miw="max-content" size="sm">
            Best
          </Badge>
        )}
        {is_on_frontier && (
          <Badge miw="max-content" size="sm" variant="default">
            Frontier
          </Badge>
        )}
      </Group>
    ),
  },
  { key: 'found', label: 'Found by', render: ({ found_by }) => <FoundByBadge foundBy={found_by} /> },
  {
    key: 'parents',
    label: 'Made of',
    render: ({ parents }) => (parents.length > 0 ? parents.map((parent) => `#${parent}`).join(', ') : '–'),
  },
  {
    key: 'score',
    label: 'Validation',
    align: 'right',
    render: ({ mean_score }) => formatScore(mean_score),
  },
  {
    key: 'holdout',
    label: 'Holdout',
    align: 'right',
    render: ({ holdout_score }) => formatScore(holdout_score),
  },
  {
    key: 'calls',
    label: 'Metric calls',
    align: 'right',
    render: ({ metric_calls }) => formatCount(metric_calls),
  },
  {
    key: 'iteration',
    label: 'Iteration',
    align: 'right',
    render: ({ iteration }) => (iteration < 0 ? '–' : formatCount(iteration)),
  },
];
