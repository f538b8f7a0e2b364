/** The runtimes of the workspace, or of the project that is chosen in the header. */
import type { InWorkspace, Runtime, Sandbox } from '@drydock/sdk';
import { Alert, Button, Group, Loader, NativeSelect, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { CopyAs } from '../components/copy-as.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatAgo, formatCount } from '../components/format.ts';
import { AnchorLink } from '../components/links.tsx';
import { type Column, ListTable } from '../components/list/list-table.tsx';
import { Pager } from '../components/list/pager.tsx';
import { SearchInput } from '../components/list/search-input.tsx';
import { useProjectId, useWhere } from '../frame/scope.ts';
import { CreateDialog } from './create/create-dialog.tsx';
import { describeLimits, describeTimeLeft, Owner, STATE_LABELS, StateBadge } from './figures.tsx';
import { liveSandboxesQuery, providersQuery, type RuntimeFilters, runtimeListQuery } from './queries.ts';
import { RuntimePanel } from './runtime-panel.tsx';
import { RUNTIME_STATES, type RuntimeListSearch } from './search.ts';

const route = getRouteApi('/o/$org/w/$workspace/runtimes');

const PAGE_SIZE = 25;

type Change = (next: Partial<RuntimeListSearch>, options?: { readonly replace: boolean }) => void;

export function RuntimeListPage() {
  const where = useWhere();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { projectId, isReady } = useProjectId();
  const filters: RuntimeFilters = {
    ...(search.state && { state: search.state }),
    ...(projectId && { project_id: projectId }),
  };
  const { data, error, refetch } = useQuery({
    ...runtimeListQuery(where, filters),
    enabled: isReady,
    placeholderData: keepPreviousData,
  });
  const change: Change = (next, options) =>
    void navigate({
      to: '/o/$org/w/$workspace/runtimes',
      params: where,
      search: { ...search, page: undefined, selected: undefined, ...next },
      resetScroll: false,
      ...options,
    });
  const found = (data?.rows ?? []).filter((runtime) => matches(runtime, search.search));
  const page = search.page ?? 1;
  const rows = found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  const selected = rows.find(({ key }) => key === search.selected);
  const select = (key: string | undefined) => change({ page: search.page, selected: key }, { replace: true });
  return (
    <div className="list-page">
      <section className="list">
        <Toolbar filters={filters} search={search} onChange={change} />
        <ProviderNotice />
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loader size="sm" m="md" aria-label="Loading" />}
        {data && found.length === 0 && (
          <NoRuntimes
            isFiltered={Boolean(search.state ?? search.search ?? projectId)}
            onCreate={() => change({ new: true })}
          />
        )}
        {data && found.length > 0 && (
          <>
            <RuntimeTable
              rows={rows}
              selected={search.selected}
              hasPanel={selected !== undefined}
              onSelect={select}
            />
            <Pager
              page={page}
              pageSize={PAGE_SIZE}
              total={found.length}
              onChange={(next) => change({ page: next })}
            />
          </>
        )}
        {data && !data.isComplete && (
          <Text size="xs" c="dimmed" px="xs">
            The newest {formatCount(data.rows.length)} runtimes are listed and searched. Choose a state or a
            project to see older ones.
          </Text>
        )}
      </section>
      {selected && <RuntimePanel runtime={selected} onClose={() => select(undefined)} />}
      {search.new && <CreateDialog onClose={() => change({ new: undefined }, { replace: true })} />}
    </div>
  );
}

const matches = ({ name, key, description }: Runtime, text: string | undefined): boolean =>
  text === undefined ||
  [name, key, description ?? ''].some((one) => one.toLowerCase().includes(text.toLowerCase()));

interface ToolbarProps {
  readonly filters: RuntimeFilters;
  readonly search: RuntimeListSearch;
  readonly onChange: Change;
}

function Toolbar({ filters, search, onChange }: ToolbarProps) {
  const where = useWhere();
  return (
    <Group justify="space-between" mb="md" gap="sm">
      <Title order={1} size="h3">
        Runtimes
      </Title>
      <Group gap="xs">
        <SearchInput
          label="Search by name or key"
          w={200}
          initialText={search.search}
          onSearch={(text) => onChange({ search: text }, { replace: true })}
        />
        <NativeSelect
          size="xs"
          aria-label="State"
          data={[
            { value: '', label: 'Any state' },
            ...RUNTIME_STATES.map((value) => ({ value, label: STATE_LABELS[value] })),
          ]}
          value={search.state ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onChange({ state: RUNTIME_STATES.find((state) => state === value) })
          }
        />
        <CopyAs
          path={`/api/v1/org/${where.org}/ws/${where.workspace}/runtimes`}
          query={{ ...filters }}
          code={`await drydock.runtimes.list(${JSON.stringify(where)}, ${JSON.stringify(filters)})`}
        />
        <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => onChange({ new: true })}>
          New runtime
        </Button>
      </Group>
    </Group>
  );
}

