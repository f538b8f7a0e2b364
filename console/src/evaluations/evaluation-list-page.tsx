/** All evaluations of the workspace, or of the project that is chosen in the header. */
import type { EvaluationResponse, InWorkspace } from '@drydock/sdk';
import { Group, Loader, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { CopyAs } from '../components/copy-as.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatAgo, formatPercent, formatUsd } from '../components/format.ts';
import { AnchorLink, ButtonLink } from '../components/links.tsx';
import { FacetRail } from '../components/list/facet-rail.tsx';
import { type Column, ListTable } from '../components/list/list-table.tsx';
import { Pager } from '../components/list/pager.tsx';
import { SearchInput } from '../components/list/search-input.tsx';
import { useProjectId, useWhere } from '../frame/scope.ts';
import { EvaluationPanel } from './evaluation-panel.tsx';
import { ProgressCell, StatusBadge } from './figures.tsx';
import { FollowEvaluations } from './live.tsx';
import { evaluationListQuery, facetsQuery } from './queries.ts';
import { RunSampleButton } from './run-sample-button.tsx';
import type { EvaluationListSearch } from './search.ts';
import { EVALUATION_LABELS, EVALUATION_STATES, hasEnded } from './states.ts';

const route = getRouteApi('/o/$org/w/$workspace/evaluations');

const PAGE_SIZE = 25;

export function EvaluationListPage() {
  const where = useWhere();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { projectId, isReady } = useProjectId();
  const filters = toFilters(search, projectId);
  const { data, error, refetch } = useQuery({
    ...evaluationListQuery(where, filters),
    enabled: isReady,
    placeholderData: keepPreviousData,
  });
  const change = (next: Partial<EvaluationListSearch>, options?: { readonly replace: boolean }) =>
    void navigate({
      to: '/o/$org/w/$workspace/evaluations',
      params: where,
      search: { ...search, page: undefined, selected: undefined, ...next },
      ...options,
    });
  /** Typing and moving through rows add no entries to the history of the browser. */
  const replace = (next: Partial<EvaluationListSearch>) => change(next, { replace: true });
  const rows = data?.items ?? [];
  const selected = rows.find(({ id }) => id === search.selected);
  const isFiltered = Boolean(search.search ?? search.status ?? search.model ?? projectId);
  return (
    <div className="list-page">
      <Facets search={search} projectId={projectId} onChange={change} />
      <section className="list">
        <Toolbar
          where={where}
          filters={filters}
          search={search.search}
          onSearch={(text) => replace({ search: text })}
        />
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loader size="sm" m="md" aria-label="Loading" />}
        {data?.total === 0 && <NoEvaluations where={where} isFiltered={isFiltered} />}
        {data && data.total > 0 && (
          <>
            <EvaluationTable
              rows={rows}
              search={search}
              hasPanel={selected !== undefined}
              onSelect={(id) => replace({ selected: id, page: search.page })}
              onSort={change}
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
      {selected && (
        <EvaluationPanel
          evaluation={selected}
          onClose={() => replace({ selected: undefined, page: search.page })}
        />
      )}
      <FollowEvaluations
        where={where}
        evaluations={rows.filter(({ status }) => !hasEnded(status) && status !== 'paused')}
      />
    </div>
  );
}

interface EvaluationTableProps {
  readonly rows: readonly EvaluationResponse[];
  readonly search: EvaluationListSearch;
  /** Whether a panel beside the table shows the selected row. */
  readonly hasPanel: boolean;
  readonly onSelect: (id: string) => void;
  readonly onSort: (sort: Pick<EvaluationListSearch, 'sort' | 'dir'>) => void;
}

function EvaluationTable({ rows, search, hasPanel, onSelect, onSort }: EvaluationTableProps) {
  const where = useWhere();
  const navigate = useNavigate();
  return (
    <ListTable
      label="Evaluations"
      columns={toColumns(where).filter(({ key }) => !hasPanel || BESIDE_PANEL.has(key))}
      rows={rows}
      keyOf={({ id }) => id}
      selected={search.selected}
      onSelect={onSelect}
      onOpen={(evaluationId) =>
        void navigate({
          to: '/o/$org/w/$workspace/evaluations/$evaluationId',
          params: { ...where, evaluationId },
        })
      }
      sort={{
        by: search.sort ?? 'created_at',
        direction: search.dir ?? 'desc',
        onChange: (sort, dir) => onSort({ sort: sort as EvaluationListSearch['sort'], dir }),
      }}
    />
  );
}

const toFilters = (search: EvaluationListSearch, projectId: string | undefined) => ({
  page: search.page ?? 1,
  page_size: PAGE_SIZE,
  ...(search.status && { status: search.status }),
  ...(search.model && { model: search.model }),
  ...(search.search && { search: search.search }),
  ...(projectId && { project_id: projectId }),
  sort_by: search.sort ?? ('created_at' as const),
  sort_dir: search.dir ?? ('desc' as const),
});

interface ToolbarProps {
  readonly where: InWorkspace;
  readonly filters: ReturnType<typeof toFilters>;
  readonly search: string | undefined;
  readonly onSearch: (text: string | undefined) => void;
}

function Toolbar({ where, filters, search, onSearch }: ToolbarProps) {
  return (
    <Group justify="space-between" mb="md" gap="sm">
      <Title order={1} size="h3">
        Evaluations
      </Title>
      <Group gap="xs">
        <SearchInput w={180} label="Search by name" initialText={search} onSearch={onSearch} />
        <CopyAs
          path={`/api/v1/org/${where.org}/ws/${where.workspace}/evaluations`}
          query={filters}
          code={`await drydock.evaluations.list(${JSON.stringify(where)}, ${JSON.stringify(filters)})`}
        />
        <ButtonLink
          to="/o/$org/w/$workspace/evaluations/new"
          params={where}
          size="xs"
          leftSection={<IconPlus size={14} />}
        >
          New evaluation
        </ButtonLink>
      </Group>
    </Group>
  );
}

interface FacetsProps {
  readonly search: EvaluationListSearch;
  readonly projectId: string | undefined;
  readonly onChange: (next: Partial<EvaluationListSearch>) => void;
}

/** The API filters by one status and one model, so choosing a second value replaces the first. */
function Facets({ search, projectId, onChange }: FacetsProps) {
  const where = useWhere();
  const { status, model, search: text } = search;
  const filters = { status, model, search: text, project_id: projectId };
  const { data } = useQuery({ ...facetsQuery(where, filters), placeholderData: keepPreviousData });
  const countOf = new Map(data?.statuses.map(({ value, count }) => [value, count]));
  const models = data?.models ?? [];
  return (
    <FacetRail
      facets={[
        {
          key: 'status',
          label: 'Status',
          values: EVALUATION_STATES.map((value) => ({
            value,
            label: EVALUATION_LABELS[value],
            count: data && (countOf.get(value) ?? 0),
          })),
        },
        {
          key: 'model',
          label: 'Model',
          values:
            model === undefined || models.some(({ value }) => value === model)
              ? models
              : [...models, { value: model, count: 0 }],
        },
      ]}
      selected={{
        ...(status && { status: [status] }),
        ...(model && { model: [model] }),
      }}
      onChange={(key, values) => onChange({ [key]: values.at(-1) })}
    />
  );
}

function NoEvaluations({ where, isFiltered }: { readonly where: InWorkspace; readonly isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyState title="No matching evaluations">Remove a filter, or search for another name.</EmptyState>
    );
  return (
    <EmptyState
      title="No evaluations yet"
      command={`curl '${location.origin}/api/v1/org/${where.org}/ws/${where.workspace}/evaluation' \\
  -H "Authorization: Bearer $DRYDOCK_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"name": "first", "model": "sim/tool-user", "task_names": ["hello-file"], "repetitions": 5}'`}
    >
      An evaluation gives tasks to a model, each in its own sandbox, and verifies the results. The sample
      evaluation needs no API key: it uses a simulated model that makes mistakes.
      <Group justify="center" my="sm">
        <RunSampleButton where={where} />
      </Group>
    </EmptyState>
  );
}

function toColumns(where: InWorkspace): readonly Column<EvaluationResponse>[] {
  return [
    {
      key: 'name',
      label: 'Name',
      sortKey: 'name',
      render: ({ id, name }) => (
        <AnchorLink
          to="/o/$org/w/$workspace/evaluations/$evaluationId"
          params={{ ...where, evaluationId: id }}
          size="sm"
          fw={500}
          className="user-text"
          c="inherit"
          tabIndex={-1}
        >
          {name}
        </AnchorLink>
      ),
    },
    { key: 'status', label: 'Status', render: ({ status }) => <StatusBadge status={status} /> },
    { key: 'model', label: 'Model', render: ({ model }) => <span className="user-text">{model}</span> },
    {
      key: 'progress',
      label: 'Progress',
      render: (evaluation) => <ProgressCell evaluation={evaluation} />,
    },
    { key: 'rate', label: 'Pass rate', align: 'right', render: ({ pass_rate }) => formatPercent(pass_rate) },
    { key: 'cost', label: 'Cost', align: 'right', render: ({ cost_usd }) => formatUsd(cost_usd) },
    {
      key: 'created_at',
      label: 'Created',
      sortKey: 'created_at',
      render: ({ created_at }) => <time dateTime={created_at}>{formatAgo(created_at)}</time>,
    },
    {
      key: 'created_by',
      label: 'Created by',
      render: ({ created_by_user }) => created_by_user?.full_name ?? created_by_user?.username ?? '–',
    },
  ];
}

/** The columns that fit beside the panel. */
const BESIDE_PANEL = new Set(['name', 'status', 'progress', 'created_at']);
