/** All traces of a workspace, the newest first. */
import type { TraceSummary } from '@drydock/sdk';
import { Badge, Button, Group, Loader, Menu, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { drydock } from '../api/client.ts';
import { CopyAs } from '../components/copy-as.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { FactList } from '../components/fact-list.tsx';
import {
  formatAgo,
  formatCompact,
  formatCount,
  formatDuration,
  formatTime,
  formatTotal,
  formatUsd,
} from '../components/format.ts';
import { ButtonLink } from '../components/links.tsx';
import { type Column, ListTable } from '../components/list/list-table.tsx';
import { Pager } from '../components/list/pager.tsx';
import { SearchInput } from '../components/list/search-input.tsx';
import { SidePanel } from '../components/list/side-panel.tsx';
import { useProjectId, useWhere } from '../frame/scope.ts';
import { isUuid } from '../search-params.ts';
import { SPAN_TYPES, type TraceListSearch } from './search.ts';
import { toTraceCommand } from './send-traces.ts';

const route = getRouteApi('/o/$org/w/$workspace/traces');
const PAGE_SIZE = 50;
const HOUR_MS = 3_600_000;
const PERIODS = [
  ['Last hour', 1],
  ['Last day', 24],
  ['Last 7 days', 168],
  ['Last 30 days', 720],
] as const;

export function TraceListPage() {
  const where = useWhere();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { projectId, isReady } = useProjectId();
  const { page = 1, selected } = search;
  const filters = {
    ...(search.search && { search: search.search }),
    ...(search.status && { status: search.status }),
    ...(search.type && { span_type: search.type }),
    ...(search.session && isUuid(search.session) && { session_id: search.session }),
    ...(search.from && { from: search.from }),
    ...(search.to && { to: search.to }),
    ...(projectId && { project_id: projectId }),
  };
  const query = { ...filters, page, limit: PAGE_SIZE };
  const list = useQuery({
    queryKey: ['traces', where, query],
    queryFn: async ({ signal }) => drydock.traces.list(where, query, { signal }),
    placeholderData: keepPreviousData,
    enabled: isReady,
  });
  const change = (next: Partial<TraceListSearch>) =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...next }), replace: true });
  const open = (traceId: string) =>
    void navigate({ to: '/o/$org/w/$workspace/traces/$traceId', params: { ...where, traceId }, search: {} });
  const shown = list.data?.traces.find(({ trace_id }) => trace_id === selected);
  return (
    <div className="list-page">
      <Filters search={search} onChange={change} />
      <section className="list">
        <Toolbar
          search={search}
          onChange={change}
          total={list.data && formatTotal(list.data.total, list.data.total_is_exact)}
          query={query}
          isLoading={list.isFetching}
        />
        {list.error && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
        {list.data?.total === 0 && <NoTraces isFiltered={Object.keys(filters).length > 0} />}
        {list.data && list.data.total > 0 && (
          <>
            <ListTable
              label="Traces"
              columns={shown ? COLUMNS.filter(({ key }) => BESIDE_PANEL.has(key)) : COLUMNS}
              rows={list.data.traces}
              keyOf={({ trace_id }) => trace_id}
              selected={selected}
              onSelect={(id) => change({ selected: id, page: search.page })}
              onOpen={open}
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
        <TracePanel trace={shown} onClose={() => change({ selected: undefined, page: search.page })} />
      )}
    </div>
  );
}

interface FiltersProps {
  readonly search: TraceListSearch;
  readonly onChange: (next: Partial<TraceListSearch>) => void;
}

function Filters({ search, onChange }: FiltersProps) {
  return (
    <Stack component="nav" aria-label="Filters" gap="md" w={200} style={{ flexShrink: 0 }}>
      <Select
        size="xs"
        label="Status"
        placeholder="Any"
        clearable
        data={['ok', 'error']}
        value={search.status ?? null}
        onChange={(status) => onChange({ status: status ?? undefined })}
      />
      <Select
        size="xs"
        label="Contains span type"
        placeholder="Any"
        clearable
        searchable
        data={[...SPAN_TYPES]}
        value={search.type ?? null}
        onChange={(type) => onChange({ type: type ?? undefined })}
      />
      <TextInput
        size="xs"
        label="Session"
        placeholder="Session ID"
        defaultValue={search.session ?? ''}
        key={search.session}
        error={search.session && !isUuid(search.session) ? 'Enter a complete session ID.' : undefined}
        onBlur={(event) => onChange({ session: event.currentTarget.value.trim() || undefined })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onChange({ session: event.currentTarget.value.trim() || undefined });
        }}
      />
      <TimeFilters search={search} onChange={onChange} />
    </Stack>
  );
}

