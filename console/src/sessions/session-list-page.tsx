/** All sessions of a workspace, with facets and their counts. */
import type { SessionResponse } from '@drydock/sdk';
import { Group, Loader, Switch, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { drydock } from '../api/client.ts';
import { CopyAs } from '../components/copy-as.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import {
  formatAgo,
  formatCompact,
  formatCount,
  formatTime,
  formatTotal,
  formatUsd,
} from '../components/format.ts';
import { type Column, ListTable } from '../components/list/list-table.tsx';
import { Pager } from '../components/list/pager.tsx';
import { SearchInput } from '../components/list/search-input.tsx';
import { useProjectId, useWhere } from '../frame/scope.ts';
import type { SessionListSearch } from './search.ts';
import { SessionFacets } from './session-facets.tsx';
import { SessionPanel } from './session-panel.tsx';
import { titleOf } from './session-title.ts';

const route = getRouteApi('/o/$org/w/$workspace/sessions');
const PAGE_SIZE = 50;

/** The filters that the list and its facets have in common. */
function toFilters(search: SessionListSearch, projectId: string | undefined) {
  const { search: text, model, agent, origin, user, label, archived, workloads } = search;
  return {
    ...(text && { search: text }),
    ...(model && { model: [...model] }),
    ...(agent && { agent: [...agent] }),
    ...(origin && { origin: [...origin] }),
    ...(user && { user: [...user] }),
    ...(label && { label: [...label] }),
    ...(archived && { archived }),
    ...(workloads && { include_workload_sessions: true }),
    ...(projectId && { project_id: [projectId] }),
  };
}

export function SessionListPage() {
  const where = useWhere();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { projectId, isReady } = useProjectId();
  const { sort = 'updated_at', dir = 'desc', page = 1, selected } = search;
  const filters = toFilters(search, projectId);
  const query = { ...filters, sort_by: sort, sort_dir: dir, page, limit: PAGE_SIZE };
  const list = useQuery({
    queryKey: ['sessions', where, query],
    queryFn: async ({ signal }) => drydock.sessions.list(where, query, { signal }),
    placeholderData: keepPreviousData,
    enabled: isReady,
  });
  const change = (next: Partial<SessionListSearch>) =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...next }), replace: true });
  const open = (sessionId: string) =>
    void navigate({
      to: '/o/$org/w/$workspace/sessions/$sessionId',
      params: { ...where, sessionId },
      search: {},
    });
  const shown = list.data?.sessions.find(({ id }) => id === selected);
  return (
    <div className="list-page">
      <SessionFacets filters={filters} search={search} isReady={isReady} onChange={change} />
      <section className="list">
        <Toolbar
          search={search}
          onChange={change}
          total={list.data && formatTotal(list.data.total, list.data.total_is_exact)}
          query={query}
          isLoading={list.isFetching}
        />
        {list.error && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
        {list.data?.total === 0 && <NoSessions isFiltered={Object.keys(filters).length > 0} />}
        {list.data && list.data.total > 0 && (
          <>
            <ListTable
              label="Sessions"
              columns={shown ? COLUMNS.filter(({ key }) => BESIDE_PANEL.has(key)) : COLUMNS}
              rows={list.data.sessions}
              keyOf={({ id }) => id}
              selected={selected}
              onSelect={(id) => change({ selected: id, page: search.page })}
              onOpen={open}
              sort={{
                by: sort,
                direction: dir,
                onChange: (by, direction) =>
                  change({ sort: by as SessionListSearch['sort'], dir: direction }),
              }}
            />
            <Pager
              page={page}
              pageSize={PAGE_SIZE}
              total={list.data.total}
              isExact={list.data.total_is_exact}
              onChange={(next) => change({ page: next, selected: undefined })}
            />
          </>
        )}
      </section>
      {shown && (
        <SessionPanel session={shown} onClose={() => change({ selected: undefined, page: search.page })} />
      )}
    </div>
  );
}

