/** One trace: its spans as a tree with a timeline, and the details of the selected span. */
import type { OneTrace, TraceSummary } from '@drydock/sdk';
import { ActionIcon, Badge, Button, Loader, Skeleton, Text, TextInput, Title, Tooltip } from '@mantine/core';
import { IconAlertTriangle, IconFold, IconFoldDown, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { drydock } from '../api/client.ts';
import { CopyAs } from '../components/copy-as.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatCount, formatCountOf, formatDuration, formatTime } from '../components/format.ts';
import { HitButtons } from '../components/hit-buttons.tsx';
import { AnchorLink } from '../components/links.tsx';
import { useWhere } from '../frame/scope.ts';
import type { TraceSearch } from './search.ts';
import { SpanDetail } from './span-detail.tsx';
import { SpanRows } from './span-rows.tsx';
import { type SpanNode, SpanTree } from './span-tree.ts';
import styles from './trace.module.css';
import { TraceStats } from './trace-stats.tsx';

const route = getRouteApi('/o/$org/w/$workspace/traces/$traceId');

export function TracePage() {
  const { org, workspace } = useWhere();
  const { traceId } = route.useParams();
  const { span, q = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const where = useMemo(() => ({ org, workspace, trace_id: traceId }), [org, workspace, traceId]);
  const trace = useQuery({
    queryKey: ['trace', where],
    queryFn: async ({ signal }) => drydock.traces.get(where, { signal }),
  });
  const tree = useMemo(() => new SpanTree(where), [where]);
  useSyncExternalStore(tree.subscribe, tree.getVersion);
  useEffect(() => {
    void tree.load();
    return () => tree.stop();
  }, [tree]);
  const change = (next: TraceSearch) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false });
  const select = (id: string | undefined) => {
    if (id !== undefined) tree.reveal(id);
    change({ span: id });
  };
  if (trace.error)
    return (
      <ErrorNotice
        error={trace.error}
        onRetry={() => void trace.refetch()}
        backTo={`/o/${org}/w/${workspace}/traces`}
        backLabel="all traces"
      />
    );
  return (
    <div className={styles['page']}>
      <TraceHeader where={where} trace={trace.data} />
      <div className={styles['panes']}>
        <div className={styles['main']}>
          <SpanToolbar
            tree={tree}
            selected={span}
            onSelect={select}
            q={q}
            onQueryChange={(text) => change({ q: text || undefined })}
          />
          {tree.error !== undefined && <ErrorNotice error={tree.error} onRetry={() => void tree.load()} />}
          {tree.rows.length === 0 && !tree.isDone ? (
            <Skeleton h={240} m="md" />
          ) : (
            <SpanRows
              tree={tree}
              selected={span}
              onSelect={select}
              durationMs={trace.data?.duration_ms ?? 0}
            />
          )}
        </div>
        <aside className={styles['detail']} aria-label={span ? 'Span' : 'Summary'}>
          {span ? (
            <SpanDetail where={where} spanId={span} onClose={() => select(undefined)} />
          ) : (
            <TraceStats where={where} />
          )}
        </aside>
      </div>
    </div>
  );
}

interface TraceHeaderProps {
  readonly where: OneTrace;
  readonly trace: TraceSummary | undefined;
}

function TraceHeader({ where, trace }: TraceHeaderProps) {
  const { org, workspace, trace_id } = where;
  return (
    <div className={styles['head']}>
      <div className={styles['title']}>
        <Title order={1} size="h4" className="user-text" lineClamp={1}>
          {trace ? trace.name || '(no name)' : 'Trace'}
        </Title>
        <Text size="xs" c="dimmed" ff="monospace">
          {trace_id}
        </Text>
      </div>
      {trace && (
        <>
          <Badge color={trace.status === 'error' ? 'red' : 'teal'} variant="filled">
            {trace.status}
          </Badge>
          <Text size="xs" c="dimmed">
            {formatTime(trace.start_time)} · {formatDuration(trace.duration_ms)} ·{' '}
            {formatCountOf(trace.span_count, 'span')}
          </Text>
          {trace.session_ids[0] && (
            <AnchorLink
              to="/o/$org/w/$workspace/sessions/$sessionId"
              params={{ org, workspace, sessionId: trace.session_ids[0] }}
              size="sm"
            >
              Session
            </AnchorLink>
          )}
        </>
      )}
      <div style={{ marginInlineStart: 'auto' }}>
        <CopyAs
          path={`/api/v1/org/${org}/ws/${workspace}/traces/${trace_id}/spans`}
          query={{ limit: 200 }}
          code={`await drydock.traces.listSpans(${JSON.stringify(where)}, { limit: 200 })`}
        />
      </div>
    </div>
  );
}

interface SpanToolbarProps {
  readonly tree: SpanTree;
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
  readonly q: string;
  readonly onQueryChange: (q: string) => void;
}

function SpanToolbar({ tree, selected, onSelect, q, onQueryChange }: SpanToolbarProps) {
  const needle = q.toLowerCase();
  const isHit = ({ name, model, id, type }: SpanNode) =>
    [name, model ?? '', id, type].some((text) => text.toLowerCase().includes(needle));
  const { version } = tree;
  // The errors are counted again as more spans are read.
  const counts = useMemo(
    () => ({ hits: needle === '' ? 0 : tree.count(isHit), errors: tree.count(({ isError }) => isError) }),
    [tree, version, needle],
  );
  const step = (direction: 1 | -1, isMatch: (node: SpanNode) => boolean) => {
    const node = tree.find(selected, direction, isMatch);
    if (node) onSelect(node.id);
  };
  return (
    <div className={styles['bar']} role="search">
      <TextInput
        size="xs"
        w={220}
        leftSection={<IconSearch size={14} />}
        placeholder="Name, type, model or ID"
        aria-label="Search spans"
        value={q}
        onChange={(event) => onQueryChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && q !== '') step(event.shiftKey ? -1 : 1, isHit);
        }}
      />
      {q !== '' && (
        <>
          <HitButtons isDisabled={counts.hits === 0} onStep={(direction) => step(direction, isHit)} />
          <Text size="xs" c="dimmed" role="status">
            {formatCountOf(counts.hits, 'span')}
          </Text>
        </>
      )}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconAlertTriangle size={14} />}
        disabled={counts.errors === 0}
        onClick={() => step(1, ({ isError }) => isError)}
      >
        Next error ({formatCount(counts.errors)})
      </Button>
      <TreeControls tree={tree} />
    </div>
  );
}

/** How many spans are loaded, and the buttons that load more and that collapse or expand the tree. */
function TreeControls({ tree }: { readonly tree: SpanTree }) {
  return (
    <>
      <Text size="xs" c="dimmed" ml="auto">
        {formatCountOf(tree.nodes.size, 'span')}
        {tree.isDone ? '' : ' loaded'}
      </Text>
      {!tree.isDone && !tree.hasMore && tree.error === undefined && <Loader size={12} />}
      {tree.hasMore && (
        <Button size="xs" variant="default" onClick={() => tree.loadMore()}>
          Load more
        </Button>
      )}
      <Tooltip label="Collapse all">
        <ActionIcon variant="default" aria-label="Collapse all" onClick={() => tree.collapseAll()}>
          <IconFold size={14} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Expand all">
        <ActionIcon variant="default" aria-label="Expand all" onClick={() => tree.expandAll()}>
          <IconFoldDown size={14} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}
