/** The frame around every page of a workspace: navigation, switchers, search, running jobs, user menu. */
import { AppShell, Badge, Burger, Button, Group, Kbd, NavLink, ScrollArea, Text } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import {
  IconHome,
  IconListDetails,
  IconMessages,
  IconSchool,
  IconSearch,
  IconShieldBolt,
  IconShieldCheck,
  IconTerminal2,
  IconTestPipe,
  IconTimeline,
  IconTrendingUp,
} from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CatchBoundary, Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { drydock } from '../api/client.ts';
import { toProblem } from '../api/problem.ts';
import { isConnectionError } from '../api/query-client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { showProblem } from '../components/show-problem.ts';
import { rememberWorkspace } from './home.ts';
import { RunningJobs } from './running-jobs.tsx';
import { useWhere } from './scope.ts';
import { ScopeSwitcher } from './scope-switcher.tsx';
import { UserMenu } from './user-menu.tsx';

const PAGES = [
  { to: '/o/$org/w/$workspace', label: 'Overview', icon: IconHome, isExact: true },
  { to: '/o/$org/w/$workspace/sessions', label: 'Sessions', icon: IconMessages, isExact: false },
  { to: '/o/$org/w/$workspace/traces', label: 'Traces', icon: IconTimeline, isExact: false },
  { to: '/o/$org/w/$workspace/evaluations', label: 'Evaluations', icon: IconTestPipe, isExact: false },
  { to: '/o/$org/w/$workspace/red-team', label: 'Red team', icon: IconShieldBolt, isExact: false },
  { to: '/o/$org/w/$workspace/optimization', label: 'Optimization', icon: IconTrendingUp, isExact: false },
  { to: '/o/$org/w/$workspace/training', label: 'Training', icon: IconSchool, isExact: false },
  { to: '/o/$org/w/$workspace/runtimes', label: 'Runtimes', icon: IconTerminal2, isExact: false },
  { to: '/o/$org/w/$workspace/gates', label: 'Gates', icon: IconShieldCheck, isExact: false },
] as const;

export function Frame() {
  const where = useWhere();
  const [isOpen, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  const workspace = useQuery({
    queryKey: ['workspace', where.org, where.workspace],
    queryFn: async ({ signal }) => drydock.workspaces.get(where, { signal }),
  });
  useEffect(() => {
    if (workspace.isSuccess) rememberWorkspace(where);
  }, [where, workspace.isSuccess]);
  // The menu of a small screen closes when a page was chosen.
  useEffect(close, [pathname]);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 190, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={0}
    >
      <Header isMenuOpen={isOpen} onToggleMenu={toggle} />
      <Navigation />
      <AppShell.Main>
        <CatchBoundary
          getResetKey={() => pathname}
          errorComponent={({ error, reset }) => <ErrorNotice error={error} onRetry={reset} />}
        >
          {workspace.error && toProblem(workspace.error).isMissing ? (
            <ErrorNotice error={workspace.error} />
          ) : (
            <Outlet />
          )}
        </CatchBoundary>
      </AppShell.Main>
    </AppShell>
  );
}

interface HeaderProps {
  readonly isMenuOpen: boolean;
  readonly onToggleMenu: () => void;
}

function Header({ isMenuOpen, onToggleMenu }: HeaderProps) {
  return (
    <AppShell.Header>
      <Group h="100%" px="md" gap="sm" wrap="nowrap">
        <Burger
          opened={isMenuOpen}
          onClick={onToggleMenu}
          hiddenFrom="sm"
          size="sm"
          aria-label="Open the navigation"
        />
        <Group gap={6} wrap="nowrap" visibleFrom="xs">
          <img src="/favicon.svg" width={22} height={22} alt="" />
          <Text fw={700}>Drydock</Text>
        </Group>
        <ScopeSwitcher />
        <Group gap="xs" ml="auto" wrap="nowrap">
          <ConnectionNotice />
          <PaletteButton />
          <RunningJobs />
          <UserMenu />
        </Group>
      </Group>
    </AppShell.Header>
  );
}

const loadPalette = () => import('./palette.tsx');

/** The command palette is loaded when it is first opened, by click or by Ctrl+K. */
function PaletteButton() {
  const [loaded, setLoaded] = useState<Awaited<ReturnType<typeof loadPalette>>>();
  const load = () => void loadPalette().then(setLoaded, showProblem);
  // The palette handles the shortcut itself once it is loaded.
  useHotkeys([['mod+K', () => loaded ?? load()]], []);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconSearch size={14} />}
        rightSection={<Kbd size="xs">Ctrl K</Kbd>}
        onPointerEnter={() => void loadPalette().catch(() => undefined)}
        onClick={loaded?.openPalette ?? load}
      >
        Search
      </Button>
      {loaded && <loaded.Palette />}
    </>
  );
}

function Navigation() {
  const where = useWhere();
  return (
    <AppShell.Navbar p="xs" aria-label="Pages">
      <AppShell.Section grow component={ScrollArea}>
        {PAGES.map(({ to, label, icon: Icon, isExact }) => (
          <NavLink
            key={to}
            label={label}
            leftSection={<Icon size={18} stroke={1.7} />}
            renderRoot={(props) => (
              <Link
                to={to}
                params={where}
                activeOptions={{ exact: isExact, includeSearch: false }}
                {...props}
              />
            )}
          />
        ))}
      </AppShell.Section>
      <AppShell.Section>
        <NavLink
          href="/api/v1/docs"
          target="_blank"
          rel="noreferrer"
          label="API reference"
          leftSection={<IconListDetails size={18} stroke={1.7} />}
        />
      </AppShell.Section>
    </AppShell.Navbar>
  );
}

/** Shown while the server cannot be reached. Pages keep showing what they have read, and update when the server is back. */
function ConnectionNotice() {
  const cache = useQueryClient().getQueryCache();
  const isLost = useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () =>
      cache
        .findAll({ fetchStatus: 'fetching' })
        .some(({ state }) => isConnectionError(state.fetchFailureReason)),
  );
  if (!isLost) return null;
  return (
    <Badge color="orange" variant="filled" role="status" autoContrast>
      Connection lost, trying again
    </Badge>
  );
}
