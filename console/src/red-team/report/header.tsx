/** Name, state, progress and controls of an assessment. */
import type { AssessmentResponse } from '@drydock/sdk';
import { Alert, Box, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import { CopyAs } from '../../components/copy-as.tsx';
import {
  formatCount,
  formatCountOf,
  formatDuration,
  formatTime,
  formatUsd,
} from '../../components/format.ts';
import { AnchorLink } from '../../components/links.tsx';
import { Figure } from '../../evaluations/figures.tsx';
import { useWhere } from '../../frame/scope.ts';
import { AssessmentBadge } from '../figures.tsx';
import { hasEnded, isCancelled, KIND_LABELS, kindOf, targetOf } from '../states.ts';
import { AssessmentControls } from './controls.tsx';
import { ExportMenu } from './export-menu.tsx';

interface AssessmentProps {
  readonly assessment: AssessmentResponse;
}

export function AssessmentHeader({ assessment }: AssessmentProps) {
  const where = useWhere();
  const { id, name, description, retest_of } = assessment;
  return (
    <Stack gap="sm">
      <Box>
        <Group gap="xs">
          <AnchorLink to="/o/$org/w/$workspace/red-team" params={where} size="xs">
            Red team
          </AnchorLink>
          {retest_of && (
            <Text size="xs" c="dimmed">
              retest of{' '}
              <AnchorLink
                to="/o/$org/w/$workspace/red-team/findings"
                params={where}
                search={{ finding: retest_of }}
                size="xs"
                underline="always"
              >
                a finding
              </AnchorLink>
            </Text>
          )}
        </Group>
        <Group justify="space-between" gap="sm" align="flex-start">
          <Group gap="sm" miw={0} flex="1 1 320px">
            <Title order={1} size="h3" className="user-text">
              {name}
            </Title>
            <AssessmentBadge assessment={assessment} />
          </Group>
          <Group gap="xs">
            {hasEnded(assessment.status) && <ExportMenu assessment={assessment} />}
            <AssessmentControls assessment={assessment} />
            <CopyAs
              path={`/api/v1/org/${where.org}/ws/${where.workspace}/airt/assessments/${id}`}
              code={`await drydock.assessments.get(${JSON.stringify({ ...where, assessment_id: id })})`}
            />
          </Group>
        </Group>
        {description && (
          <Text size="sm" c="dimmed" className="user-text">
            {description}
          </Text>
        )}
      </Box>
      <Notices assessment={assessment} />
      <Paper withBorder p="md">
        <Figures assessment={assessment} />
        {assessment.status === 'running' && <RunProgress assessment={assessment} />}
      </Paper>
    </Stack>
  );
}

/** Says what went wrong and what to do. */
function Notices({ assessment }: AssessmentProps) {
  const { error, status, stop_reason } = assessment;
  if (error)
    return (
      <Alert color="red" variant="outline" title="This assessment failed" role="alert">
        <Text size="sm" className="user-text">
          {error} What was measured until then is kept. Fix the cause, then create the assessment again.
        </Text>
      </Alert>
    );
  if (status === 'pending')
    return (
      <Alert color="blue" variant="outline" title="This assessment has not started">
        <Text size="sm">
          Choose “Start” to run its attacks on the server, or run them with a client that sends spans.
        </Text>
      </Alert>
    );
  if (!hasEnded(status) || !stop_reason || isCancelled(assessment)) return null;
  return (
    <Alert color="yellow" variant="outline" title="This assessment ended early" role="status">
      <Text size="sm" className="user-text">
        {STOP_REASONS[stop_reason] ?? stop_reason.replaceAll('_', ' ')}
      </Text>
    </Alert>
  );
}

const STOP_REASONS: Readonly<Record<string, string>> = {
  budget: 'Its budget was spent. Give the next one a higher budget, or fewer trials.',
  credits: 'The organization has no credits left. Add credits, then create the assessment again.',
};

function Figures({ assessment }: AssessmentProps) {
  const { progress, attacker_model, judge_model, started_at, completed_at } = assessment;
  const duration = started_at && completed_at ? Date.parse(completed_at) - Date.parse(started_at) : undefined;
  return (
    <Box
      style={{
        display: 'grid',
        gap: 'var(--mantine-spacing-md)',
        gridTemplateColumns: 'repeat(auto-fit, minmax(140px, 1fr))',
      }}
    >
      <Figure label="Target" hint={KIND_LABELS[kindOf(assessment)]}>
        {targetOf(assessment)}
      </Figure>
      <Figure label="Attacker" hint={`judge: ${judge_model ?? 'none'}`}>
        {attacker_model ?? 'none'}
      </Figure>
      <Figure
        label="Findings"
        hint={`${formatCount(progress.completed_findings)} of ${formatCount(progress.findings)} ended`}
      >
        {formatCount(progress.findings)}
      </Figure>
      <Figure
        label="Trials"
        hint={`${formatCountOf(progress.jailbreaks, 'jailbreak')}, ${formatCount(progress.trials - progress.finished_trials)} failed`}
      >
        {formatCount(progress.trials)}
      </Figure>
      <Figure label="Cost" hint={formatCountOf(progress.model_calls, 'model call')}>
        {formatUsd(progress.cost_usd)}
      </Figure>
      <Figure label="Time" hint={started_at ? `started ${formatTime(started_at)}` : 'not started'}>
        {formatDuration(duration)}
      </Figure>
    </Box>
  );
}

function RunProgress({ assessment: { progress } }: AssessmentProps) {
  const { findings, completed_findings, trials, planned_trials } = progress;
  const words = `${formatCount(completed_findings)} of ${formatCountOf(findings, 'finding')}`;
  return (
    <Box mt="md">
      <Progress
        value={findings > 0 ? (100 * completed_findings) / findings : 0}
        aria-label={`Progress: ${words}`}
      />
      <Text size="xs" c="dimmed" mt={4}>
        {words} ended, {formatCount(trials)} of at most {formatCountOf(planned_trials, 'trial')}
      </Text>
    </Box>
  );
}
