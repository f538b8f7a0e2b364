/** One sample: why it passed or failed, what the agent did, and how that was verified. */
import type { EvaluationItem, OneItem, TaskDetail } from '@drydock/sdk';
import { Box, Loader, Stack, Tabs, Text } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { drydock } from '../api/client.ts';
import { ErrorNotice, replacesPage } from '../components/error-notice.tsx';
import { useWhere } from '../frame/scope.ts';
import { Conversation } from '../sessions/conversation/conversation.tsx';
import { useLiveEvaluation } from './live.tsx';
import { itemQuery } from './queries.ts';
import { AttemptsTab } from './sample/attempts-tab.tsx';
import { SampleHeader } from './sample/sample-header.tsx';
import { SandboxTab } from './sample/sandbox-tab.tsx';
import { ScoresTab } from './sample/scores-tab.tsx';
import { VerificationTab } from './sample/verification-tab.tsx';
import type { SampleSearch } from './search.ts';
import { hasItemEnded, toTaskLabel } from './states.ts';

const route = getRouteApi('/o/$org/w/$workspace/evaluations/$evaluationId/samples/$itemId');

export function SamplePage() {
  const where = useWhere();
  const { evaluationId, itemId } = route.useParams();
  const itemRef = { ...where, evaluation_id: evaluationId, item_id: itemId };
  const { data: item, error, refetch } = useQuery(itemQuery(itemRef));
  const isLive = item !== undefined && !hasItemEnded(item.item_status);
  useLiveEvaluation(where, evaluationId, isLive);
  useDocumentTitle(item ? `${toTaskLabel(item)}, sample ${item.sample} · Drydock` : 'Sample · Drydock');
  if (replacesPage(error, item))
    return (
      <ErrorNotice
        error={error}
        onRetry={() => void refetch()}
        backTo={`/o/${where.org}/w/${where.workspace}/evaluations`}
        backLabel="the evaluations"
      />
    );
  if (!item) return <Loader size="sm" m="md" aria-label="Loading" />;
  return <Sample key={item.id} item={item} itemRef={itemRef} isLive={isLive} />;
}

interface SampleProps {
  readonly item: EvaluationItem;
  readonly itemRef: OneItem;
  readonly isLive: boolean;
}

function Sample({ item, itemRef, isLive }: SampleProps) {
  const search = route.useSearch();
  const navigate = useNavigate();
  const task = useTask(itemRef.org, item);
  const change = (next: SampleSearch) =>
    void navigate({
      to: '/o/$org/w/$workspace/evaluations/$evaluationId/samples/$itemId',
      params: {
        org: itemRef.org,
        workspace: itemRef.workspace,
        evaluationId: itemRef.evaluation_id,
        itemId: item.id,
      },
      search: { ...search, ...next },
      replace: true,
    });
  return (
    <Box p="md">
      <Stack gap="md">
        <SampleHeader item={item} itemRef={itemRef} task={task} />
        <Tabs
          value={search.tab ?? 'transcript'}
          onChange={(tab) => change({ tab: tab === 'transcript' ? undefined : (tab as SampleSearch['tab']) })}
          keepMounted={false}
        >
          <Tabs.List>
            <Tabs.Tab value="transcript">Transcript</Tabs.Tab>
            <Tabs.Tab value="verification">Verification</Tabs.Tab>
            <Tabs.Tab value="scores">Scores</Tabs.Tab>
            <Tabs.Tab value="sandbox">Sandbox</Tabs.Tab>
            <Tabs.Tab value="attempts">Attempts</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="transcript" pt="sm">
            <TranscriptTab
              item={item}
              itemRef={itemRef}
              isLive={isLive}
              q={search.q}
              onQueryChange={(q) => change({ q })}
            />
          </Tabs.Panel>
          <Tabs.Panel value="verification" pt="sm">
            <VerificationTab item={item} org={itemRef.org} task={task} />
          </Tabs.Panel>
          <Tabs.Panel value="scores" pt="sm">
            <ScoresTab item={item} />
          </Tabs.Panel>
          <Tabs.Panel value="sandbox" pt="sm">
            <SandboxTab item={item} itemRef={itemRef} />
          </Tabs.Panel>
          <Tabs.Panel value="attempts" pt="sm">
            <AttemptsTab itemRef={itemRef} />
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Box>
  );
}

/** The task adds details that the page can do without: it may have been deleted, or be hidden from this user. */
function useTask(org: string, { task_name, task_version }: EvaluationItem): TaskDetail | undefined {
  const { data } = useQuery({
    queryKey: ['task', org, task_name, task_version],
    queryFn: async ({ signal }) =>
      drydock.tasks.getVersion({ org, name: task_name ?? '', version: task_version ?? '' }, { signal }),
    enabled: task_name !== null && task_version !== null,
    staleTime: Infinity,
  });
  return data;
}

interface TranscriptTabProps extends SampleProps {
  readonly q: string | undefined;
  readonly onQueryChange: (q: string) => void;
}

function TranscriptTab({ item, itemRef, isLive, q, onQueryChange }: TranscriptTabProps) {
  if (item.session_id === null)
    return (
      <Text size="sm" c="dimmed">
        The transcript begins when the agent starts.
      </Text>
    );
  // A conversation scrolls by itself. It fills the window once the page is scrolled to its tabs.
  return (
    <Box h="max(480px, calc(100dvh - 130px))">
      <Conversation
        where={{ org: itemRef.org, workspace: itemRef.workspace, session_id: item.session_id }}
        isLive={isLive}
        q={q}
        onQueryChange={onQueryChange}
      />
    </Box>
  );
}
