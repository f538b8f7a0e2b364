/** The first page of a workspace: first steps, running jobs, open findings, latest evaluations and sessions, spend of this month. */
import type { InWorkspace } from '@drydock/sdk';
import { Box, Group, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import { drydock } from '../api/client.ts';
import { CopyAs } from '../components/copy-as.tsx';
import { formatAgo, formatCompact, formatCount, formatPercent, formatUsd } from '../components/format.ts';
import { AnchorLink } from '../components/links.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { Figure, ProgressCell, StatusBadge } from '../evaluations/figures.tsx';
import { FollowEvaluations } from '../evaluations/live.tsx';
import { evaluationListQuery } from '../evaluations/queries.ts';
import { hasEnded } from '../evaluations/states.ts';
import { useProject, useProjectId, useWhere } from '../frame/scope.ts';
import { BudgetCell, JobBadge } from '../optimization/figures.tsx';
import { FollowJobs } from '../optimization/live.tsx';
import { jobListQuery } from '../optimization/queries.ts';
import { hasEnded as hasJobEnded, nameOf } from '../optimization/states.ts';
import { AssessmentBadge, FindingProgress } from '../red-team/figures.tsx';
import { FollowAssessments } from '../red-team/live.tsx';
import { assessmentListQuery } from '../red-team/queries.ts';
import { titleOf } from '../sessions/session-title.ts';
import { jobListQuery as trainingListQuery } from '../training/list-query.ts';
import { hasEnded as hasTrainingEnded } from '../training/states.ts';
import { Checklist } from './checklist.tsx';
import { OpenFindings } from './open-findings.tsx';

const SHOWN = 6;

/** Loaded when a training job runs: the first load of this page has a limit. */
const RunningTraining = lazy(() => import('../training/running-training.tsx'));

export function OverviewPage() {
  const where = useWhere();
  return (
    <Box p="md">
      <Group justify="space-between" mb="md">
        <Title order={1} size="h3">
          Overview
        </Title>
        <CopyAs
          path={`/api/v1/org/${where.org}/ws/${where.workspace}/evaluations`}
          query={{ page_size: SHOWN }}
          code={`await drydock.evaluations.list(${JSON.stringify(where)}, { page_size: ${SHOWN} })`}
        />
      </Group>
      <Stack gap="md">
        <Checklist where={where} />
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
          <RunningNow where={where} />
          <OpenFindings where={where} />
          <LatestEvaluations where={where} />
          <LatestSessions where={where} />
          <Spend org={where.org} />
        </SimpleGrid>
      </Stack>
    </Box>
  );
}

const Nothing = ({ children }: { readonly children: ReactNode }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
);

/** The newest evaluations of the workspace, or of the project that the frame shows. */
function useLatestEvaluations(where: InWorkspace, filters: { readonly status?: 'running' } = {}) {
  const { projectId, isReady } = useProjectId();
  return useQuery({
    ...evaluationListQuery(where, {
      ...filters,
      page_size: SHOWN,
      ...(projectId && { project_id: projectId }),
    }),
    enabled: isReady,
  });
}

function useRunningTrainings(where: InWorkspace) {
  const project = useProject();
  const { data } = useQuery(
    trainingListQuery(where, {
      status: 'running',
      page_size: SHOWN,
      ...(project && { project_ref: project }),
    }),
  );
  return data?.items.filter(({ status }) => !hasTrainingEnded(status));
}

function RunningNow({ where }: { readonly where: InWorkspace }) {
  const { data } = useLatestEvaluations(where, { status: 'running' });
  // An event marks an evaluation as ended in the list that was read; it is then left out.
  const running = (data?.items ?? []).filter(({ status }) => !hasEnded(status));
  const project = useProject();
  const { data: listed } = useQuery(
    jobListQuery(where, { status: 'running', page_size: SHOWN, ...(project && { project }) }),
  );
  const { projectId, isReady } = useProjectId();
  const { data: attacks } = useQuery({
    ...assessmentListQuery(where, {
      status: 'running',
      page_size: SHOWN,
      ...(projectId && { project_id: projectId }),
    }),
    enabled: isReady,
  });
  const assessments = (attacks?.items ?? []).filter(({ status }) => status === 'running');
  const jobs = (listed?.items ?? []).filter(({ status }) => !hasJobEnded(status));
  const trainings = useRunningTrainings(where);
  const isRead = data && listed && attacks && trainings;
  return (
    <SectionCard title="Running now">
      {isRead && running.length + jobs.length + assessments.length + trainings.length === 0 && (
        <Nothing>No jobs are running.</Nothing>
      )}
      <Stack gap="sm">
        {running.map((evaluation) => (
          <div key={evaluation.id}>
            <Group justify="space-between" wrap="nowrap" mb={4}>
              <EvaluationLink where={where} id={evaluation.id} name={evaluation.name} />
              <StatusBadge status={evaluation.status} />
            </Group>
            <ProgressCell evaluation={evaluation} />
          </div>
        ))}
        {assessments.map((assessment) => (
          <div key={assessment.id}>
            <Group justify="space-between" wrap="nowrap" mb={4}>
              <AnchorLink
                to="/o/$org/w/$workspace/red-team/$assessmentId"
                params={{ ...where, assessmentId: assessment.id }}
                size="sm"
                className="user-text"
              >
                {assessment.name}
              </AnchorLink>
              <AssessmentBadge assessment={assessment} />
            </Group>
            <FindingProgress assessment={assessment} />
          </div>
        ))}
        {jobs.map((job) => (
          <div key={job.id}>
            <Group justify="space-between" wrap="nowrap" mb={4}>
              <AnchorLink
                to="/o/$org/w/$workspace/optimization/$jobId"
                params={{ ...where, jobId: job.id }}
                size="sm"
                className="user-text"
              >
                {nameOf(job)}
              </AnchorLink>
              <JobBadge status={job.status} />
            </Group>
            <BudgetCell job={job} />
          </div>
        ))}
        {trainings && trainings.length > 0 && (
          <Suspense>
            <RunningTraining where={where} jobs={trainings} />
          </Suspense>
        )}
      </Stack>
      <FollowEvaluations where={where} evaluations={running} />
      <FollowAssessments where={where} assessments={assessments} />
      <FollowJobs where={where} jobs={jobs} />
    </SectionCard>
  );
}

function EvaluationLink({
  where,
  id,
  name,
}: {
  readonly where: InWorkspace;
  readonly id: string;
  readonly name: string;
}) {
  return (
    <AnchorLink
      to="/o/$org/w/$workspace/evaluations/$evaluationId"
      params={{ ...where, evaluationId: id }}
      size="sm"
      className="user-text"
    >
      {name}
    </AnchorLink>
  );
}

function LatestEvaluations({ where }: { readonly where: InWorkspace }) {
  const { data } = useLatestEvaluations(where);
  return (
    <SectionCard
      title="Latest evaluations"
      aside={
        <AnchorLink to="/o/$org/w/$workspace/evaluations" params={where} size="xs">
          All evaluations
        </AnchorLink>
      }
    >
      {data?.items.length === 0 && <Nothing>No evaluations yet.</Nothing>}
      {data && data.items.length > 0 && (
        <Table aria-label="Latest evaluations" verticalSpacing={5} horizontalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Status</Table.Th>
              <Table.Th ta="right">Pass rate</Table.Th>
              <Table.Th>When</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.items.map(({ id, name, status, pass_rate, created_at }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <EvaluationLink where={where} id={id} name={name} />
                </Table.Td>
                <Table.Td>
                  <StatusBadge status={status} />
                </Table.Td>
                <Table.Td ta="right">{formatPercent(pass_rate)}</Table.Td>
                <Table.Td>{formatAgo(created_at)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </SectionCard>
  );
}

function LatestSessions({ where }: { readonly where: InWorkspace }) {
  const { projectId, isReady } = useProjectId();
  const { data } = useQuery({
    queryKey: ['latest-sessions', where, projectId],
    queryFn: async ({ signal }) =>
      drydock.sessions.list(
        where,
        { limit: SHOWN, include_workload_sessions: true, ...(projectId && { project_id: [projectId] }) },
        { signal },
      ),
    enabled: isReady,
  });
  return (
    <SectionCard
      title="Latest sessions"
      aside={
        <AnchorLink to="/o/$org/w/$workspace/sessions" params={where} size="xs">
          All sessions
        </AnchorLink>
      }
    >
      {data?.sessions.length === 0 && <Nothing>No sessions yet.</Nothing>}
      {data && data.sessions.length > 0 && (
        <Table aria-label="Latest sessions" verticalSpacing={5} horizontalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Title</Table.Th>
              <Table.Th>Model</Table.Th>
              <Table.Th ta="right">Messages</Table.Th>
              <Table.Th>When</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.sessions.map(({ id, title, preview_text, model, message_count, created_at }) => (
              <Table.Tr key={id}>
                <Table.Td maw={260}>
                  <AnchorLink
                    to="/o/$org/w/$workspace/sessions/$sessionId"
                    params={{ ...where, sessionId: id }}
                    size="sm"
                    truncate
                    display="block"
                  >
                    {titleOf({ id, title, preview_text })}
                  </AnchorLink>
                </Table.Td>
                <Table.Td>{model}</Table.Td>
                <Table.Td ta="right">{formatCount(message_count)}</Table.Td>
                <Table.Td>{formatAgo(created_at)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </SectionCard>
  );
}

/** What the user spent. Only admins may read what the whole organization spent. */
function Spend({ org }: { readonly org: string }) {
  const usage = useQuery({
    queryKey: ['inference-usage', org],
    queryFn: async ({ signal }) => drydock.credits.getInferenceUsage({ org }, undefined, { signal }),
    staleTime: 60_000,
  });
  const credits = useQuery({
    queryKey: ['credits', org],
    queryFn: async ({ signal }) => drydock.credits.get({ org }, { signal }),
    staleTime: 60_000,
  });
  const { data } = usage;
  const top = (data?.models ?? []).toSorted((a, b) => b.cost_usd - a.cost_usd).slice(0, 3);
  return (
    <SectionCard title="Your spend this month">
      {data && (
        <Stack gap="sm">
          <SimpleGrid cols={4} spacing="sm">
            <Figure label="Models">{formatUsd(data.total_cost_usd)}</Figure>
            <Figure label="Calls">{formatCount(data.total_request_count)}</Figure>
            <Figure label="Tokens">
              {formatCompact(data.total_input_tokens + data.total_output_tokens)}
            </Figure>
            {credits.data && (
              <Figure label="Credits">
                {credits.data.mode === 'unlimited' ? 'unlimited' : formatCompact(credits.data.available)}
              </Figure>
            )}
          </SimpleGrid>
          {top.map(({ model, cost_usd, request_count }) => (
            <Group key={model} justify="space-between" wrap="nowrap">
              <Text size="sm" className="user-text">
                {model}
              </Text>
              <Text size="sm" c="dimmed">
                {formatCount(request_count)} calls, {formatUsd(cost_usd)}
              </Text>
            </Group>
          ))}
          {data.total_request_count === 0 && <Nothing>No model calls this month.</Nothing>}
        </Stack>
      )}
    </SectionCard>
  );
}
