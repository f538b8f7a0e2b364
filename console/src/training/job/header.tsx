/** Name, state, progress, figures and controls of a job, and what is wrong with it. */
import type { OneTrainingJob, TrainingJobResponse } from '@drydock/sdk';
import { Alert, Box, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CopyAs } from '../../components/copy-as.tsx';
import {
  formatCompact,
  formatCount,
  formatCountOf,
  formatDuration,
  formatTime,
} from '../../components/format.ts';
import { AnchorLink } from '../../components/links.tsx';
import { Figure, Tags } from '../../evaluations/figures.tsx';
import { useWhere } from '../../frame/scope.ts';
import { useCurves } from '../curves/series.ts';
import { describeData, describeSteps, formatValue, JobBadge, StepBar } from '../figures.tsx';
import { checkpointsQuery } from '../queries.ts';
import { figureOf, hasEnded, nameOf, totalStepsOf } from '../states.ts';
import { TrainerNotice } from '../trainer-notice.tsx';
import { JobControls } from './controls.tsx';

interface JobHeaderProps {
  readonly job: TrainingJobResponse;
  readonly jobRef: OneTrainingJob;
}

export function JobHeader({ job, jobRef }: JobHeaderProps) {
  const where = useWhere();
  const { id, status, tags, retry_of } = job;
  return (
    <Stack gap="sm">
      <Box>
        <Group gap="xs">
          <AnchorLink to="/o/$org/w/$workspace/training" params={where} size="xs">
            Training
          </AnchorLink>
          {retry_of && (
            <Text size="xs" c="dimmed">
              retry of{' '}
              <AnchorLink
                to="/o/$org/w/$workspace/training/$jobId"
                params={{ ...where, jobId: retry_of }}
                size="xs"
                underline="always"
              >
                an earlier job
              </AnchorLink>
            </Text>
          )}
        </Group>
        <Group justify="space-between" gap="sm" align="flex-start">
          <Group gap="sm" miw={0} flex="1 1 320px">
            <Title order={1} size="h3" className="user-text">
              {nameOf(job)}
            </Title>
            <JobBadge status={status} />
            <Tags tags={tags} />
          </Group>
          <Group gap="xs">
            <JobControls job={job} />
            <CopyAs
              path={`/api/v1/org/${where.org}/ws/${where.workspace}/training/jobs/${id}`}
              code={`await drydock.training.get(${JSON.stringify({ ...where, job_id: id })})`}
            />
          </Group>
        </Group>
      </Box>
      <Notices job={job} jobRef={jobRef} />
      <Paper withBorder p="md">
        <Stack gap="md">
          <Figures job={job} />
          <Progress job={job} jobRef={jobRef} />
        </Stack>
      </Paper>
    </Stack>
  );
}

/** Says what went wrong and what to do. */
function Notices({ job, jobRef }: JobHeaderProps) {
  const { error, waiting_reason, status, attempt, worker } = job;
  const lost = Math.max(0, attempt - 1);
  return (
    <>
      {error && <Failure job={job} jobRef={jobRef} />}
      {waiting_reason && (
        <Alert color="yellow" variant="outline" role="status" title="The job waits">
          <Text size="sm" className="user-text">
            {waiting_reason}
          </Text>
        </Alert>
      )}
      {status === 'queued' && attempt === 0 && <TrainerNotice />}
      {status === 'queued' && attempt > 0 && (
        <Alert color="yellow" variant="outline" role="status" title="The trainer was lost">
          <Text size="sm" className="user-text">
            Trainer “{worker}” has stopped reporting. The job waits for another one, which continues from the
            last checkpoint. Look at the log of that trainer, and start it again.
          </Text>
        </Alert>
      )}
      {status === 'running' && lost > 0 && (
        <Alert color="yellow" variant="outline" role="status" p="xs">
          <Text size="sm" className="user-text">
            {lost === 1 ? 'One trainer was' : `${formatCount(lost)} trainers were`} lost. Trainer “{worker}”
            continues from the last checkpoint; the log has the details.
          </Text>
        </Alert>
      )}
    </>
  );
}

function Failure({ job, jobRef }: JobHeaderProps) {
  const { data } = useQuery(checkpointsQuery(jobRef));
  const last = data?.items.at(-1);
  return (
    <Alert color="red" variant="outline" title="This job failed" role="alert">
      <Text size="sm" className="user-text" mb={4}>
        {job.error}
      </Text>
      <Text size="sm">
        {last
          ? `Fix the cause, then choose “Retry”: the new job continues from the checkpoint of step ${formatCount(last.step)}.`
          : 'Fix the cause, then choose “Retry”. There is no checkpoint, so the new job starts from the first step.'}
      </Text>
    </Alert>
  );
}

