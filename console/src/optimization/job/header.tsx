/** Name, state, result, budget and controls of a job. */
import type { OptimizationJobResponse } from '@drydock/sdk';
import { Alert, Box, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { CopyAs } from '../../components/copy-as.tsx';
import { formatCount, formatDuration, formatTime, formatUsd } from '../../components/format.ts';
import { AnchorLink } from '../../components/links.tsx';
import { Figure, Tags } from '../../evaluations/figures.tsx';
import { useWhere } from '../../frame/scope.ts';
import { BudgetBar, describeCalls, JobBadge, ScoreChange } from '../figures.tsx';
import { describeExamples } from '../job-panel.tsx';
import { hasEnded, KIND_LABELS, nameOf, toStopReason, validationSizeOf } from '../states.ts';
import { JobControls } from './controls.tsx';

interface JobHeaderProps {
  readonly job: OptimizationJobResponse;
  readonly onPromote: () => void;
}

export function JobHeader({ job, onPromote }: JobHeaderProps) {
  const where = useWhere();
  const { id, status, tags, retry_of } = job;
  return (
    <Stack gap="sm">
      <Box>
        <Group gap="xs">
          <AnchorLink to="/o/$org/w/$workspace/optimization" params={where} size="xs">
            Optimization
          </AnchorLink>
          {retry_of && (
            <Text size="xs" c="dimmed">
              retry of{' '}
              <AnchorLink
                to="/o/$org/w/$workspace/optimization/$jobId"
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
            <JobControls job={job} onPromote={onPromote} />
            <CopyAs
              path={`/api/v1/org/${where.org}/ws/${where.workspace}/optimization/jobs/${id}`}
              code={`await drydock.optimization.get(${JSON.stringify({ ...where, job_id: id })})`}
            />
          </Group>
        </Group>
      </Box>
      <Notices job={job} />
      <Paper withBorder p="md">
        <Stack gap="md">
          <Figures job={job} />
          <Budget job={job} />
        </Stack>
      </Paper>
    </Stack>
  );
}

type JobProps = Pick<JobHeaderProps, 'job'>;

/** Says what went wrong and what to do, and which versions were made of the job. */
function Notices({ job }: JobProps) {
  const where = useWhere();
  const { error, status, summary, artifacts } = job;
  const { warnings, stop_reason } = summary.metadata;
  const promoted = (artifacts['promoted'] ?? []) as readonly Promotion[];
  return (
    <>
      {error && (
        <Alert color="red" variant="outline" title="This job failed" role="alert">
          <Text size="sm" className="user-text">
            {error} Fix the cause, then choose “Retry”: it continues from the results so far.
          </Text>
        </Alert>
      )}
      {!error && hasEnded(status) && stop_reason === 'credits' && (
        <Alert color="yellow" variant="outline" title="This job ended early" role="status">
          <Text size="sm">
            The organization has no credits left. Add credits, then choose “Retry”: it continues from the
            results so far.
          </Text>
        </Alert>
      )}
      {warnings.length > 0 && (
        <Alert color="yellow" variant="outline" title="Warnings">
          {warnings.map((warning) => (
            <Text key={warning} size="sm" className="user-text">
              {warning}
            </Text>
          ))}
        </Alert>
      )}
      {promoted.length > 0 && (
        <Alert color="teal" variant="outline" role="status" p="xs">
          <Text size="sm" className="user-text">
            Promoted:{' '}
            {promoted.map(({ capability, version, candidate }, index) => (
              <span key={version}>
                {index > 0 && ', '}
                <AnchorLink
                  to="/o/$org/w/$workspace/capabilities/$capability/journey"
                  params={{ ...where, capability }}
                  size="sm"
                  underline="always"
                >
                  {capability}@{version}
                </AnchorLink>{' '}
                (candidate #{candidate})
              </span>
            ))}
          </Text>
        </Alert>
      )}
    </>
  );
}

interface Promotion {
  readonly capability: string;
  readonly version: string;
  readonly candidate: number;
}

function Figures({ job }: JobProps) {
  const { summary, capability, config } = job;
  const { metadata, frontier_size } = summary;
  return (
    <Box
      style={{
        display: 'grid',
        gap: 'var(--mantine-spacing-md)',
        gridTemplateColumns: 'repeat(auto-fit, minmax(140px, 1fr))',
      }}
    >
      <Figure label="Best score" hint={describeBest(job)}>
        <Text component="span" fw={700} size="xl" lh={1.1}>
          <ScoreChange from={metadata.seed_score} to={summary.best_score} />
        </Text>
      </Figure>
      <Figure
        label="Holdout"
        hint={
          metadata.holdout_size > 0 ? `${formatCount(metadata.holdout_size)} examples, never seen` : 'none'
        }
      >
        <Text component="span" fw={700} size="xl" lh={1.1}>
          <ScoreChange from={metadata.seed_holdout_score} to={metadata.holdout_score} />
        </Text>
      </Figure>
      <Figure label="Candidates" hint={`${formatCount(frontier_size)} on the frontier`}>
        {formatCount(metadata.candidate_count)}
      </Figure>
      <Figure label="Capability" hint={`agent ${job.agent_name ?? 'basic'}`}>
        {capability.name}@{capability.version}
      </Figure>
      <Figure label="Target" hint={describeExamples(job)}>
        {KIND_LABELS[job.target_kind]}
      </Figure>
      <Figure label="Model" hint={`reflection: ${config.reflection_lm ?? job.model}`}>
        {job.model}
      </Figure>
    </Box>
  );
}

function describeBest(job: OptimizationJobResponse): string {
  const { best_index } = job.summary.metadata;
  if (best_index === null) return 'not scored yet';
  return `${best_index === 0 ? 'the seed' : `#${best_index}`} on ${formatCount(validationSizeOf(job))} examples`;
}

/** Calls, cost and time, used and allowed. */
function Budget({ job }: JobProps) {
  const { status, summary, config } = job;
  const { budget, iteration, running_seconds, stop_reason } = summary.metadata;
  const of = (limit: string | undefined) => (limit === undefined ? '' : ` of ${limit}`);
  return (
    <Stack gap={6}>
      <BudgetBar job={job} height={10} />
      <Group gap="lg" style={{ rowGap: 2 }}>
        <Item name="Metric calls">
          {describeCalls(job)} (mark: {formatCount(budget.metric_calls_floor)} for one iteration)
        </Item>
        {budget.holdout_calls > 0 && <Item name="Holdout calls">{formatCount(budget.holdout_calls)}</Item>}
        <Item name="Reflections">{formatCount(budget.reflection_calls)}</Item>
        <Item name="Iterations">
          {formatCount(iteration + 1)}
          {of(config.max_trials ? formatCount(config.max_trials) : undefined)}
        </Item>
        <Item name="Cost">{formatUsd(budget.cost_usd)}</Item>
        <Item name="Running time">
          {formatDuration(running_seconds * 1_000)}
          {of(config.max_runtime_sec ? formatDuration(config.max_runtime_sec * 1_000) : undefined)}
        </Item>
        {hasEnded(status) && (
          <Item name="Ended">
            {formatTime(job.completed_at)}
            {stop_reason && `: ${toStopReason(stop_reason)}`}
          </Item>
        )}
      </Group>
    </Stack>
  );
}

function Item({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <Text size="xs" c="dimmed">
      {name}{' '}
      <Text span inherit c="var(--mantine-color-text)" fw={500}>
        {children}
      </Text>
    </Text>
  );
}
