/** One training job, as it happens: curves, checkpoints, log, settings, lineage. */
import { Box, Loader, Stack, Tabs } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ErrorNotice, replacesPage } from '../components/error-notice.tsx';
import { useWhere } from '../frame/scope.ts';
import { CurvesTab } from './curves/curves-tab.tsx';
import { CheckpointsTab } from './job/checkpoints-tab.tsx';
import { ConfigTab } from './job/config-tab.tsx';
import { JobHeader } from './job/header.tsx';
import { LineageTab } from './job/lineage-tab.tsx';
import { LogTab } from './job/log-tab.tsx';
import { useLiveJob } from './live.tsx';
import { jobQuery } from './queries.ts';
import type { TrainingSearch, TrainingTab } from './search.ts';
import { hasEnded, nameOf } from './states.ts';

const route = getRouteApi('/o/$org/w/$workspace/training/$jobId');

const TABS: readonly (readonly [TrainingTab, string])[] = [
  ['curves', 'Curves'],
  ['checkpoints', 'Checkpoints'],
  ['log', 'Log'],
  ['config', 'Config'],
  ['lineage', 'Lineage'],
];

export function TrainingJobPage() {
  const where = useWhere();
  const { jobId } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const jobRef = { ...where, job_id: jobId };
  const { data: job, error, refetch } = useQuery(jobQuery(jobRef));
  useLiveJob(where, jobId, job !== undefined && !hasEnded(job.status));
  useDocumentTitle(job ? `${nameOf(job)} · Drydock` : 'Training · Drydock');
  const change = (next: TrainingSearch, options?: { readonly replace: boolean }) =>
    void navigate({
      to: '/o/$org/w/$workspace/training/$jobId',
      params: { ...where, jobId },
      search: { ...search, ...next },
      resetScroll: false,
      ...options,
    });
  if (replacesPage(error, job))
    return (
      <ErrorNotice
        error={error}
        onRetry={() => void refetch()}
        backTo={`/o/${where.org}/w/${where.workspace}/training`}
        backLabel="the training jobs"
      />
    );
  if (!job) return <Loader size="sm" m="md" aria-label="Loading" />;
  const shared = { job, jobRef, search, onChange: change };
  // The tabs of another job start from their initial state.
  const panels: Readonly<Record<TrainingTab, ReactNode>> = {
    curves: <CurvesTab key={jobId} {...shared} />,
    checkpoints: <CheckpointsTab key={jobId} {...shared} />,
    log: <LogTab key={jobId} {...shared} />,
    config: <ConfigTab key={jobId} {...shared} />,
    lineage: <LineageTab key={jobId} {...shared} />,
  };
  const tab = search.tab ?? 'curves';
  return (
    <Box p="md">
      <Stack gap="md">
        <JobHeader job={job} jobRef={jobRef} />
        <Tabs
          value={tab}
          onChange={(next) => change({ tab: next === 'curves' ? undefined : (next as TrainingTab) })}
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
            {panels[tab]}
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Box>
  );
}
