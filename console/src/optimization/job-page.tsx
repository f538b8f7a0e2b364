/** One optimization job, as it happens: progress, candidates, proposals, heat map. */
import { Box, Loader, Stack, Tabs } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { ErrorNotice, replacesPage } from '../components/error-notice.tsx';
import { useWhere } from '../frame/scope.ts';
import { CandidatesTab } from './job/candidates-tab.tsx';
import { JobHeader } from './job/header.tsx';
import { HeatMap } from './job/heat-map.tsx';
import { LogTab } from './job/log-tab.tsx';
import { ProgressTab } from './job/progress-tab.tsx';
import { PromoteDialog } from './job/promote-dialog.tsx';
import { ProposalsTab } from './job/proposals-tab.tsx';
import { SettingsTab } from './job/settings-tab.tsx';
import { useLiveJob } from './live.tsx';
import { candidatesQuery, jobQuery } from './queries.ts';
import type { JobSearch, JobTab } from './search.ts';
import { hasEnded, nameOf } from './states.ts';

const route = getRouteApi('/o/$org/w/$workspace/optimization/$jobId');

const TABS: readonly (readonly [JobTab, string])[] = [
  ['progress', 'Progress'],
  ['candidates', 'Candidates'],
  ['proposals', 'Proposals'],
  ['heat-map', 'Heat map'],
  ['settings', 'Settings'],
  ['log', 'Log'],
];

export function JobPage() {
  const where = useWhere();
  const { jobId } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const jobRef = { ...where, job_id: jobId };
  const { data: job, error, refetch } = useQuery(jobQuery(jobRef));
  const { data: candidates = [] } = useQuery({ ...candidatesQuery(jobRef), enabled: job !== undefined });
  const [promoted, setPromoted] = useState<number>();
  useLiveJob(where, jobId, job !== undefined && !hasEnded(job.status));
  useDocumentTitle(job ? `${nameOf(job)} · Drydock` : 'Optimization · Drydock');
  const change = (next: JobSearch, options?: { readonly replace: boolean }) =>
    void navigate({
      to: '/o/$org/w/$workspace/optimization/$jobId',
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
        backTo={`/o/${where.org}/w/${where.workspace}/optimization`}
        backLabel="the optimization jobs"
      />
    );
  if (!job) return <Loader size="sm" m="md" aria-label="Loading" />;
  const best = job.summary.metadata.best_index ?? 0;
  const shared = { job, jobRef, candidates, search, onChange: change };
  const panels: Readonly<Record<JobTab, ReactNode>> = {
    progress: <ProgressTab {...shared} selected={search.candidate} />,
    candidates: <CandidatesTab {...shared} onPromote={setPromoted} />,
    proposals: <ProposalsTab {...shared} />,
    'heat-map': <HeatMap {...shared} />,
    settings: <SettingsTab job={job} />,
    log: <LogTab jobRef={jobRef} />,
  };
  return (
    <Box p="md">
      <Stack gap="md">
        <JobHeader job={job} onPromote={() => setPromoted(search.candidate ?? best)} />
        <JobTabs
          tab={search.tab ?? 'progress'}
          panels={panels}
          onChange={(tab) => change({ tab: tab === 'progress' ? undefined : tab, page: undefined })}
        />
      </Stack>
      {promoted !== undefined && (
        <PromoteDialog
          job={job}
          candidates={candidates}
          initial={promoted}
          onClose={() => setPromoted(undefined)}
        />
      )}
    </Box>
  );
}

interface JobTabsProps {
  readonly tab: JobTab;
  readonly panels: Readonly<Record<JobTab, ReactNode>>;
  readonly onChange: (tab: JobTab) => void;
}

function JobTabs({ tab, panels, onChange }: JobTabsProps) {
  return (
    <Tabs value={tab} onChange={(next) => onChange(next as JobTab)} keepMounted={false}>
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
  );
}