type JobProps = Pick<JobHeaderProps, 'job'>;

function Figures({ job }: JobProps) {
  const { capability, worker, attempt } = job;
  const figure = (name: string) => figureOf(job, name);
  const [first = '–', ...others] = describeData(job);
  return (
    <Box
      style={{
        display: 'grid',
        gap: 'var(--mantine-spacing-md)',
        gridTemplateColumns: 'repeat(auto-fit, minmax(150px, 1fr))',
      }}
    >
      <Figure label="Last loss" hint={`best ${formatValue(figure('train/loss_best'))}`}>
        <Text component="span" fw={700} size="xl" lh={1.1}>
          {formatValue(figure('train/loss_last'))}
        </Text>
      </Figure>
      <Figure label="Base model" hint={describeLora(job)}>
        {job.model}
      </Figure>
      <Figure label="Data" hint={others.length > 0 ? `and ${others.join(', ')}` : describeExamples(job)}>
        {first}
      </Figure>
      <Figure label="Capability" hint="scaffold of the examples">
        {capability.name}@{capability.version}
      </Figure>
      <Figure label="Trainer" hint={attempt > 0 ? `attempt ${attempt}` : 'waits for one'}>
        {worker ?? '–'}
      </Figure>
    </Box>
  );
}

function describeLora({ metrics }: TrainingJobResponse): string {
  const { lora_rank } = metrics['effective_config'] as { readonly lora_rank: number };
  return `LoRA, rank ${lora_rank}`;
}

function describeExamples(job: TrainingJobResponse): string {
  const examples = figureOf(job, 'train/num_examples');
  return examples === undefined ? 'not read yet' : formatCountOf(examples, 'example');
}

/** Steps, time, tokens, and what of the data is not trained on as it is. */
function Progress({ job, jobRef }: JobHeaderProps) {
  const left = useSecondsLeft(job, jobRef);
  const figure = (name: string) => figureOf(job, name);
  const truncated = figure('truncated_examples') ?? 0;
  const skipped = figure('skipped_examples') ?? 0;
  const epochs = figure('train/epochs_completed');
  return (
    <Stack gap={6}>
      <StepBar job={job} height={10} />
      <Group gap="lg" style={{ rowGap: 2 }}>
        <Item name="Steps">{describeSteps(job)}</Item>
        {left !== undefined && <Item name="Time left">about {formatDuration(left * 1_000)}</Item>}
        {epochs !== undefined && <Item name="Epochs">{formatValue(epochs)}</Item>}
        <Item name="Tokens">{formatCompact(figure('train/num_tokens_processed') ?? 0)}</Item>
        <Item name="Training time">{formatDuration((figure('trainer_seconds') ?? 0) * 1_000)}</Item>
        {truncated > 0 && <Item name="Truncated">{formatCountOf(truncated, 'example')}</Item>}
        {skipped > 0 && <Item name="Skipped">{formatCountOf(skipped, 'example')}</Item>}
        <Item name={hasEnded(job.status) ? 'Ended' : 'Started'}>
          {formatTime(hasEnded(job.status) ? job.completed_at : job.started_at)}
        </Item>
      </Group>
    </Stack>
  );
}

function Item({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <Text size="xs" c="dimmed">
      {name}{' '}
      <Text span inherit c="var(--mantine-color-text)" fw={500}>
        {children}
      </Text>
    </Text>
  );
}

/** Number of steps over which the mean speed is computed. */
const RECENT_STEPS = 20;

/** Estimates from the tokens of a step so far and the speed of the last steps. Saving checkpoints and evaluating come on top. */
function useSecondsLeft(job: TrainingJobResponse, jobRef: OneTrainingJob): number | undefined {
  const curves = useCurves(jobRef);
  const total = totalStepsOf(job);
  const tokens = figureOf(job, 'train/num_tokens_processed');
  const recent = (curves?.['train/tokens_per_second'] ?? []).slice(-RECENT_STEPS);
  if (job.status !== 'running' || total === undefined || !tokens || job.step === 0 || recent.length === 0)
    return undefined;
  const speed = recent.reduce((sum, { value }) => sum + value, 0) / recent.length;
  return speed > 0 ? (Math.max(0, total - job.step) * (tokens / job.step)) / speed : undefined;
}
