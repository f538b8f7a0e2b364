/** The key facts of an evaluation beside the list. */
import type { EvaluationResponse } from '@drydock/sdk';
import { Alert, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Fact, FactList } from '../components/fact-list.tsx';
import { formatCountOf, formatPercent, formatTime, formatUsd } from '../components/format.ts';
import { ButtonLink } from '../components/links.tsx';
import { SidePanel } from '../components/list/side-panel.tsx';
import { useWhere } from '../frame/scope.ts';
import { Figure, RateBar, StateBar, StateLegend, StatusBadge, Tags } from './figures.tsx';
import { analyticsQuery } from './queries.ts';

interface EvaluationPanelProps {
  readonly evaluation: EvaluationResponse;
  readonly onClose: () => void;
}

export function EvaluationPanel({ evaluation, onClose }: EvaluationPanelProps) {
  const where = useWhere();
  const { id, name, status, pass_rate, passed_count, failed_count, tags, error, pause_reason } = evaluation;
  const { data: analytics } = useQuery(analyticsQuery({ ...where, evaluation_id: id }));
  const judged = passed_count + failed_count;
  return (
    <SidePanel title={name} onClose={onClose}>
      <Stack gap="sm">
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
        <Figure label={`Pass rate of ${formatCountOf(judged, 'result')}`}>{formatPercent(pass_rate)}</Figure>
        <RateBar label="Pass rate" rate={pass_rate} interval={analytics?.pass_rate_interval} />
        <FactList facts={toFacts(evaluation)} />
        <Tags tags={tags} />
        <ButtonLink
          to="/o/$org/w/$workspace/evaluations/$evaluationId"
          params={{ ...where, evaluationId: id }}
          size="xs"
        >
          Open the evaluation
        </ButtonLink>
      </Stack>
    </SidePanel>
  );
}

const toFacts = (evaluation: EvaluationResponse): Fact[] => [
  ['Model', evaluation.model],
  ['Agent', describeAgent(evaluation)],
  ['Source', describeSource(evaluation)],
  ['Repetitions', evaluation.repetitions],
  ['Cost', formatUsd(evaluation.cost_usd)],
  ['Budget', evaluation.budget_usd === null ? 'none' : formatUsd(evaluation.budget_usd)],
  ['Started', formatTime(evaluation.started_at)],
  ['Ended', formatTime(evaluation.completed_at)],
];

/** If no agent is chosen, rows of a dataset are single calls of the model, and tasks are given to the agent "basic". */
export const describeAgent = ({ agent, dataset }: EvaluationResponse): string =>
  typeof agent === 'object' && agent !== null
    ? agent.command
    : (agent ?? (dataset ? 'single call' : 'basic'));

/** The tasks, the set of tasks or the dataset that an evaluation runs over. */
export function describeSource({ task_names, task_set, dataset }: EvaluationResponse): string {
  if (task_set) return `task set ${task_set}`;
  if (dataset) return `${dataset.name}@${dataset.version}${dataset.split ? ` (${dataset.split})` : ''}`;
  const [first, ...more] = task_names ?? [];
  if (first !== undefined && more.length === 0) return first;
  return `${task_names?.length ?? 0} tasks`;
}
