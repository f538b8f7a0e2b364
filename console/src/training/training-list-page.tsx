/** All training jobs of the workspace, or of the project that is chosen in the header. Marked jobs are opened with their curves overlaid. */
import type { InWorkspace, TrainingJobResponse } from '@drydock/sdk';
import { Box, Checkbox, Group, Loader, NativeSelect, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { CopyAs } from '../components/copy-as.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatAgo } from '../components/format.ts';
import { AnchorLink, ButtonLink } from '../components/links.tsx';
import { type Column, ListTable } from '../components/list/list-table.tsx';
import { Pager } from '../components/list/pager.tsx';
import { useProject, useWhere } from '../frame/scope.ts';
import { describeData, JOB_LABELS, JobBadge, LastLoss, StepCell } from './figures.tsx';
import { JobPanel } from './job-panel.tsx';
import { jobListQuery } from './list-query.ts';
import { FollowJobs } from './live.tsx';
import type { TrainingListSearch } from './search.ts';
import { hasEnded, JOB_STATES, nameOf } from './states.ts';
import { TrainerNotice } from './trainer-notice.tsx';

const route = getRouteApi('/o/$org/w/$workspace/training');

const PAGE_SIZE = 25;

export function TrainingListPage() {
  const where = useWhere();
  const search = route.useSearch();
  const navigate = useNavigate();
  const project = useProject();
  const filters = toFilters(search, project);
  const { data, error, refetch } = useQuery({
    ...jobListQuery(where, filters),
    placeholderData: keepPreviousData,
  });
  const change = (next: Partial<TrainingListSearch>, options?: { readonly replace: boolean }) =>
    void navigate({
      to: '/o/$org/w/$workspace/training',
      params: where,
      search: { ...search, page: undefined, selected: undefined, ...next },
      resetScroll: false,
      ...options,
    });
  const stay = { page: search.page, selected: search.selected };
  const select = (id: string | undefined) => change({ ...stay, selected: id }, { replace: true });
  const marked = search.with?.split(',') ?? [];
  const mark = (id: string) => {
    const next = marked.includes(id) ? marked.filter((one) => one !== id) : [...marked, id];
    change({ ...stay, with: next.join(',') || undefined }, { replace: true });
  };
  const rows = data?.items ?? [];
  const selected = rows.find(({ id }) => id === search.selected);
  return (
    <div className="list-page">
      <section className="list">
        <Toolbar filters={filters} search={search} marked={marked} onChange={change} />
        <TrainerNotice />
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loader size="sm" m="md" aria-label="Loading" />}
        {data?.total === 0 && <NoJobs isFiltered={Boolean(search.status ?? project)} />}
        {data && data.total > 0 && (
          <>
            <JobTable
              rows={rows}
              marked={marked}
              selected={search.selected}
              hasPanel={Boolean(selected)}
              onMark={mark}
              onSelect={select}
            />
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

const toFilters = (search: TrainingListSearch, project: string | undefined) => ({
  page: search.page ?? 1,
  page_size: PAGE_SIZE,
  ...(search.status && { status: search.status }),
  ...(project && { project_ref: project }),
});

interface ToolbarProps {
  readonly filters: ReturnType<typeof toFilters>;
  readonly search: TrainingListSearch;
  readonly marked: readonly string[];
  readonly onChange: (next: Partial<TrainingListSearch>) => void;
}

function Toolbar({ filters, search, marked, onChange }: ToolbarProps) {
  const where = useWhere();
  const [first, ...others] = marked;
  return (
    <Group justify="space-between" mb="md" gap="sm">
      <Title order={1} size="h3">
        Training
      </Title>
      <Group gap="xs">
        {first !== undefined && others.length === 0 && (
          <Text size="xs" c="dimmed">
            Mark another job to overlay their curves
          </Text>
        )}
        {first !== undefined && others.length > 0 && (
          <ButtonLink
            to="/o/$org/w/$workspace/training/$jobId"
            params={{ ...where, jobId: first }}
            search={{ with: others.join(',') }}
            size="xs"
            variant="light"
          >
            Overlay {marked.length} jobs
          </ButtonLink>
        )}
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
        <CopyAs
          path={`/api/v1/org/${where.org}/ws/${where.workspace}/training/jobs`}
          query={filters}
          code={`await drydock.training.list(${JSON.stringify(where)}, ${JSON.stringify(filters)})`}
        />
        <NewJobLink />
      </Group>
    </Group>
  );
}

const NewJobLink = () => (
  <ButtonLink
    to="/o/$org/w/$workspace/training/new"
    params={useWhere()}
    size="xs"
    leftSection={<IconPlus size={14} />}
  >
    New job
  </ButtonLink>
);

function NoJobs({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered)
    return <EmptyState title="No matching jobs">Remove a filter, or choose another project.</EmptyState>;
  return (
    <EmptyState title="No training jobs yet" command="npm run demo">
      A job fine-tunes a model on a dataset or on recorded trajectories, and publishes the result as a model
      version that can be served and evaluated.
      <Group justify="center" my="sm">
        <NewJobLink />
      </Group>
    </EmptyState>
  );
}

interface JobTableProps {
  readonly rows: readonly TrainingJobResponse[];
  readonly marked: readonly string[];
  readonly selected: string | undefined;
  /** Whether a panel beside the table shows the selected row. */
  readonly hasPanel: boolean;
  readonly onMark: (id: string) => void;
  readonly onSelect: (id: string) => void;
}

function JobTable({ rows, marked, selected, hasPanel, onMark, onSelect }: JobTableProps) {
  const where = useWhere();
  const navigate = useNavigate();
  const columns = [toMarkColumn(marked, onMark), ...toColumns(where)];
  return (
    <ListTable
      label="Training jobs"
      columns={columns.filter(({ key }) => !hasPanel || BESIDE_PANEL.has(key))}
      minWidth={hasPanel ? 600 : 960}
      rows={rows}
      keyOf={({ id }) => id}
      selected={selected}
      onSelect={onSelect}
      onOpen={(jobId) =>
        void navigate({ to: '/o/$org/w/$workspace/training/$jobId', params: { ...where, jobId } })
      }
    />
  );
}

const toMarkColumn = (
  marked: readonly string[],
  onMark: (id: string) => void,
): Column<TrainingJobResponse> => ({
  key: 'mark',
  label: 'Overlay',
  width: 70,
  render: (job) => (
    // A click on the checkbox must not select the row.
    <Box onClick={(event) => event.stopPropagation()} onDoubleClick={(event) => event.stopPropagation()}>
      <Checkbox
        size="xs"
        aria-label={`Overlay ${nameOf(job)}`}
        checked={marked.includes(job.id)}
        onChange={() => onMark(job.id)}
      />
    </Box>
  ),
});

const Truncated = ({ text, width = 180 }: { readonly text: string; readonly width?: number }) => (
  <Text size="sm" truncate title={text} maw={width}>
    {text}
  </Text>
);

const toColumns = (where: InWorkspace): readonly Column<TrainingJobResponse>[] => [
  {
    key: 'name',
    label: 'Name',
    render: (job) => (
      <AnchorLink
        to="/o/$org/w/$workspace/training/$jobId"
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
  { key: 'model', label: 'Model', render: ({ model }) => <Truncated text={model} /> },
  {
    key: 'data',
    label: 'Data',
    render: (job) => {
      const [first = '–', ...others] = describeData(job);
      return <Truncated text={others.length > 0 ? `${first} and ${others.length} more` : first} />;
    },
  },
  { key: 'steps', label: 'Steps', render: (job) => <StepCell job={job} /> },
  {
    key: 'loss',
    label: 'Last loss',
    align: 'right',
    render: (job) => <LastLoss job={job} />,
  },
  {
    key: 'trainer',
    label: 'Trainer',
    render: ({ worker }) => <Truncated text={worker ?? '–'} width={120} />,
  },
  {
    key: 'started',
    label: 'Started',
    render: ({ started_at }) => <time dateTime={started_at ?? undefined}>{formatAgo(started_at)}</time>,
  },
];

/** The columns that fit beside the panel. */
const BESIDE_PANEL = new Set(['mark', 'name', 'status', 'steps', 'loss', 'started']);
