/** The size and cost of the job, before it is created. */
import type { OptimizationJobCreateRequest } from '@drydock/sdk';
import { Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { drydock } from '../../api/client.ts';
import { toProblem } from '../../api/problem.ts';
import { formatCompact, formatCount, formatUsd } from '../../components/format.ts';
import { Figure } from '../../evaluations/figures.tsx';
import { useWhere } from '../../frame/scope.ts';

export function EstimateCard({ request }: { readonly request: OptimizationJobCreateRequest }) {
  const where = useWhere();
  const [body] = useDebouncedValue(JSON.stringify({ ...request, name: null, tags: null }), 400);
  const { capability_ref, dataset_ref, task_refs, model } = request;
  const isReady =
    model !== '' &&
    capability_ref.name !== '' &&
    capability_ref.version !== '' &&
    Boolean(dataset_ref ? dataset_ref.name && dataset_ref.version : task_refs?.length);
  const { data, error } = useQuery({
    queryKey: ['optimization-estimate', where, body],
    queryFn: async ({ signal }) =>
      drydock.optimization.estimate(where, JSON.parse(body) as OptimizationJobCreateRequest, { signal }),
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
          Choose a capability, and a dataset or tasks, to see the size and cost before you start.
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
            <Figure label="Training examples">{formatCount(data.train_size)}</Figure>
            <Figure label="Validation examples">
              {data.val_size === 0 ? 'the same' : formatCount(data.val_size)}
            </Figure>
            <Figure label="Holdout">{formatCount(data.holdout_size)}</Figure>
            <Figure label="Reflections">{formatCount(data.reflection_calls)}</Figure>
            <Figure
              label="Metric calls"
              hint={
                data.metric_calls_limit === null
                  ? 'no limit'
                  : `limit ${formatCount(data.metric_calls_limit)}`
              }
            >
              {formatCount(data.metric_calls)}
            </Figure>
            <Figure label="At least" hint="seed and one iteration">
              {formatCount(data.metric_calls_floor)}
            </Figure>
            <Figure label="Input tokens">{formatCompact(data.input_tokens)}</Figure>
            <Figure label="Output tokens">{formatCompact(data.output_tokens)}</Figure>
            <Figure label="Estimated cost">{formatUsd(data.cost_usd)}</Figure>
          </SimpleGrid>
          {data.warnings.map((warning) => (
            <Text key={warning} size="xs" className="user-text" role="status">
              {warning}
            </Text>
          ))}
          <Text size="xs" c="dimmed">
            The estimate assumes that three of ten proposals are accepted.
          </Text>
        </Stack>
      )}
    </Paper>
  );
}
