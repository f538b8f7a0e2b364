/** What a version or a session was made from, and what was made from it. */
import type { LineageResponse } from '@drydock/sdk';
import { Box, Button, Group, Loader, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { drydock } from '../api/client.ts';
import { CopyAs } from '../components/copy-as.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice, replacesPage } from '../components/error-notice.tsx';
import { formatCountOf } from '../components/format.ts';
import { LayeredGraph } from '../components/layered-graph.tsx';
import { ButtonLink } from '../components/links.tsx';
import { useWhere } from '../frame/scope.ts';
import { toLayers } from './layers.ts';
import { kindLabelOf, NodeLink, titleOf } from './lineage-link.tsx';
import type { Direction, LineageSearch } from './search.ts';

const route = getRouteApi('/o/$org/w/$workspace/lineage');

/** A column of 50 nodes is 4,000 pixels high. */
const LIMIT = 50;

export function LineagePage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { direction = 'both' } = search;
  const call = useCall(search);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['lineage', call?.path, call?.query],
    queryFn: async ({ signal, pageParam }) => call?.read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page?.next_cursor ?? undefined,
    enabled: call !== undefined,
  });
  const pages = data?.pages.filter((page) => page !== undefined) ?? [];
  const root = pages[0]?.root;
  useDocumentTitle(root ? `Lineage of ${titleOf(root)} · Drydock` : 'Lineage · Drydock');
  if (!call)
    return (
      <EmptyState title="Nothing is chosen">
        Open the lineage from a session, a training job or the journey of a capability.
      </EmptyState>
    );
  if (replacesPage(error, data)) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!root) return <Loader size="sm" m="md" aria-label="Loading" />;
  const { path, query, code } = call;
  return (
    <Box p="md">
      <Stack gap="md">
        <Group justify="space-between" gap="sm">
          <div>
            <Text size="xs" c="dimmed">
              Lineage of a {kindLabelOf(root).toLowerCase()}
            </Text>
            <Title order={1} size="h3" className="user-text">
              {titleOf(root)}
            </Title>
          </div>
          <Group gap="xs">
            <DirectionControl
              value={direction}
              onChange={(next) => void navigate({ search: { ...search, direction: next }, replace: true })}
            />
            {search.kind === 'capability' && <JourneyLink name={search.name ?? ''} />}
            <CopyAs path={path} query={query} code={code} />
          </Group>
        </Group>
        <Graph pages={pages} />
        {hasNextPage && (
          <Button
            size="xs"
            variant="default"
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
            style={{ alignSelf: 'flex-start' }}
          >
            Show more
          </Button>
        )}
      </Stack>
    </Box>
  );
}

/** The request for the lineage that the address names. */
function useCall({ kind, name, version, session, direction = 'both' }: LineageSearch) {
  const where = useWhere();
  if (session !== undefined) {
    const query = { direction, limit: LIMIT };
    const of = { ...where, session_id: session };
    return {
      path: `/api/v1/org/${where.org}/ws/${where.workspace}/sessions/${encodeURIComponent(session)}/lineage`,
      query,
      code: `await drydock.sessions.getLineage(${JSON.stringify(of)}, ${JSON.stringify(query)})`,
      read: (cursor: string | undefined, signal: AbortSignal): Promise<LineageResponse> =>
        drydock.sessions.getLineage(of, { ...query, ...(cursor && { cursor }) }, { signal }),
    };
  }
  if (!kind || !name || !version) return undefined;
  const query = { kind, name, version, direction, limit: LIMIT };
  const of = { org: where.org };
  return {
    path: `/api/v1/org/${where.org}/lineage`,
    query,
    code: `await drydock.lineage.get(${JSON.stringify(of)}, ${JSON.stringify(query)})`,
    read: (cursor: string | undefined, signal: AbortSignal): Promise<LineageResponse> =>
      drydock.lineage.get(of, { ...query, ...(cursor && { cursor }) }, { signal }),
  };
}

const DirectionControl = ({
  value,
  onChange,
}: {
  readonly value: Direction;
  readonly onChange: (next: Direction) => void;
}) => (
  <SegmentedControl
    size="xs"
    aria-label="Direction"
    transitionDuration={0}
    data={[
      { value: 'both', label: 'Both' },
      { value: 'up', label: 'What it was made from' },
      { value: 'down', label: 'What was made from it' },
    ]}
    value={value}
    onChange={onChange}
  />
);

const JourneyLink = ({ name }: { readonly name: string }) => (
  <ButtonLink
    to="/o/$org/w/$workspace/capabilities/$capability/journey"
    params={{ ...useWhere(), capability: name }}
    size="xs"
    variant="default"
  >
    Journey
  </ButtonLink>
);

function Graph({ pages }: { readonly pages: readonly LineageResponse[] }) {
  const nodes = pages.flatMap((page) => page.nodes);
  const edges = pages.flatMap((page) => page.edges);
  const [first] = pages;
  if (!first) return null;
  const before = nodes.filter(({ distance }) => distance < 0).length;
  return (
    <>
      <Text size="sm" role="status">
        {nodes.length === 0
          ? 'Nothing is recorded: it was made from nothing that is known here, and nothing was made from it.'
          : `Made from ${formatCountOf(before, 'thing')} on the left; ${formatCountOf(nodes.length - before, 'thing')} on the right made from it.`}
        {pages.at(-1)?.has_more && ' There are more.'}
      </Text>
      <LayeredGraph
        label="Lineage"
        columns={toLayers(first.root, nodes, edges)}
        // Several relations may connect the same two things; they are drawn once.
        edges={[...new Map(edges.map(({ from, to }) => [`${to} ${from}`, [to, from] as const])).values()]}
        renderTitle={({ node, title }) => <NodeLink node={node}>{title}</NodeLink>}
      />
    </>
  );
}
