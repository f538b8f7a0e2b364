/** The key facts of a training job beside the list. */
import type { TrainingJobResponse } from '@drydock/sdk';
import { Alert, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { type Fact, FactList } from '../components/fact-list.tsx';
import { formatTime } from '../components/format.ts';
import { ButtonLink } from '../components/links.tsx';
import { SidePanel } from '../components/list/side-panel.tsx';
import { Figure, Tags } from '../evaluations/figures.tsx';
import { useWhere } from '../frame/scope.ts';
import { describeData, describeSteps, JobBadge, LastLoss, StepBar } from './figures.tsx';
import { nameOf } from './states.ts';

interface JobPanelProps {
  readonly job: TrainingJobResponse;
  readonly onClose: () => void;
}

export function JobPanel({ job, onClose }: JobPanelProps) {
  const where = useWhere();
  const { error, tags } = job;
  return (
    <SidePanel title={nameOf(job)} onClose={onClose}>
      <Stack gap="sm">
        <Group>
          <JobBadge status={job.status} />
        </Group>
        {error && (
          <Alert color="red" variant="outline" p="xs">
            <Text size="xs" className="user-text" lineClamp={12}>
              {error}
            </Text>
          </Alert>
        )}
        <SimpleGrid cols={2} spacing="sm">
          <Figure label="Steps">{describeSteps(job)}</Figure>
          <Figure label="Last loss">
            <LastLoss job={job} />
          </Figure>
        </SimpleGrid>
        <StepBar job={job} />
        <FactList facts={toFacts(job)} />
        <Tags tags={tags} />
        <ButtonLink to="/o/$org/w/$workspace/training/$jobId" params={{ ...where, jobId: job.id }} size="xs">
          Open the job
        </ButtonLink>
      </Stack>
    </SidePanel>
  );
}

const toFacts = (job: TrainingJobResponse): Fact[] => [
  ['Model', job.model],
  ['Data', describeData(job).join(', ')],
  ['Capability', `${job.capability.name}@${job.capability.version}`],
  ['Trainer', job.worker],
  ['Project', job.project_ref],
  ['Created by', job.created_by_user?.full_name ?? job.created_by_email],
  ['Created', formatTime(job.created_at)],
  ['Started', formatTime(job.started_at)],
  ['Ended', formatTime(job.completed_at)],
];
