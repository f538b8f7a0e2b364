/** All optimization jobs of the workspace, or of the project that is chosen in the header. */
import type { InWorkspace, OptimizationJobResponse } from '@drydock/sdk';
import { Box, Group, Loader, NativeSelect, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { CopyAs } from '../components/copy-as.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatAgo, formatUsd } from '../components/format.ts';
import { AnchorLink, ButtonLink } from '../components/links.tsx';
import { type Column, ListTable } from '../components/list/list-table.tsx';
import { Pager } from '../components/list/pager.tsx';
import { useProject, useWhere } from '../frame/scope.ts';
import { BudgetCell, JobBadge, ScoreChange } from './figures.tsx';
import { JobPanel } from './job-panel.tsx';
import { FollowJobs } from './live.tsx';
import { jobListQuery } from './queries.ts';
import type { JobListSearch } from './search.ts';
import { hasEnded, JOB_LABELS, JOB_STATES, KIND_LABELS, nameOf, TARGET_KINDS } from './states.ts';

const route = getRouteApi('/o/$org/w/$workspace/optimization');

const PAGE_SIZE = 25;

export function OptimizationListPage() {
  const where = useWhere();
  const search = route.useSearch();
  const navigate = useNavigate();
  const project = useProject();
  const filters = toFilters(search, project);
  const { data, error, refetch } = useQuery({
    ...jobListQuery(where, filters),
    placeholderData: keepPreviousData,
  });
  const change = (next: Partial<JobListSearch>, options?: { readonly replace: boolean }) =>
    void navigate({
      to: '/o/$org/w/$workspace/optimization',
      params: where,
      search: { ...search, page: undefined, selected: undefined, ...next },
      ...options,
    });
  const select = (id: string | undefined) => change({ selected: id, page: search.page }, { replace: true });
  const rows = data?.items ?? [];
  const selected = rows.find(({ id }) => id === search.selected);
  const isFiltered = Boolean(search.status ?? search.kind ?? project);
  return (
    <div className="list-page">
      <section className="list">
        <Toolbar where={where} filters={filters} search={search} onChange={change} />
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loader size="sm" m="md" aria-label="Loading" />}
        {data?.total === 0 && <NoJobs where={where} isFiltered={isFiltered} />}
        {data && data.total > 0 && (
          <>
            <JobTable rows={rows} selected={search.selected} hasPanel={Boolean(selected)} onSelect={select} />
            <Pager
              page={search.page ?? 1}
              pageSize={PAGE_SIZE}
              total={data.total}
              onChange={(page) => change({ page })}
            />
          </>
        )}
      </section>
      {selected && <JobPanel job={selected} onClose={() => select(undefined)} />}
      <FollowJobs where={where} jobs={rows.filter(({ status }) => !hasEnded(status))} />
    </div>
  );
}

interface JobTableProps {
  readonly rows: readonly OptimizationJobResponse[];
  readonly selected: string | undefined;
  /** Whether a panel beside the table shows the selected row. */
  readonly hasPanel: boolean;
  readonly onSelect: (id: string) => void;
}

function JobTable({ rows, selected, hasPanel, onSelect }: JobTableProps) {
  const where = useWhere();
  const navigate = useNavigate();
  return (
    <ListTable
      label="Optimization jobs"
      columns={toColumns(where).filter(({ key }) => !hasPanel || BESIDE_PANEL.has(key))}
      minWidth={hasPanel ? 600 : 960}
      rows={rows}
      keyOf={({ id }) => id}
      selected={selected}
      onSelect={onSelect}
      onOpen={(jobId) =>
        void navigate({ to: '/o/$org/w/$workspace/optimization/$jobId', params: { ...where, jobId } })
      }
    />
  );
}

const toFilters = (search: JobListSearch, project: string | undefined) => ({
  page: search.page ?? 1,
  page_size: PAGE_SIZE,
  ...(search.status && { status: search.status }),
  ...(search.kind && { target_kind: search.kind }),
  ...(project && { project }),
});

interface ToolbarProps {
  readonly where: InWorkspace;
  readonly filters: ReturnType<typeof toFilters>;
  readonly search: JobListSearch;
  readonly onChange: (next: Partial<JobListSearch>) => void;
}

