/** The key facts of an evaluation beside the list. */
import type { EvaluationResponse } from '@drydock/sdk';
import { Alert, Badge, CloseButton, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { formatPercent, formatTime, formatUsd } from '../components/format.ts';
import { ButtonLink } from '../components/links.tsx';
import { useWhere } from '../frame/scope.ts';
import { Figure, RateBar, StateBar, StateLegend, StatusBadge } from './figures.tsx';
import { wilson } from './states.ts';

interface EvaluationPanelProps {
  readonly evaluation: EvaluationResponse;
  readonly onClose: () => void;
}

export function EvaluationPanel({ evaluation, onClose }: EvaluationPanelProps) {
  const where = useWhere();
  const { id, name, status, pass_rate, passed_count, failed_count, tags, error, pause_reason } = evaluation;
  useHotkeys([['Escape', onClose]]);
  const judged = passed_count + failed_count;
  return (
    <Paper
      component="aside"
      aria-label={`Evaluation ${name}`}
      withBorder
      shadow="md"
      radius={0}
      p="md"
      w={340}
      pos="fixed"
      top="var(--app-shell-header-height)"
      right={0}
      bottom={0}
      style={{ overflow: 'auto', zIndex: 50 }}
    >
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Title order={2} size="h5" className="user-text">
            {name}
          </Title>
          <CloseButton aria-label="Close the panel" onClick={onClose} />
        </Group>
        <Group>
          <StatusBadge status={status} />
        </Group>
        {(error ?? pause_reason) && (
          <Alert color={error ? 'red' : 'yellow'} variant="outline" p="xs">
            <Text size="xs" className="user-text">
              {error ?? pause_reason}
            </Text>
          </Alert>
        )}
        <StateBar evaluation={evaluation} />
        <StateLegend evaluation={evaluation} />
        <Figure label={`Pass rate of ${judged} ${judged === 1 ? 'result' : 'results'}`}>
          {formatPercent(pass_rate)}
        </Figure>
        <RateBar label="Pass rate" rate={pass_rate} interval={wilson(passed_count, judged)} />
        <SimpleGrid cols={2} spacing="xs">
          <Figure label="Model">{evaluation.model}</Figure>
          <Figure label="Agent">{evaluation.agent ?? (evaluation.dataset ? 'single call' : 'basic')}</Figure>
          <Figure label="Source">{describeSource(evaluation)}</Figure>
          <Figure label="Repetitions">{evaluation.repetitions}</Figure>
          <Figure label="Cost">{formatUsd(evaluation.cost_usd)}</Figure>
          <Figure label="Budget">
            {evaluation.budget_usd === null ? 'none' : formatUsd(evaluation.budget_usd)}
          </Figure>
          <Figure label="Started">{formatTime(evaluation.started_at)}</Figure>
          <Figure label="Ended">{formatTime(evaluation.completed_at)}</Figure>
        </SimpleGrid>
        {tags.length > 0 && (
          <Group gap={4}>
            {tags.map((tag) => (
              <Badge key={tag} variant="default" tt="none" fw={400}>
                {tag}
              </Badge>
            ))}
          </Group>
        )}
        <ButtonLink
          to="/o/$org/w/$workspace/evaluations/$evaluationId"
          params={{ ...where, evaluationId: id }}
          size="xs"
        >
          Open
        </ButtonLink>
      </Stack>
    </Paper>
  );
}

/** The tasks, the set of tasks or the dataset that an evaluation runs over. */
export function describeSource({ task_names, task_set, dataset }: EvaluationResponse): string {
  if (task_set) return `task set ${task_set}`;
  if (dataset) return `${dataset.name}@${dataset.version}${dataset.split ? ` (${dataset.split})` : ''}`;
  const [first, ...more] = task_names ?? [];
  if (first !== undefined && more.length === 0) return first;
  return `${task_names?.length ?? 0} tasks`;
}