function TimeFilters({ search, onChange }: FiltersProps) {
  return (
    <>
      <TextInput
        size="xs"
        type="datetime-local"
        label="Started after"
        value={toLocal(search.from)}
        onChange={(event) => onChange({ from: fromLocal(event.currentTarget.value) })}
      />
      <TextInput
        size="xs"
        type="datetime-local"
        label="Started before"
        value={toLocal(search.to)}
        onChange={(event) => onChange({ to: fromLocal(event.currentTarget.value) })}
      />
      <Menu>
        <Menu.Target>
          <Button size="xs" variant="default" leftSection={<IconClock size={14} />}>
            Recent
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {PERIODS.map(([label, hours]) => (
            <Menu.Item
              key={label}
              onClick={() =>
                onChange({ from: new Date(Date.now() - hours * HOUR_MS).toISOString(), to: undefined })
              }
            >
              {label}
            </Menu.Item>
          ))}
          <Menu.Item onClick={() => onChange({ from: undefined, to: undefined })}>Any time</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

/** The value of a `datetime-local` field: local time, to the minute. */
function toLocal(time: string | undefined): string {
  if (!time) return '';
  const date = new Date(time);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const fromLocal = (text: string): string | undefined => (text ? new Date(text).toISOString() : undefined);

interface ToolbarProps extends FiltersProps {
  readonly total: string | undefined;
  readonly query: Readonly<Record<string, string | number>>;
  readonly isLoading: boolean;
}

function Toolbar({ search, onChange, total, query, isLoading }: ToolbarProps) {
  const where = useWhere();
  return (
    <Group mb="sm" gap="sm">
      <Title order={1} size="h3">
        Traces
      </Title>
      <Text size="sm" c="dimmed" role="status">
        {total ?? ''}
      </Text>
      {isLoading && <Loader size={14} />}
      <SearchInput
        w={280}
        ml="auto"
        label="Search traces"
        placeholder="Name, prompt, answer or ID"
        initialText={search.search}
        onSearch={(text) => onChange({ search: text })}
      />
      <CopyAs
        path={`/api/v1/org/${where.org}/ws/${where.workspace}/traces`}
        query={query}
        code={`await drydock.traces.list(${JSON.stringify(where)}, ${JSON.stringify(query)})`}
      />
    </Group>
  );
}

function NoTraces({ isFiltered }: { readonly isFiltered: boolean }) {
  const where = useWhere();
  if (isFiltered)
    return <EmptyState title="No matching traces">Remove a filter, or search for something else.</EmptyState>;
  return (
    <EmptyState title="No traces yet" command={toTraceCommand(where)}>
      A program that uses OpenTelemetry sends its spans here when these environment variables are set:
    </EmptyState>
  );
}

function TracePanel({ trace, onClose }: { readonly trace: TraceSummary; readonly onClose: () => void }) {
  const where = useWhere();
  return (
    <SidePanel title={trace.name || '(no name)'} onClose={onClose}>
      <Stack gap="sm">
        <FactList
          facts={[
            ['Status', trace.status],
            ['Service', trace.service_name],
            ['Started', formatTime(trace.start_time)],
            ['Duration', formatDuration(trace.duration_ms)],
            ['Spans', formatCount(trace.span_count)],
            ['Errors', formatCount(trace.error_count)],
            ['Types', trace.span_types.join(', ')],
            ['Models', trace.models.join(', ')],
            ['Input tokens', formatCount(trace.input_tokens)],
            ['Output tokens', formatCount(trace.output_tokens)],
            ['Cost', formatUsd(trace.cost_usd)],
            ['Trace', trace.trace_id],
          ]}
        />
        <ButtonLink
          to="/o/$org/w/$workspace/traces/$traceId"
          params={{ ...where, traceId: trace.trace_id }}
          size="xs"
        >
          Open the trace
        </ButtonLink>
      </Stack>
    </SidePanel>
  );
}

const COLUMNS: readonly Column<TraceSummary>[] = [
  {
    key: 'name',
    label: 'Trace',
    render: ({ name, service_name }) => (
      <>
        <Text size="sm" fw={500} lineClamp={1} className="user-text">
          {name || '(no name)'}
        </Text>
        <Text size="xs" c="dimmed" lineClamp={1} className="user-text">
          {service_name ?? ''}
        </Text>
      </>
    ),
  },
  {
    key: 'status',
    label: 'Status',
    width: 90,
    render: ({ status }) => (
      <Badge size="sm" color={status === 'error' ? 'red' : 'teal'} variant="filled">
        {status}
      </Badge>
    ),
  },
  {
    key: 'model',
    label: 'Models',
    width: 160,
    render: ({ models }) => (
      <Text size="xs" lineClamp={1} className="user-text">
        {models.join(', ')}
      </Text>
    ),
  },
  {
    key: 'spans',
    label: 'Spans',
    align: 'right',
    width: 80,
    render: ({ span_count }) => <Text size="xs">{formatCount(span_count)}</Text>,
  },
  {
    key: 'duration',
    label: 'Duration',
    align: 'right',
    width: 90,
    render: ({ duration_ms }) => <Text size="xs">{formatDuration(duration_ms)}</Text>,
  },
  {
    key: 'tokens',
    label: 'Tokens',
    align: 'right',
    width: 90,
    render: ({ input_tokens, output_tokens, cost_usd }) => (
      <>
        <Text size="xs">{formatCompact(input_tokens + output_tokens)}</Text>
        <Text size="xs" c="dimmed">
          {formatUsd(cost_usd)}
        </Text>
      </>
    ),
  },
  {
    key: 'time',
    label: 'Started',
    align: 'right',
    width: 120,
    render: ({ start_time }) => (
      <Text size="xs" title={formatTime(start_time)}>
        {formatAgo(start_time)}
      </Text>
    ),
  },
];

/** The columns that fit beside the panel. */
const BESIDE_PANEL = new Set(['name', 'status', 'duration', 'time']);