interface ToolbarProps {
  readonly search: SessionListSearch;
  readonly onChange: (next: Partial<SessionListSearch>) => void;
  readonly total: string | undefined;
  readonly query: Readonly<Record<string, unknown>>;
  readonly isLoading: boolean;
}

function Toolbar({ search, onChange, total, query, isLoading }: ToolbarProps) {
  const where = useWhere();
  return (
    <Group mb="sm" gap="sm">
      <Title order={1} size="h3">
        Sessions
      </Title>
      <Text size="sm" c="dimmed" role="status">
        {total}
      </Text>
      {isLoading && <Loader size={14} />}
      <Switch
        size="xs"
        ml="auto"
        label="Show sessions of evaluations and jobs"
        checked={search.workloads ?? false}
        onChange={(event) => onChange({ workloads: event.currentTarget.checked || undefined })}
      />
      <SearchInput
        w={240}
        label="Search sessions"
        placeholder="Title, preview or message"
        initialText={search.search}
        onSearch={(text) => onChange({ search: text })}
      />
      <CopyAs
        path={`/api/v1/org/${where.org}/ws/${where.workspace}/sessions`}
        query={query}
        code={`await drydock.sessions.list(${JSON.stringify(where)}, ${JSON.stringify(query)})`}
      />
    </Group>
  );
}

function NoSessions({ isFiltered }: { readonly isFiltered: boolean }) {
  const { org, workspace } = useWhere();
  if (isFiltered)
    return (
      <EmptyState title="No matching sessions">Remove a filter, or search for something else.</EmptyState>
    );
  const body = `{"id": "'$(uuidgen | tr A-Z a-z)'", "model": "acme/large", "title": "My first session"}`;
  const command = [
    `curl -X POST ${location.origin}/api/v1/org/${org}/ws/${workspace}/sessions`,
    '-H "Authorization: Bearer $DRYDOCK_API_KEY"',
    "-H 'Content-Type: application/json'",
    `-d '${body}'`,
  ].join(' \\\n  ');
  return (
    <EmptyState title="No sessions yet" command={command}>
      A session is the conversation of an agent with its tools. Agents create their own; this command creates
      an empty one:
    </EmptyState>
  );
}

const COLUMNS: readonly Column<SessionResponse>[] = [
  {
    key: 'title',
    label: 'Session',
    sortKey: 'title',
    render: (session) => (
      <>
        <Text size="sm" fw={500} lineClamp={1} className="user-text">
          {titleOf(session)}
        </Text>
        {session.title && session.preview_text && (
          <Text size="xs" c="dimmed" lineClamp={1} className="user-text">
            {session.preview_text}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'model',
    label: 'Model',
    width: 150,
    render: ({ model, agent }) => (
      <>
        <Text size="xs" className="user-text" lineClamp={1}>
          {model}
        </Text>
        <Text size="xs" c="dimmed" className="user-text" lineClamp={1}>
          {agent ?? ''}
        </Text>
      </>
    ),
  },
  { key: 'origin', label: 'Origin', width: 80, render: ({ origin }) => <Text size="xs">{origin}</Text> },
  {
    key: 'messages',
    label: 'Messages',
    sortKey: 'message_count',
    align: 'right',
    width: 100,
    render: ({ message_count }) => <Text size="xs">{formatCount(message_count)}</Text>,
  },
  {
    key: 'usage',
    label: 'Tokens',
    align: 'right',
    width: 90,
    render: ({ usage }) => (
      <>
        <Text size="xs">{formatCompact(usage.total_input_tokens + usage.total_output_tokens)}</Text>
        <Text size="xs" c="dimmed">
          {formatUsd(usage.total_cost_usd)}
        </Text>
      </>
    ),
  },
  {
    key: 'time',
    label: 'Updated',
    sortKey: 'updated_at',
    align: 'right',
    width: 150,
    render: ({ updated_at }) => (
      <Text size="xs" title={formatTime(updated_at)}>
        {formatAgo(updated_at)}
      </Text>
    ),
  },
];

/** The columns that fit beside the panel. */
const BESIDE_PANEL = new Set(['title', 'model', 'time']);