/** Says why no runtime can be started, when that is so. */
function ProviderNotice() {
  const { org } = useWhere();
  const { data: providers } = useQuery(providersQuery(org));
  if (!providers || providers.some(({ available }) => available)) return null;
  const reasons = providers.flatMap(({ name, reason }) => (reason ? [`${name}: ${reason}`] : []));
  return (
    <Alert color="yellow" variant="outline" role="status" title="No runtime can be started here" mb="md">
      <Text size="sm" className="user-text">
        {reasons.join('\n') || 'The server has no sandbox provider. Its documentation says how to add one.'}
      </Text>
    </Alert>
  );
}

interface NoRuntimesProps {
  readonly isFiltered: boolean;
  readonly onCreate: () => void;
}

function NoRuntimes({ isFiltered, onCreate }: NoRuntimesProps) {
  if (isFiltered)
    return (
      <EmptyState title="No matching runtimes">
        Remove a filter, search for another name, or choose another project.
      </EmptyState>
    );
  return (
    <EmptyState title="No runtimes yet">
      A runtime is a durable environment on this server, with a disk, a terminal and a network that reaches
      only the hosts you list. Agents and people run commands in it.
      <Group justify="center" my="sm">
        <Button size="xs" leftSection={<IconPlus size={14} />} onClick={onCreate}>
          Create the first runtime
        </Button>
      </Group>
    </EmptyState>
  );
}

interface RuntimeTableProps {
  readonly rows: readonly Runtime[];
  readonly selected: string | undefined;
  /** Whether a panel beside the table shows the selected row. */
  readonly hasPanel: boolean;
  readonly onSelect: (key: string) => void;
}

function RuntimeTable({ rows, selected, hasPanel, onSelect }: RuntimeTableProps) {
  const where = useWhere();
  const navigate = useNavigate();
  const { data: sandboxes } = useQuery(liveSandboxesQuery(where.org));
  return (
    <ListTable
      label="Runtimes"
      columns={toColumns(where, sandboxes).filter(({ key }) => !hasPanel || BESIDE_PANEL.has(key))}
      minWidth={hasPanel ? 560 : 1_000}
      rows={rows}
      keyOf={({ key }) => key}
      selected={selected}
      onSelect={onSelect}
      onOpen={(runtime) =>
        void navigate({ to: '/o/$org/w/$workspace/runtimes/$runtime', params: { ...where, runtime } })
      }
    />
  );
}

const toColumns = (
  where: InWorkspace,
  sandboxes: ReadonlyMap<string, Sandbox> | undefined,
): readonly Column<Runtime>[] => [
  {
    key: 'name',
    label: 'Name',
    render: ({ name, key }) => (
      <>
        <AnchorLink
          to="/o/$org/w/$workspace/runtimes/$runtime"
          params={{ ...where, runtime: key }}
          size="sm"
          fw={500}
          className="user-text"
          c="inherit"
          tabIndex={-1}
        >
          {name}
        </AnchorLink>
        <Text size="xs" c="dimmed" ff="monospace">
          {key}
        </Text>
      </>
    ),
  },
  { key: 'state', label: 'State', render: ({ status }) => <StateBadge state={status} /> },
  { key: 'provider', label: 'Provider', render: ({ instance }) => instance?.provider ?? '–' },
  { key: 'project', label: 'Project', render: ({ project_name }) => project_name ?? '–' },
  { key: 'owner', label: 'Owner', render: (runtime) => <Owner runtime={runtime} /> },
  {
    key: 'started',
    label: 'Started',
    render: ({ instance }) => <time dateTime={instance?.created_at}>{formatAgo(instance?.created_at)}</time>,
  },
  { key: 'left', label: 'Time left', render: ({ instance }) => describeTimeLeft(instance) ?? '–' },
  {
    key: 'changed',
    label: 'Last change',
    render: ({ updated_at }) => <time dateTime={updated_at}>{formatAgo(updated_at)}</time>,
  },
  {
    key: 'resources',
    label: 'Enforced limits',
    render: ({ instance }) => {
      const sandbox = instance && sandboxes?.get(instance.sandbox_id);
      return (
        <Text size="xs" c="dimmed">
          {sandbox ? describeLimits(sandbox.limits) : '–'}
        </Text>
      );
    },
  },
];

/** The columns that fit beside the panel. */
const BESIDE_PANEL = new Set(['name', 'state', 'left', 'owner', 'changed']);
