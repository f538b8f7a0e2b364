/** One assessment, as it happens: report, findings, trials, settings. */
import { Box, Loader, Stack, Tabs } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ErrorNotice, replacesPage } from '../components/error-notice.tsx';
import { useWhere } from '../frame/scope.ts';
import { FindingQueue } from './findings/finding-queue.tsx';
import { useLiveAssessment } from './live.tsx';
import { analyticsQuery, assessmentQuery } from './queries.ts';
import { AssessmentHeader } from './report/header.tsx';
import { ReportTab } from './report/report-tab.tsx';
import { SettingsTab } from './report/settings-tab.tsx';
import { TrialsTab } from './report/trials-tab.tsx';
import type { AssessmentSearch, AssessmentTab, FindingListSearch } from './search.ts';
import { hasEnded } from './states.ts';

const route = getRouteApi('/o/$org/w/$workspace/red-team/$assessmentId');

const TABS: readonly (readonly [AssessmentTab, string])[] = [
  ['report', 'Report'],
  ['findings', 'Findings'],
  ['trials', 'Trials'],
  ['settings', 'Settings'],
];

/** Each tab has its own filters. */
const NO_FILTERS: Readonly<Record<keyof AssessmentSearch, undefined>> = {
  tab: undefined,
  severity: undefined,
  status: undefined,
  type: undefined,
  category: undefined,
  attack: undefined,
  search: undefined,
  sort: undefined,
  dir: undefined,
  page: undefined,
  finding: undefined,
  trial: undefined,
  min_score: undefined,
};

export function AssessmentPage() {
  const where = useWhere();
  const { assessmentId } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const assessmentRef = { ...where, assessment_id: assessmentId };
  const { data: assessment, error, refetch } = useQuery(assessmentQuery(assessmentRef));
  const analytics = useQuery({ ...analyticsQuery(assessmentRef), enabled: assessment !== undefined });
  useLiveAssessment(where, assessmentId, assessment !== undefined && !hasEnded(assessment.status));
  useDocumentTitle(assessment ? `${assessment.name} · Drydock` : 'Red team · Drydock');
  const go = (next: AssessmentSearch, options?: { readonly replace: boolean }) =>
    void navigate({
      to: '/o/$org/w/$workspace/red-team/$assessmentId',
      params: { ...where, assessmentId },
      search: { ...search, ...next },
      resetScroll: false,
      ...options,
    });
  const showFindings = (filters: FindingListSearch) => go({ ...NO_FILTERS, ...filters, tab: 'findings' });
  // The part that is read first notices that the assessment was deleted.
  const missing = [error, analytics.error].find((one) => replacesPage(one, assessment && analytics.data));
  if (missing)
    return (
      <ErrorNotice
        error={missing}
        onRetry={() => void refetch()}
        backTo={`/o/${where.org}/w/${where.workspace}/red-team`}
        backLabel="the assessments"
      />
    );
  if (!assessment) return <Loader size="sm" m="md" aria-label="Loading" />;
  const panels: Readonly<Record<AssessmentTab, ReactNode>> = {
    report: <ReportTab assessment={assessment} analytics={analytics.data} onShowFindings={showFindings} />,
    findings: <FindingQueue scope={assessmentRef} analytics={analytics.data} search={search} onChange={go} />,
    trials: (
      <TrialsTab assessmentRef={assessmentRef} analytics={analytics.data} search={search} onChange={go} />
    ),
    settings: <SettingsTab assessment={assessment} />,
  };
  const tab = search.tab ?? 'report';
  return (
    <Box p="md">
      <Stack gap="md">
        <AssessmentHeader assessment={assessment} />
        <AssessmentTabs
          tab={tab}
          panels={panels}
          onChange={(next) => {
            go({ ...NO_FILTERS, tab: next === 'report' ? undefined : next });
            // No event reports the deletion of an assessment that has ended.
            void refetch();
          }}
        />
      </Stack>
    </Box>
  );
}

interface AssessmentTabsProps {
  readonly tab: AssessmentTab;
  readonly panels: Readonly<Record<AssessmentTab, ReactNode>>;
  readonly onChange: (tab: AssessmentTab) => void;
}

function AssessmentTabs({ tab, panels, onChange }: AssessmentTabsProps) {
  return (
    <Tabs value={tab} onChange={(next) => onChange(next as AssessmentTab)} keepMounted={false}>
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
