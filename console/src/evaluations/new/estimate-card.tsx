/** What the evaluation would take, before it is started. */
import type { EvaluationCreateRequest } from '@drydock/sdk';
import { Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { drydock } from '../../api/client.ts';
import { toProblem } from '../../api/problem.ts';
import { formatCompact, formatCount, formatUsd } from '../../components/format.ts';
import { useWhere } from '../../frame/scope.ts';
import { Figure } from '../figures.tsx';

/** The request without a name can be estimated too. */
const NAME = 'estimate';

export function EstimateCard({ request }: { readonly request: EvaluationCreateRequest }) {
  const where = useWhere();
  const [body] = useDebouncedValue(JSON.stringify({ ...request, name: NAME, tags: null }), 400);
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
          Choose a model and what it runs over, and the size and cost are shown here before anything starts.
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
            <Figure label="Cost, about">{formatUsd(data.cost_usd)}</Figure>
            <Figure label="Cost at most">
              {data.max_cost_usd === null ? 'no limit' : formatUsd(data.max_cost_usd)}
            </Figure>
          </SimpleGrid>
          {data.skipped_members.map(({ task_name, reason }) => (
            <Text key={task_name} size="xs" className="user-text">
              {task_name} is skipped: {reason}
            </Text>
          ))}
          <Text size="xs" c="dimmed">
            Tokens are an assumption from the length of the instructions and the usual number of turns.
          </Text>
        </Stack>
      )}
    </Paper>
  );
}
