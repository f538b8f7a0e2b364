/** The size of the job, before it is created. */
import type { TrainingEstimateResponse, TrainingJobCreateRequest } from '@drydock/sdk';
import { Alert, Paper, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { drydock } from '../../api/client.ts';
import { toProblem } from '../../api/problem.ts';
import { formatBytes, formatCompact, formatCount, formatCountOf } from '../../components/format.ts';
import { Figure } from '../../evaluations/figures.tsx';
import { useWhere } from '../../frame/scope.ts';

const SHOWN_ROWS = 5;

export function EstimateCard({ request }: { readonly request: TrainingJobCreateRequest }) {
  const where = useWhere();
  const [body] = useDebouncedValue(JSON.stringify({ ...request, name: null, tags: null }), 400);
  const { model, capability_ref, config } = request;
  const datasets = [
    ...(config.dataset_ref ? [config.dataset_ref] : []),
    ...(config.trajectory_dataset_refs ?? []),
  ];
  const isReady =
    model !== '' &&
    capability_ref.name !== '' &&
    capability_ref.version !== '' &&
    datasets.length > 0 &&
    datasets.every(({ version }) => version !== '');
  const { data, error } = useQuery({
    queryKey: ['training-estimate', where, body],
    queryFn: async ({ signal }) =>
      drydock.training.estimate(where, JSON.parse(body) as TrainingJobCreateRequest, { signal }),
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
          Choose a base model, a capability, and a dataset or trajectories, to see the size before you start.
        </Text>
      )}
      {isReady && error && (
        <Text size="sm" className="user-text" role="status">
          This cannot run yet: {toProblem(error).detail}
        </Text>
      )}
      {isReady && !error && data && <Estimate estimate={data} />}
    </Paper>
  );
}

function Estimate({ estimate }: { readonly estimate: TrainingEstimateResponse }) {
  const { examples, tokens, steps, truncated_examples, longest_rows, memory_bytes, rows_read } = estimate;
  return (
    <Stack gap="sm">
      <SimpleGrid cols={2} spacing="sm">
        <Figure label="Examples">{formatCount(examples)}</Figure>
        <Figure label="Tokens of an epoch">{formatCompact(tokens)}</Figure>
        <Figure label="Steps">{formatCount(steps)}</Figure>
        <Figure label="Memory">{memory_bytes === null ? 'not known' : formatBytes(memory_bytes)}</Figure>
      </SimpleGrid>
      {truncated_examples > 0 && (
        <Alert color="yellow" variant="outline" p="xs" role="status">
          <Text size="xs">
            {formatCountOf(truncated_examples, 'example')} of {formatCount(examples)} will be truncated. Raise
            the max. sequence length to train on all of their tokens.
          </Text>
        </Alert>
      )}
      {longest_rows.length > 0 && (
        <Table fz="xs" verticalSpacing={2} horizontalSpacing={4} aria-label="Longest rows">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Longest rows</Table.Th>
              <Table.Th ta="right">Row</Table.Th>
              <Table.Th ta="right">Tokens</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {longest_rows.slice(0, SHOWN_ROWS).map(({ dataset, row, tokens: length }) => (
              <Table.Tr key={`${dataset}/${row}`}>
                <Table.Td className="user-text">{dataset}</Table.Td>
                <Table.Td ta="right">{formatCount(row)}</Table.Td>
                <Table.Td ta="right">{formatCount(length)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <Text size="xs" c="dimmed">
        A token is counted for every four characters.
        {rows_read < examples && ` The figures are extrapolated from ${formatCountOf(rows_read, 'row')}.`}
      </Text>
    </Stack>
  );
}
