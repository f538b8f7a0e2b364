/** The samples of an evaluation, with filters, sorting and full-text search. */
import type { EvaluationItem, EvaluationResponse, InWorkspace, OneEvaluation } from '@drydock/sdk';
import { Autocomplete, Group, Loader, Select, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formatCompact, formatDuration, formatScore, formatUsd } from '../../components/format.ts';
import { AnchorLink } from '../../components/links.tsx';
import { type Column, ListTable } from '../../components/list/list-table.tsx';
import { Pager } from '../../components/list/pager.tsx';
import { SearchInput } from '../../components/list/search-input.tsx';
import { useWhere } from '../../frame/scope.ts';
import { ContaminatedBadge } from '../contaminated-badge.tsx';
import { ItemBadge, ScoreBadge } from '../figures.tsx';
import { itemListQuery } from '../queries.ts';
import type { EvaluationSearch } from '../search.ts';
import { ITEM_LABELS, ITEM_STATES, toTaskLabel } from '../states.ts';
import { SearchHits } from './search-hits.tsx';

const PAGE_SIZE = 50;

interface SamplesProps {
  readonly evaluation: EvaluationResponse;
  readonly search: EvaluationSearch;
  readonly onChange: (next: EvaluationSearch, options?: { readonly replace: boolean }) => void;
}

export function Samples({ evaluation, search, onChange }: SamplesProps) {
  const where = useWhere();
  const evaluationRef = { ...where, evaluation_id: evaluation.id };
  const filter = (next: EvaluationSearch) => onChange({ page: undefined, ...next });
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <SearchInput
          flex="1 1 260px"
          label="Search in all samples"
          placeholder="Search in transcripts, tool calls, errors and task names"
          initialText={search.q}
          onSearch={(q) => onChange({ q }, { replace: true })}
        />
        <Select
          size="xs"
          w={170}
          clearable
          aria-label="State"
          disabled={search.q !== undefined}
          placeholder="Any state"
          data={ITEM_STATES.map((value) => ({ value, label: ITEM_LABELS[value] }))}
          value={search.state ?? null}
          onChange={(state) => filter({ state: state ?? undefined })}
        />
        <Select
          size="xs"
          w={150}
          clearable
          aria-label="Result"
          disabled={search.q !== undefined}
          placeholder="Any result"
          data={[
            { value: 'yes', label: 'Passed' },
            { value: 'no', label: 'Not passed' },
          ]}
          value={search.passed ?? null}
          onChange={(passed) => filter({ passed: passed ?? undefined })}
        />
        <TaskFilter evaluation={evaluation} task={search.task} onChange={(task) => filter({ task })} />
      </Group>
      {search.q ? (
        <SearchHits evaluationRef={evaluationRef} q={search.q} />
      ) : (
        <SampleTable evaluationRef={evaluationRef} search={search} onChange={onChange} />
      )}
    </Stack>
  );
}

function TaskFilter({
  evaluation,
  task,
  onChange,
}: {
  readonly evaluation: EvaluationResponse;
  readonly task: string | undefined;
  readonly onChange: (task: string | undefined) => void;
}) {
  const tasks = (evaluation.task_breakdown ?? []).map(({ task_name }) => task_name);
  const [text, setText] = useState(task ?? '');
  if (tasks.length === 0) return null;
  return (
    <Autocomplete
      size="xs"
      w={200}
      clearable
      limit={50}
      aria-label="Task"
      placeholder="Any task"
      data={tasks}
      value={text}
      onChange={(next) => {
        setText(next);
        if (next === '' || tasks.includes(next)) onChange(next || undefined);
      }}
    />
  );
}

interface SampleTableProps {
  readonly evaluationRef: OneEvaluation;
  readonly search: EvaluationSearch;
  readonly onChange: SamplesProps['onChange'];
}

