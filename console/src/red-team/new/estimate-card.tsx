/** The size and cost of the assessment, before it is created. */
import type { CreateAssessmentRequest } from '@drydock/sdk';
import { Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { drydock } from '../../api/client.ts';
import { toProblem } from '../../api/problem.ts';
import { formatCompact, formatCount, formatUsd } from '../../components/format.ts';
import { Figure } from '../../evaluations/figures.tsx';
import { useWhere } from '../../frame/scope.ts';

interface EstimateCardProps {
  readonly request: CreateAssessmentRequest;
  /** Whether enough is chosen for an estimate. */
  readonly isReady: boolean;
}

export function EstimateCard({ request, isReady }: EstimateCardProps) {
  const where = useWhere();
  const [body] = useDebouncedValue(JSON.stringify({ ...request, name: 'estimate' }), 400);
  const { data, error } = useQuery({
    queryKey: ['assessment-estimate', where, body],
    queryFn: async ({ signal }) =>
      drydock.assessments.estimate(where, JSON.parse(body) as CreateAssessmentRequest, { signal }),
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
          Choose a target, attacks and goals to see the size and cost before you start.
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
            <Figure label="Findings" hint="attack × goal">
              {formatCount(data.findings)}
            </Figure>
            <Figure label="Trials" hint="at most">
              {formatCount(data.trials)}
            </Figure>
            <Figure label="Target calls">{formatCount(data.calls.target)}</Figure>
            <Figure label="Judge calls">{formatCount(data.calls.judge)}</Figure>
            <Figure label="Attacker calls">{formatCount(data.calls.attacker)}</Figure>
            <Figure label="Tokens">{formatCompact(data.input_tokens + data.output_tokens)}</Figure>
            <Figure label="Cost" hint="at most">
              {formatUsd(data.cost_usd)}
            </Figure>
          </SimpleGrid>
          {data.warnings.map((warning) => (
            <Text key={warning} size="xs" className="user-text" role="status">
              {warning}
            </Text>
          ))}
          <Text size="xs" c="dimmed">
            Most attacks stop at their first success.
          </Text>
        </Stack>
      )}
    </Paper>
  );
}
