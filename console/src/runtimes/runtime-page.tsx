/** One runtime: what it is, its terminal, files, processes, ports, capabilities and logs. */
import type { OneRuntime, Runtime } from '@drydock/sdk';
import { Box, Loader, Stack, Tabs } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { ErrorNotice, replacesPage } from '../components/error-notice.tsx';
import { useWhere } from '../frame/scope.ts';
import { CapabilitiesTab } from './detail/capabilities-tab.tsx';
import { EgressTab } from './detail/egress-tab.tsx';
import { RuntimeHeader } from './detail/header.tsx';
import { LogTab } from './detail/log-tab.tsx';
import { OverviewTab } from './detail/overview-tab.tsx';
import { PortsTab } from './detail/ports-tab.tsx';
import { ProcessesTab } from './detail/processes-tab.tsx';
import { FilesTab } from './files/files-tab.tsx';
import { runtimeQuery } from './queries.ts';
import type { RuntimeSearch, RuntimeTab } from './search.ts';
import { TerminalTab } from './terminal/terminal-tab.tsx';

const route = getRouteApi('/o/$org/w/$workspace/runtimes/$runtime');

export interface RuntimeTabProps {
  readonly runtime: Runtime;
  readonly target: OneRuntime;
  readonly search: RuntimeSearch;
  readonly onChange: (next: RuntimeSearch, options?: { readonly replace: boolean }) => void;
}

const TABS: readonly (readonly [RuntimeTab, string, (props: RuntimeTabProps) => ReactNode])[] = [
  ['overview', 'Overview', OverviewTab],
  ['terminal', 'Terminal', TerminalTab],
  ['files', 'Files', FilesTab],
  ['processes', 'Processes', ProcessesTab],
  ['ports', 'Ports', PortsTab],
  ['capabilities', 'Capabilities', CapabilitiesTab],
  ['egress', 'Egress', EgressTab],
  ['log', 'Log', LogTab],
];

export function RuntimePage() {
  const where = useWhere();
  const { runtime: key } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const target = { ...where, runtime: key };
  const { data: runtime, error, refetch } = useQuery(runtimeQuery(target));
  useDocumentTitle(runtime ? `${runtime.name} · Drydock` : 'Runtimes · Drydock');
  const change: RuntimeTabProps['onChange'] = (next, options) =>
    void navigate({
      to: '/o/$org/w/$workspace/runtimes/$runtime',
      params: target,
      search: { ...search, ...next },
      resetScroll: false,
      ...options,
    });
  if (replacesPage(error, runtime))
    return (
      <ErrorNotice
        error={error}
        onRetry={() => void refetch()}
        backTo={`/o/${where.org}/w/${where.workspace}/runtimes`}
        backLabel="the runtimes"
      />
    );
  if (!runtime) return <Loader size="sm" m="md" aria-label="Loading" />;
  const [tab, , Panel] = TABS.find(([value]) => value === search.tab) ?? TABS[0]!;
  return (
    <Box p="md">
      <Stack gap="md">
        <RuntimeHeader runtime={runtime} />
        <Tabs
          value={tab}
          onChange={(next) => change({ tab: next === 'overview' ? undefined : (next as RuntimeTab) })}
          keepMounted={false}
        >
          <Tabs.List>
            {TABS.map(([value, label]) => (
              <Tabs.Tab key={value} value={value}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value={tab} pt="md">
            <Suspense fallback={<Loader size="sm" aria-label="Loading" />}>
              {/* The tabs of another runtime start from their initial state. */}
              <Panel key={runtime.id} runtime={runtime} target={target} search={search} onChange={change} />
            </Suspense>
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Box>
  );
}
