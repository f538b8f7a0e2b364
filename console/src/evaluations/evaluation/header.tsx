/** Name, state, results and controls of an evaluation. */
import type { EvaluationAnalyticsResponse, EvaluationResponse } from '@drydock/sdk';
import { Alert, Box, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { CopyAs } from '../../components/copy-as.tsx';
import {
  formatCount,
  formatCountOf,
  formatDuration,
  formatPercent,
  formatTime,
  formatUsd,
} from '../../components/format.ts';
import { AnchorLink } from '../../components/links.tsx';
import { useWhere } from '../../frame/scope.ts';
import { describeAgent, describeSource } from '../evaluation-panel.tsx';
import { Figure, RateBar, StateBar, StateLegend, StatusBadge, Tags } from '../figures.tsx';
import { countEnded, hasEnded } from '../states.ts';
import { EvaluationControls } from './controls.tsx';

interface EvaluationHeaderProps {
  readonly evaluation: EvaluationResponse;
  readonly analytics: EvaluationAnalyticsResponse | undefined;
}

export function EvaluationHeader({ evaluation, analytics }: EvaluationHeaderProps) {
  const where = useWhere();
  const { id, name, status, tags } = evaluation;
  const path = `/api/v1/org/${where.org}/ws/${where.workspace}/evaluation/${id}`;
  return (
    <Stack gap="sm">
      <Box>
        <AnchorLink to="/o/$org/w/$workspace/evaluations" params={where} size="xs">
          Evaluations
        </AnchorLink>
        <Group justify="space-between" gap="sm" align="flex-start">
          <Group gap="sm" miw={0} flex="1 1 320px">
            <Title order={1} size="h3" className="user-text">
              {name}
            </Title>
            <StatusBadge status={status} />
            <Tags tags={tags} />
          </Group>
          <Group gap="xs">
            <EvaluationControls evaluation={evaluation} />
            <CopyAs
              path={path}
              code={`await drydock.evaluations.get(${JSON.stringify({ ...where, evaluation_id: id })})`}
            />
          </Group>
        </Group>
      </Box>
      <Notices evaluation={evaluation} />
      <Paper withBorder p="md">
        <Stack gap="md">
          <Figures evaluation={evaluation} analytics={analytics} />
          <Stack gap={6}>
            <StateBar evaluation={evaluation} height={10} />
            <StateLegend evaluation={evaluation} />
          </Stack>
        </Stack>
      </Paper>
    </Stack>
  );
}

/** Says why the evaluation is paused or has failed, and what to do. */
function Notices({ evaluation }: { readonly evaluation: EvaluationResponse }) {
  const { status, pause_reason, error, error_count, skipped_members } = evaluation;
  return (
    <>
      {status === 'paused' && (
        <Alert color="yellow" variant="outline" title="This evaluation is paused" role="status">
          <Text size="sm" className="user-text">
            {pause_reason ?? 'Running samples finish, and no new ones start.'}{' '}
            {/budget/i.test(pause_reason ?? '')
              ? 'Raise the budget under Edit, then resume.'
              : /credit/i.test(pause_reason ?? '')
                ? 'Add credits to the organization, then resume.'
                : 'Resume it to continue.'}
          </Text>
        </Alert>
      )}
      {error && (
        <Alert color="red" variant="outline" title="This evaluation failed" role="alert">
          <Text size="sm" className="user-text">
            {error} Fix the cause, then choose “Retry failed”.
          </Text>
        </Alert>
      )}
      {hasEnded(status) && !error && error_count > 0 && (
        <Alert color="grape" variant="outline" role="status">
          <Text size="sm">
            {formatCountOf(error_count, 'sample')} could not run and {error_count === 1 ? 'does' : 'do'} not
            count in the pass rate. Open one to see why, then choose “Retry failed”.
          </Text>
        </Alert>
      )}
      {skipped_members.length > 0 && (
        <Alert color="yellow" variant="outline" title="Some members of the task set were skipped">
          {skipped_members.map(({ task_name, reason }) => (
            <Text key={task_name} size="sm" className="user-text">
              {task_name}: {reason}
            </Text>
          ))}
        </Alert>
      )}
    </>
  );
}

function Figures({ evaluation, analytics }: EvaluationHeaderProps) {
  const { status, capability } = evaluation;
  const elapsedMs = useElapsed(evaluation);
  const remainingMs = estimateRemaining(evaluation, analytics);
  return (
    <Box
      style={{
        display: 'grid',
        gap: 'var(--mantine-spacing-md)',
        gridTemplateColumns: 'repeat(auto-fit, minmax(134px, 1fr))',
      }}
    >
      <PassRate evaluation={evaluation} analytics={analytics} />
      <Figure label="Mean score" hint={analytics && `${formatCount(analytics.total_samples)} samples`}>
        {evaluation.mean_score === null ? '–' : evaluation.mean_score.toFixed(2)}
      </Figure>
      <Figure label="Model" hint={evaluation.seed === null ? undefined : `seed ${evaluation.seed}`}>
        {evaluation.model}
      </Figure>
      <Figure label="Agent" hint={capability ? `${capability.name}@${capability.version}` : 'no capability'}>
        {describeAgent(evaluation)}
      </Figure>
      <Figure
        label="Source"
        hint={evaluation.repetitions > 1 ? `${evaluation.repetitions} repetitions` : 'once each'}
      >
        {describeSource(evaluation)}
      </Figure>
      <Figure
        label="Cost"
        hint={
          evaluation.budget_usd === null ? 'no budget' : `of a budget of ${formatUsd(evaluation.budget_usd)}`
        }
      >
        {formatUsd(evaluation.cost_usd)}
      </Figure>
      <Figure
        label="Elapsed"
        hint={
          hasEnded(status)
            ? `ended ${formatTime(evaluation.completed_at)}`
            : remainingMs === undefined || status === 'paused'
              ? `started ${formatTime(evaluation.started_at)}`
              : `about ${formatDuration(remainingMs)} left`
        }
      >
        {formatDuration(elapsedMs)}
      </Figure>
    </Box>
  );
}

function PassRate({
  evaluation: { pass_rate, passed_count, failed_count },
  analytics,
}: EvaluationHeaderProps) {
  // The analytics lag behind the counts by up to a second.
  const interval = analytics?.pass_rate_interval;
  return (
    <Box>
      <Figure label={`Pass rate of ${formatCount(passed_count + failed_count)}`}>
        <Text component="span" fw={700} size="xl" lh={1.1}>
          {formatPercent(pass_rate)}
        </Text>
      </Figure>
      <RateBar label="Pass rate" rate={pass_rate} interval={interval} />
      {interval && (
        <Text size="xs" c="dimmed" mt={2}>
          95 %: {formatPercent(interval.low)} – {formatPercent(interval.high)}
        </Text>
      )}
    </Box>
  );
}

/** The time since the start in milliseconds, updated every second while the evaluation runs. */
function useElapsed({ status, started_at, completed_at }: EvaluationResponse): number | undefined {
  const [now, setNow] = useState(Date.now);
  const { start, stop } = useInterval(() => setNow(Date.now()), 1_000);
  const isRunning = status === 'running';
  useEffect(() => {
    if (isRunning) start();
    return stop;
  }, [isRunning, start, stop]);
  if (!started_at) return undefined;
  return Math.max(0, (completed_at ? Date.parse(completed_at) : now) - Date.parse(started_at));
}

/** Estimates the remaining time from the median duration of the ended samples and the concurrency. */
function estimateRemaining(
  { item_counts, total_samples, effective_concurrency }: EvaluationResponse,
  analytics: EvaluationAnalyticsResponse | undefined,
): number | undefined {
  const median = analytics?.durations_ms.p50;
  const left = total_samples - countEnded(item_counts);
  if (median === null || median === undefined || left <= 0) return undefined;
  return Math.ceil(left / Math.max(1, effective_concurrency)) * median;
}