function SampleTable({ evaluationRef, search, onChange }: SampleTableProps) {
  const where = useWhere();
  const navigate = useNavigate();
  const [selected, setSelected] = useState<string>();
  const { data, error, refetch } = useQuery({
    ...itemListQuery(evaluationRef, toFilters(search)),
    placeholderData: keepPreviousData,
  });
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loader size="sm" aria-label="Loading" />;
  if (data.items.length === 0)
    return <EmptyState title="No matching samples">Choose another state, result or task.</EmptyState>;
  return (
    <>
      <ListTable
        label="Samples"
        columns={toColumns(where, evaluationRef.evaluation_id)}
        rows={data.items}
        keyOf={({ id }) => id}
        selected={selected}
        onSelect={setSelected}
        opensOnClick
        onOpen={(itemId) =>
          void navigate({
            to: '/o/$org/w/$workspace/evaluations/$evaluationId/samples/$itemId',
            params: { ...where, evaluationId: evaluationRef.evaluation_id, itemId },
          })
        }
        sort={{
          by: search.sort ?? 'position',
          direction: search.dir ?? 'asc',
          onChange: (sort, dir) => onChange({ sort: sort as EvaluationSearch['sort'], dir, page: undefined }),
        }}
      />
      <Pager
        page={search.page ?? 1}
        pageSize={PAGE_SIZE}
        total={data.total}
        onChange={(page) => onChange({ page })}
      />
    </>
  );
}

const toFilters = ({ page = 1, state, passed, task, sort = 'position', dir = 'asc' }: EvaluationSearch) => ({
  page,
  page_size: PAGE_SIZE,
  ...(state && { item_status: state }),
  ...(passed && { passed: passed === 'yes' }),
  ...(task && { task_name: task }),
  sort_by: sort,
  sort_dir: dir,
});

function toColumns(where: InWorkspace, evaluationId: string): readonly Column<EvaluationItem>[] {
  return [
    {
      key: 'state',
      label: 'State',
      width: 150,
      render: ({ item_status, contaminated, contaminated_by }) => (
        <Stack gap={2} align="flex-start">
          <ItemBadge status={item_status} />
          {contaminated && <ContaminatedBadge source={contaminated_by} />}
        </Stack>
      ),
    },
    {
      key: 'task',
      label: 'Task',
      sortKey: 'position',
      render: (item) => (
        <AnchorLink
          to="/o/$org/w/$workspace/evaluations/$evaluationId/samples/$itemId"
          params={{ ...where, evaluationId, itemId: item.id }}
          size="sm"
          fw={500}
          className="user-text"
          c="inherit"
          tabIndex={-1}
          onClick={(event) => event.stopPropagation()}
        >
          {toTaskLabel(item)}
        </AnchorLink>
      ),
    },
    { key: 'sample', label: 'Sample', align: 'right', width: 70, render: ({ sample }) => sample },
    { key: 'score', label: 'Score', sortKey: 'score', render: (item) => <ScoreChips item={item} /> },
    { key: 'turns', label: 'Turns', align: 'right', render: ({ turn_count }) => turn_count || '–' },
    {
      key: 'tokens',
      label: 'Tokens',
      align: 'right',
      render: ({ usage }) => formatCompact(usage.input_tokens + usage.output_tokens),
    },
    {
      key: 'cost',
      label: 'Cost',
      align: 'right',
      sortKey: 'cost_usd',
      render: ({ usage }) => formatUsd(usage.cost_usd),
    },
    {
      key: 'duration',
      label: 'Duration',
      align: 'right',
      sortKey: 'duration_ms',
      render: ({ duration_ms }) => formatDuration(duration_ms),
    },
    {
      key: 'retries',
      label: 'Retries',
      align: 'right',
      render: ({ retry_count, max_retries }) => (retry_count > 0 ? `${retry_count} of ${max_retries}` : '–'),
    },
  ];
}

function ScoreChips({ item: { score, scores } }: { readonly item: EvaluationItem }) {
  const chips = Object.entries(scores);
  if (chips.length === 0) return <Text size="sm">{formatScore(score)}</Text>;
  return (
    <Group gap={4}>
      {chips.map(([name, { value, passed }]) => (
        <ScoreBadge key={name} passed={passed}>
          {name} {value === null ? 'error' : formatScore(value)}
        </ScoreBadge>
      ))}
    </Group>
  );
}
