/** The size and cost of the evaluation, before it is started. */
import type { EvaluationCreateRequest } from '@drydock/sdk';
import { Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { drydock } from '../../api/client.ts';
import { toProblem } from '../../api/problem.ts';
import { formatCompact, formatCount, formatUsd } from '../../components/format.ts';
import { useWhere } from '../../frame/scope.ts';
import { Figure } from '../figures.tsx';

/** The API requires a name, but the user may not have typed one yet. */
const PLACEHOLDER_NAME = 'estimate';

export function EstimateCard({ request }: { readonly request: EvaluationCreateRequest }) {
  const where = useWhere();
  const [body] = useDebouncedValue(JSON.stringify({ ...request, name: PLACEHOLDER_NAME, tags: null }), 400);
  const isReady =
    request.model !== '' &&
    Boolean(
      request.task_names?.length ?? request.task_set ?? (request.dataset?.input && request.dataset.version),
    );
  const { data, error } = useQuery({
    queryKey: ['estimate', where, body],
    queryFn: async ({ signal }) =>
      drydock.evaluations.estimate(where, JSON.parse(body) as EvaluationCreateRequest, { signal }),
    enabled: isReady,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return (
    <Paper component="section" aria-label="Estimate" withBorder p="md" w={300} pos="sticky" top={68}>
      <Title order={2} size="h6" mb="xs">
        Estimate
      </Title>
      {!isReady && (
        <Text size="sm" c="dimmed">
          Choose a model, and tasks or a dataset, to see the size and cost before you start.
        </Text>
      )}
      {isReady && error && (
        <Text size="sm" className="user-text" role="status">
          This cannot run yet: {toProblem(error).detail}
        </Text>
      )}
      {isReady && !error && data && (
        <Stack gap="sm">
          <SimpleGrid cols={2} spacing="sm">
            <Figure label="Samples">{formatCount(data.total_samples)}</Figure>
            <Figure label="Sandboxes">{formatCount(data.sandboxes)}</Figure>
            <Figure label="Input tokens">{formatCompact(data.input_tokens)}</Figure>
            <Figure label="Output tokens">{formatCompact(data.output_tokens)}</Figure>
            <Figure label="Estimated cost">{formatUsd(data.cost_usd)}</Figure>
            <Figure label="Maximum cost">
              {data.max_cost_usd === null ? 'no limit' : formatUsd(data.max_cost_usd)}
            </Figure>
          </SimpleGrid>
          {data.skipped_members.map(({ task_name, reason }) => (
            <Text key={task_name} size="xs" className="user-text">
              {task_name} is skipped: {reason}
            </Text>
          ))}
          <Text size="xs" c="dimmed">
            Tokens are estimated from the length of the instructions and a typical number of turns.
          </Text>
        </Stack>
      )}
    </Paper>
  );
}
