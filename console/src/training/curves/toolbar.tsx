/** What is drawn, and how: other jobs, smoothing, scale. */
import type { TrainingJobResponse } from '@drydock/sdk';
import { Box, Group, MultiSelect, Slider, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatAgo } from '../../components/format.ts';
import { useWhere } from '../../frame/scope.ts';
import { jobListQuery } from '../list-query.ts';
import type { TrainingSearch } from '../search.ts';
import { nameOf } from '../states.ts';

/** More lines than these could not be distinguished. */
export const MAX_OVERLAID = 7;
const LISTED = 100;

interface CurvesToolbarProps {
  readonly job: TrainingJobResponse;
  /** IDs of the jobs that are overlaid. */
  readonly others: readonly string[];
  readonly search: TrainingSearch;
  readonly onChange: (next: TrainingSearch, options?: { readonly replace: boolean }) => void;
}

export function CurvesToolbar({ job, others, search, onChange }: CurvesToolbarProps) {
  const [smoothing, setSmoothing] = useState(search.smoothing ?? 0);
  return (
    <Group gap="xl" align="flex-end">
      <MultiSelect
        size="xs"
        label="Overlay jobs"
        placeholder={others.length === 0 ? 'None' : ''}
        flex="1 1 260px"
        maw={560}
        searchable
        clearable
        maxValues={MAX_OVERLAID}
        data={useOtherJobs(job.id, others)}
        value={[...others]}
        onChange={(ids) => onChange({ with: ids.join(',') || undefined }, { replace: true })}
      />
      <Box w={220}>
        <Text size="xs" fw={600} mb={6}>
          Smoothing {smoothing === 0 ? 'off' : smoothing}
        </Text>
        <Slider
          size="sm"
          thumbLabel="Smoothing"
          label={null}
          min={0}
          max={0.99}
          step={0.01}
          mb={6}
          value={smoothing}
          onChange={setSmoothing}
          onChangeEnd={(weight) => onChange({ smoothing: weight || undefined }, { replace: true })}
        />
      </Box>
      <Switch
        size="xs"
        label="Log scale"
        mb={7}
        checked={search.scale === 'log'}
        onChange={({ currentTarget: { checked } }) =>
          onChange({ scale: checked ? 'log' : undefined }, { replace: true })
        }
      />
    </Group>
  );
}

/** The newest jobs of the workspace, to choose from. */
export function useOtherJobs(
  jobId: string,
  chosen: readonly string[],
): readonly { readonly value: string; readonly label: string }[] {
  const { data } = useQuery(jobListQuery(useWhere(), { page_size: LISTED }));
  const options = (data?.items ?? [])
    .filter(({ id }) => id !== jobId)
    .map((job) => ({ value: job.id, label: `${nameOf(job)}, ${formatAgo(job.created_at)}` }));
  // A link may name a job that is older.
  const unlisted = chosen.filter((id) => !options.some(({ value }) => value === id));
  return [...options, ...unlisted.map((id) => ({ value: id, label: id }))];
}
