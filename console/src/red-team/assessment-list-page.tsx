/** All assessments of the workspace, or of the project that is chosen in the header. */
import type { AssessmentResponse, InWorkspace } from '@drydock/sdk';
import { Box, Group, Loader, NativeSelect, Text, Title } from '@mantine/core';
import { IconListCheck, IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { CopyAs } from '../components/copy-as.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatAgo } from '../components/format.ts';
import { AnchorLink, ButtonLink } from '../components/links.tsx';
import { type Column, ListTable } from '../components/list/list-table.tsx';
import { Pager } from '../components/list/pager.tsx';
import { SearchInput } from '../components/list/search-input.tsx';
import { useProjectId, useWhere } from '../frame/scope.ts';
import { AssessmentPanel } from './assessment-panel.tsx';
import { AssessmentBadge, FindingProgress, RateText, RiskText, SeverityChips } from './figures.tsx';
import { FollowAssessments } from './live.tsx';
import { assessmentListQuery } from './queries.ts';
import type { AssessmentListSearch } from './search.ts';
import { ASSESSMENT_LABELS, ASSESSMENT_STATES, hasEnded, KIND_LABELS, kindOf, targetOf } from './states.ts';

const route = getRouteApi('/o/$org/w/$workspace/red-team');

const PAGE_SIZE = 25;

export function AssessmentListPage() {
  const where = useWhere();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { projectId, isReady } = useProjectId();
  const filters = toFilters(search, projectId);
  const { data, error, refetch } = useQuery({
    ...assessmentListQuery(where, filters),
    enabled: isReady,
    placeholderData: keepPreviousData,
  });
  const change = (next: Partial<AssessmentListSearch>, options?: { readonly replace: boolean }) =>
    void navigate({
      to: '/o/$org/w/$workspace/red-team',
      params: where,
      search: { ...search, page: undefined, selected: undefined, ...next },
      ...options,
    });
  const select = (id: string | undefined) => change({ selected: id, page: search.page }, { replace: true });
  const rows = data?.items ?? [];
  const selected = rows.find(({ id }) => id === search.selected);
  const isFiltered = Boolean(search.status ?? search.search ?? projectId);
  return (
    <div className="list-page">
      <section className="list">
        <Toolbar where={where} filters={filters} search={search} onChange={change} />
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loader size="sm" m="md" aria-label="Loading" />}
        {data?.total === 0 && <NoAssessments where={where} isFiltered={isFiltered} />}
        {data && data.total > 0 && (
          <>
            <AssessmentTable
              rows={rows}
              selected={search.selected}
              hasPanel={selected !== undefined}
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
      {selected && <AssessmentPanel assessment={selected} onClose={() => select(undefined)} />}
      <FollowAssessments where={where} assessments={rows.filter(({ status }) => status === 'running')} />
    </div>
  );
}

interface AssessmentTableProps {
  readonly rows: readonly AssessmentResponse[];
  readonly selected: string | undefined;
  /** Whether a panel beside the table shows the selected row. */
  readonly hasPanel: boolean;
  readonly onSelect: (id: string) => void;
}

function AssessmentTable({ rows, selected, hasPanel, onSelect }: AssessmentTableProps) {
  const where = useWhere();
  const navigate = useNavigate();
  return (
    <ListTable
      label="Assessments"
      columns={toColumns(where).filter(({ key }) => !hasPanel || BESIDE_PANEL.has(key))}
      minWidth={hasPanel ? 600 : 960}
      rows={rows}
      keyOf={({ id }) => id}
      selected={selected}
      onSelect={onSelect}
      onOpen={(assessmentId) =>
        void navigate({
          to: '/o/$org/w/$workspace/red-team/$assessmentId',
          params: { ...where, assessmentId },
        })
      }
    />
  );
}

const toFilters = (search: AssessmentListSearch, projectId: string | undefined) => ({
  page: search.page ?? 1,
  page_size: PAGE_SIZE,
  ...(search.status && { status: search.status }),
  ...(search.search && { search: search.search }),
  ...(projectId && { project_id: projectId }),
});

interface ToolbarProps {
  readonly where: InWorkspace;
  readonly filters: ReturnType<typeof toFilters>;
  readonly search: AssessmentListSearch;
  readonly onChange: (next: Partial<AssessmentListSearch>, options?: { readonly replace: boolean }) => void;
}

function Toolbar({ where, filters, search, onChange }: ToolbarProps) {
  return (
    <Group justify="space-between" mb="md" gap="sm">
      <Title order={1} size="h3">
        Red team
      </Title>
      <Group gap="xs">
        <SearchInput
          label="Search assessments"
          placeholder="Search"
          initialText={search.search}
          onSearch={(text) => onChange({ search: text }, { replace: true })}
          w={150}
        />
        <NativeSelect
          size="xs"
          aria-label="Status"
          data={[
            { value: '', label: 'Any status' },
            ...ASSESSMENT_STATES.map((value) => ({ value, label: ASSESSMENT_LABELS[value] })),
          ]}
          value={search.status ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onChange({ status: ASSESSMENT_STATES.find((status) => status === value) })
          }
        />
        <CopyAs
          path={`/api/v1/org/${where.org}/ws/${where.workspace}/airt/assessments`}
          query={filters}
          code={`await drydock.assessments.list(${JSON.stringify(where)}, ${JSON.stringify(filters)})`}
        />
        <ButtonLink
          to="/o/$org/w/$workspace/red-team/findings"
          params={where}
          search={{ status: ['open'], type: ['jailbreak', 'partial'] }}
          size="xs"
          variant="default"
          leftSection={<IconListCheck size={14} />}
        >
          Findings
        </ButtonLink>
        <NewAssessmentLink where={where} />
      </Group>
    </Group>
  );
}

const NewAssessmentLink = ({ where }: { readonly where: InWorkspace }) => (
  <ButtonLink
    to="/o/$org/w/$workspace/red-team/new"
    params={where}
    size="xs"
    leftSection={<IconPlus size={14} />}
  >
    New assessment
  </ButtonLink>
);

interface NoAssessmentsProps {
  readonly where: InWorkspace;
  readonly isFiltered: boolean;
}

function NoAssessments({ where, isFiltered }: NoAssessmentsProps) {
  if (isFiltered)
    return (
      <EmptyState title="No matching assessments">
        Remove a filter, search for another name, or choose another project.
      </EmptyState>
    );
  return (
    <EmptyState title="No assessments yet" command="npm run demo">
      An assessment attacks a model, a service or an agent of your own, judges each response, and reports what
      broke and how badly. Simulated models need no API key.
      <Group justify="center" my="sm">
        <NewAssessmentLink where={where} />
      </Group>
    </EmptyState>
  );
}

const toColumns = (where: InWorkspace): readonly Column<AssessmentResponse>[] => [
  {
    key: 'name',
    label: 'Name',
    render: ({ id, name, retest_of }) => (
      <>
        <AnchorLink
          to="/o/$org/w/$workspace/red-team/$assessmentId"
          params={{ ...where, assessmentId: id }}
          size="sm"
          fw={500}
          className="user-text"
          c="inherit"
          tabIndex={-1}
        >
          {name}
        </AnchorLink>
        {retest_of && (
          <Text size="xs" c="dimmed">
            Retest of a finding
          </Text>
        )}
      </>
    ),
  },
  { key: 'status', label: 'Status', render: (assessment) => <AssessmentBadge assessment={assessment} /> },
  {
    key: 'target',
    label: 'Target',
    render: (assessment) => (
      <Box maw={200}>
        <Text size="sm" truncate title={targetOf(assessment)}>
          {targetOf(assessment)}
        </Text>
        <Text size="xs" c="dimmed">
          {KIND_LABELS[kindOf(assessment)]}
        </Text>
      </Box>
    ),
  },
  {
    key: 'findings',
    label: 'Findings',
    align: 'right',
    render: (assessment) => <FindingProgress assessment={assessment} />,
  },
  {
    key: 'asr',
    label: 'Attack success',
    align: 'right',
    render: ({ success }) => <RateText rate={success} />,
  },
  {
    key: 'risk',
    label: 'Risk',
    render: ({ risk_score, status }) => <RiskText risk={hasEnded(status) ? risk_score : null} />,
  },
  {
    key: 'severity',
    label: 'Severity',
    render: ({ progress }) => <SeverityChips counts={progress.severities} />,
  },
  { key: 'started', label: 'Started', render: ({ started_at }) => formatAgo(started_at) },
];

const BESIDE_PANEL = new Set(['name', 'status', 'asr', 'severity']);
