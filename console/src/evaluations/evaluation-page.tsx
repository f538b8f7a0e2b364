/** One evaluation, as it happens: progress, results, samples, analytics. */
import { Box, Loader, Stack, Tabs } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { ErrorNotice, replacesPage } from '../components/error-notice.tsx';
import { useWhere } from '../frame/scope.ts';
import { Analytics } from './evaluation/analytics.tsx';
import { EvaluationHeader } from './evaluation/header.tsx';
import { LogPanel } from './evaluation/log-panel.tsx';
import { Samples } from './evaluation/samples.tsx';
import { useLiveEvaluation } from './live.tsx';
import { analyticsQuery, evaluationQuery } from './queries.ts';
import type { EvaluationSearch } from './search.ts';
import { hasEnded } from './states.ts';

const route = getRouteApi('/o/$org/w/$workspace/evaluations/$evaluationId');

export function EvaluationPage() {
  const where = useWhere();
  const { evaluationId } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const evaluationRef = { ...where, evaluation_id: evaluationId };
  const { data: evaluation, error, refetch } = useQuery(evaluationQuery(evaluationRef));
  const { data: analytics } = useQuery({
    ...analyticsQuery(evaluationRef),
    enabled: evaluation !== undefined,
  });
  useLiveEvaluation(where, evaluationId, evaluation !== undefined && !hasEnded(evaluation.status));
  useDocumentTitle(evaluation ? `${evaluation.name} · Drydock` : 'Evaluation · Drydock');
  const change = (next: EvaluationSearch, options?: { readonly replace: boolean }) =>
    void navigate({
      to: '/o/$org/w/$workspace/evaluations/$evaluationId',
      params: { ...where, evaluationId },
      search: { ...search, ...next },
      ...options,
    });
  if (replacesPage(error, evaluation))
    return (
      <ErrorNotice
        error={error}
        onRetry={() => void refetch()}
        backTo={`/o/${where.org}/w/${where.workspace}/evaluations`}
        backLabel="the evaluations"
      />
    );
  if (!evaluation) return <Loader size="sm" m="md" aria-label="Loading" />;
  const tab = search.tab ?? 'samples';
  return (
    <Box p="md">
      <Stack gap="md">
        <EvaluationHeader evaluation={evaluation} analytics={analytics} />
        <Tabs
          value={tab}
          onChange={(next) =>
            change({ tab: next === 'samples' ? undefined : (next as EvaluationSearch['tab']) })
          }
          keepMounted={false}
        >
          <Tabs.List>
            <Tabs.Tab value="samples">Samples</Tabs.Tab>
            <Tabs.Tab value="analytics">Analytics</Tabs.Tab>
            <Tabs.Tab value="log">Log</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="samples" pt="sm">
            <Samples evaluation={evaluation} search={search} onChange={change} />
          </Tabs.Panel>
          <Tabs.Panel value="analytics" pt="md">
            {analytics ? <Analytics analytics={analytics} /> : <Loader size="sm" aria-label="Loading" />}
          </Tabs.Panel>
          <Tabs.Panel value="log" pt="sm">
            <LogPanel evaluationId={evaluationId} />
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Box>
  );
}
