/** The running training jobs of the overview. */
import type { InWorkspace, TrainingJobResponse } from '@drydock/sdk';
import { Group } from '@mantine/core';
import { AnchorLink } from '../components/links.tsx';
import { JobBadge, StepCell } from './figures.tsx';
import { FollowJobs } from './live.tsx';
import { nameOf } from './states.ts';

interface RunningTrainingProps {
  readonly where: InWorkspace;
  readonly jobs: readonly TrainingJobResponse[];
}

export default function RunningTraining({ where, jobs }: RunningTrainingProps) {
  return (
    <>
      {jobs.map((job) => (
        <div key={job.id}>
          <Group justify="space-between" wrap="nowrap" mb={4}>
            <AnchorLink
              to="/o/$org/w/$workspace/training/$jobId"
              params={{ ...where, jobId: job.id }}
              size="sm"
              className="user-text"
            >
              {nameOf(job)}
            </AnchorLink>
            <JobBadge status={job.status} />
          </Group>
          <StepCell job={job} />
        </div>
      ))}
      <FollowJobs where={where} jobs={jobs} />
    </>
  );
}
