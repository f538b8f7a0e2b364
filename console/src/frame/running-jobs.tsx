/** The running evaluations, assessments, optimization and training jobs with their progress, which follows their events. */
import type {
  AssessmentResponse,
  EvaluationResponse,
  OptimizationJobResponse,
  TrainingJobResponse,
} from '@drydock/sdk';
import { Badge, Button, Popover, Progress, Stack, Text } from '@mantine/core';
import { useThrottledCallback } from '@mantine/hooks';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { drydock } from '../api/client.ts';
import { useLiveEvents } from '../api/live-events.ts';
import { formatCount } from '../components/format.ts';
import { AnchorLink } from '../components/links.tsx';
import { countEnded } from '../evaluations/states.ts';
import { nameOf } from '../optimization/states.ts';
import { nameOf as nameOfTraining, totalStepsOf } from '../training/states.ts';
import { useWhere } from './scope.ts';

const MAX_SHOWN = 5;
const REFRESH_MS = 1_000;

export const RUNNING_KEY = 'running-jobs';

export function RunningJobs() {
  const where = useWhere();
  const { data, refetch } = useQuery({
    queryKey: [RUNNING_KEY, where],
    queryFn: async ({ signal }) => {
      const read = async (status: 'queued' | 'running') => {
        const filters = { status, page_size: MAX_SHOWN };
        const [evaluations, optimizations, trainings] = await Promise.all([
          drydock.evaluations.list(where, filters, { signal }),
          drydock.optimization.list(where, filters, { signal }),
          drydock.training.list(where, filters, { signal }),
        ]);
        return { evaluations, optimizations, trainings };
      };
      const [running, queued, assessments] = await Promise.all([
        read('running'),
        read('queued'),
        drydock.assessments.list(where, { status: 'running', page_size: MAX_SHOWN }, { signal }),
      ]);
      const all = [assessments, ...Object.values(running), ...Object.values(queued)];
      return {
        assessments: assessments.items,
        total: all.reduce((sum, { total }) => sum + total, 0),
        evaluations: [...running.evaluations.items, ...queued.evaluations.items].slice(0, MAX_SHOWN),
        optimizations: [...running.optimizations.items, ...queued.optimizations.items].slice(0, MAX_SHOWN),
        trainings: [...running.trainings.items, ...queued.trainings.items].slice(0, MAX_SHOWN),
      };
    },
  });
  // No event stream announces new jobs, so the list is read again on each page change and when the window gets the focus.
  const { pathname } = useLocation();
  useEffect(() => void refetch(), [pathname, refetch]);
  const { evaluations = [], assessments = [], optimizations = [], trainings = [] } = data ?? {};
  const total = data?.total ?? 0;
  return (
    <Popover position="bottom-end" width={320} withArrow>
      <Popover.Target>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlayerPlay size={14} />}
          aria-label={`Running jobs: ${total}`}
          visibleFrom="xs"
        >
          <Badge size="sm" variant={total > 0 ? 'filled' : 'default'} circle={total < 10}>
            {total}
          </Badge>
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        {total === 0 && <Text size="sm">No jobs are running.</Text>}
        <Stack gap="sm">
          {evaluations.map((evaluation) => (
            <RunningEvaluation key={evaluation.id} evaluation={evaluation} />
          ))}
          {assessments.map((assessment) => (
            <RunningAssessment key={assessment.id} assessment={assessment} />
          ))}
          {optimizations.map((job) => (
            <RunningOptimization key={job.id} job={job} />
          ))}
          {trainings.map((job) => (
            <RunningTraining key={job.id} job={job} />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** @returns a function that reads the running jobs again, at most once a second */
function useRefresh(): () => void {
  const queries = useQueryClient();
  return useThrottledCallback(() => void queries.invalidateQueries({ queryKey: [RUNNING_KEY] }), REFRESH_MS);
}

function RunningEvaluation({ evaluation }: { readonly evaluation: EvaluationResponse }) {
  const where = useWhere();
  const { id, name, total_samples, item_counts } = evaluation;
  useLiveEvents({
    name: `evaluations/${id}`,
    open: (options) => drydock.evaluations.events({ ...where, evaluation_id: id }, options),
    onEvent: useRefresh(),
    onStart: () => undefined,
  });
  return (
    <div>
      <AnchorLink
        to="/o/$org/w/$workspace/evaluations/$evaluationId"
        params={{ ...where, evaluationId: id }}
        size="sm"
        className="user-text"
      >
        {name}
      </AnchorLink>
      <JobProgress name={name} done={countEnded(item_counts)} total={total_samples} unit="samples" />
    </div>
  );
}

function RunningAssessment({ assessment }: { readonly assessment: AssessmentResponse }) {
  const where = useWhere();
  const { id, name, progress } = assessment;
  useLiveEvents({
    name: `assessments/${id}`,
    open: (options) => drydock.assessments.events({ ...where, assessment_id: id }, options),
    onEvent: useRefresh(),
    onStart: () => undefined,
  });
  return (
    <div>
      <AnchorLink
        to="/o/$org/w/$workspace/red-team/$assessmentId"
        params={{ ...where, assessmentId: id }}
        size="sm"
        className="user-text"
      >
        {name}
      </AnchorLink>
      <JobProgress name={name} done={progress.completed_findings} total={progress.findings} unit="findings" />
    </div>
  );
}

function RunningOptimization({ job }: { readonly job: OptimizationJobResponse }) {
  const where = useWhere();
  const { metric_calls_used, metric_calls_limit } = job.summary.metadata.budget;
  useLiveEvents({
    name: `optimization-jobs/${job.id}`,
    open: (options) => drydock.optimization.events({ ...where, job_id: job.id }, options),
    onEvent: useRefresh(),
    onStart: () => undefined,
  });
  return (
    <div>
      <AnchorLink
        to="/o/$org/w/$workspace/optimization/$jobId"
        params={{ ...where, jobId: job.id }}
        size="sm"
        className="user-text"
      >
        {nameOf(job)}
      </AnchorLink>
      <JobProgress
        name={nameOf(job)}
        done={metric_calls_used}
        total={metric_calls_limit}
        unit="metric calls"
      />
    </div>
  );
}

function RunningTraining({ job }: { readonly job: TrainingJobResponse }) {
  const where = useWhere();
  const name = nameOfTraining(job);
  useLiveEvents({
    name: `training-jobs/${job.id}`,
    open: (options) => drydock.training.events({ ...where, job_id: job.id }, options),
    onEvent: useRefresh(),
    onStart: () => undefined,
  });
  return (
    <div>
      <AnchorLink
        to="/o/$org/w/$workspace/training/$jobId"
        params={{ ...where, jobId: job.id }}
        size="sm"
        className="user-text"
      >
        {name}
      </AnchorLink>
      <JobProgress name={name} done={job.step} total={totalStepsOf(job) ?? null} unit="steps" />
    </div>
  );
}

interface JobProgressProps {
  readonly name: string;
  readonly done: number;
  /** Null if only time or missing improvement ends the job. */
  readonly total: number | null;
  readonly unit: string;
}

function JobProgress({ name, done, total, unit }: JobProgressProps) {
  const words =
    total === null ? `${formatCount(done)} ${unit}` : `${formatCount(done)} of ${formatCount(total)} ${unit}`;
  return (
    <>
      <Progress
        value={total ? Math.min(100, (100 * done) / total) : 0}
        aria-label={`${name}: ${words}`}
        mt={4}
      />
      <Text size="xs" c="dimmed">
        {words}
      </Text>
    </>
  );
}