function Toolbar({ where, filters, search, onChange }: ToolbarProps) {
  return (
    <Group justify="space-between" mb="md" gap="sm">
      <Title order={1} size="h3">
        Optimization
      </Title>
      <Group gap="xs">
        <NativeSelect
          size="xs"
          aria-label="Status"
          data={[
            { value: '', label: 'Any status' },
            ...JOB_STATES.map((value) => ({ value, label: JOB_LABELS[value] })),
          ]}
          value={search.status ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onChange({ status: JOB_STATES.find((status) => status === value) })
          }
        />
        <NativeSelect
          size="xs"
          aria-label="Target"
          data={[
            { value: '', label: 'Any target' },
            ...TARGET_KINDS.map((value) => ({ value, label: KIND_LABELS[value] })),
          ]}
          value={search.kind ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onChange({ kind: TARGET_KINDS.find((kind) => kind === value) })
          }
        />
        <CopyAs
          path={`/api/v1/org/${where.org}/ws/${where.workspace}/optimization/jobs`}
          query={filters}
          code={`await drydock.optimization.list(${JSON.stringify(where)}, ${JSON.stringify(filters)})`}
        />
        <NewJobLink where={where} />
      </Group>
    </Group>
  );
}

const NewJobLink = ({ where }: { readonly where: InWorkspace }) => (
  <ButtonLink
    to="/o/$org/w/$workspace/optimization/new"
    params={where}
    size="xs"
    leftSection={<IconPlus size={14} />}
  >
    New job
  </ButtonLink>
);

function NoJobs({ where, isFiltered }: { readonly where: InWorkspace; readonly isFiltered: boolean }) {
  if (isFiltered)
    return <EmptyState title="No matching jobs">Remove a filter, or choose another project.</EmptyState>;
  return (
    <EmptyState
      title="No optimization jobs yet"
      command={`curl '${location.origin}/api/v1/org/${where.org}/ws/${where.workspace}/optimization/jobs' \\
  -H "Authorization: Bearer $DRYDOCK_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"target_kind": "capability_agent", "model": "sim/instructed",
       "capability_ref": {"name": "my-capability", "version": "1.0.0"},
       "dataset_ref": {"name": "my-questions", "version": "1.0.0"},
       "reward_recipe": {"name": "exact_match_v1"}, "config": {"reflection_lm": "sim/reflector"}}'`}
    >
      A job improves the texts of a capability: it scores them on a dataset or on tasks, lets a model reflect
      on what went wrong, and keeps the texts that score better.
      <Group justify="center" my="sm">
        <NewJobLink where={where} />
      </Group>
    </EmptyState>
  );
}

const TwoLines = ({ first, second }: { readonly first: string; readonly second: string }) => (
  <Box maw={200}>
    <Text size="sm" truncate title={first}>
      {first}
    </Text>
    <Text size="xs" c="dimmed" truncate title={second}>
      {second}
    </Text>
  </Box>
);

const toColumns = (where: InWorkspace): readonly Column<OptimizationJobResponse>[] => [
  {
    key: 'name',
    label: 'Name',
    render: (job) => (
      <AnchorLink
        to="/o/$org/w/$workspace/optimization/$jobId"
        params={{ ...where, jobId: job.id }}
        size="sm"
        fw={500}
        className="user-text"
        c="inherit"
        tabIndex={-1}
      >
        {nameOf(job)}
      </AnchorLink>
    ),
  },
  { key: 'status', label: 'Status', render: ({ status }) => <JobBadge status={status} /> },
  {
    key: 'capability',
    label: 'Capability',
    render: ({ capability: { name, version }, target_kind }) => (
      <TwoLines first={`${name}@${version}`} second={KIND_LABELS[target_kind]} />
    ),
  },
  {
    key: 'model',
    label: 'Model',
    render: ({ model, config }) => <TwoLines first={model} second={config.reflection_lm ?? model} />,
  },
  {
    key: 'score',
    label: 'Best score',
    align: 'right',
    render: ({ summary }) => <ScoreChange from={summary.metadata.seed_score} to={summary.best_score} />,
  },
  {
    key: 'holdout',
    label: 'Holdout',
    align: 'right',
    render: ({ summary: { metadata } }) => (
      <ScoreChange from={metadata.seed_holdout_score} to={metadata.holdout_score} />
    ),
  },
  { key: 'calls', label: 'Metric calls', render: (job) => <BudgetCell job={job} /> },
  {
    key: 'cost',
    label: 'Cost',
    align: 'right',
    render: ({ summary }) => formatUsd(summary.metadata.budget.cost_usd),
  },
  {
    key: 'started',
    label: 'Started',
    render: ({ started_at }) => <time dateTime={started_at ?? undefined}>{formatAgo(started_at)}</time>,
  },
];

/** The columns that fit beside the panel. */
const BESIDE_PANEL = new Set(['name', 'status', 'score', 'calls', 'started']);
