/** The key facts of an optimization job beside the list. */
import type { OptimizationJobResponse } from '@drydock/sdk';
import { Alert, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { type Fact, FactList } from '../components/fact-list.tsx';
import { formatCount, formatCountOf, formatTime, formatUsd } from '../components/format.ts';
import { ButtonLink } from '../components/links.tsx';
import { SidePanel } from '../components/list/side-panel.tsx';
import { Figure, Tags } from '../evaluations/figures.tsx';
import { useWhere } from '../frame/scope.ts';
import { BudgetBar, describeCalls, JobBadge, ScoreChange } from './figures.tsx';
import { KIND_LABELS, nameOf } from './states.ts';

interface JobPanelProps {
  readonly job: OptimizationJobResponse;
  readonly onClose: () => void;
}

export function JobPanel({ job, onClose }: JobPanelProps) {
  const where = useWhere();
  const { summary, error, tags } = job;
  const { metadata } = summary;
  return (
    <SidePanel title={nameOf(job)} onClose={onClose}>
      <Stack gap="sm">
        <Group>
          <JobBadge status={job.status} />
        </Group>
        {error && (
          <Alert color="red" variant="outline" p="xs">
            <Text size="xs" className="user-text">
              {error}
            </Text>
          </Alert>
        )}
        <SimpleGrid cols={2} spacing="sm">
          <Figure label="Best score">
            <ScoreChange from={metadata.seed_score} to={summary.best_score} />
          </Figure>
          <Figure label="Holdout">
            <ScoreChange from={metadata.seed_holdout_score} to={metadata.holdout_score} />
          </Figure>
        </SimpleGrid>
        <Figure label="Metric calls">{describeCalls(job)}</Figure>
        <BudgetBar job={job} />
        <FactList facts={toFacts(job)} />
        <Tags tags={tags} />
        <ButtonLink
          to="/o/$org/w/$workspace/optimization/$jobId"
          params={{ ...where, jobId: job.id }}
          size="xs"
        >
          Open the job
        </ButtonLink>
      </Stack>
    </SidePanel>
  );
}

const toFacts = (job: OptimizationJobResponse): Fact[] => [
  ['Capability', `${job.capability.name}@${job.capability.version}`],
  ['Agent', job.agent_name],
  ['Target', KIND_LABELS[job.target_kind]],
  ['Model', job.model],
  ['Reflection', job.config.reflection_lm ?? job.model],
  ['Examples', describeExamples(job)],
  ['Candidates', formatCount(job.summary.metadata.candidate_count)],
  ['Cost', formatUsd(job.summary.metadata.budget.cost_usd)],
  ['Started', formatTime(job.started_at)],
  ['Ended', formatTime(job.completed_at)],
];

/** The dataset or the tasks that candidates are scored on. */
export function describeExamples({ dataset_ref, task_refs }: OptimizationJobResponse): string {
  if (dataset_ref) return `${dataset_ref.name}@${dataset_ref.version}`;
  const [first, ...more] = task_refs ?? [];
  return first !== undefined && more.length === 0 ? first : formatCountOf(task_refs?.length ?? 0, 'task');
}
