/** The result of each scorer, with its explanation. */
import type { EvaluationItem } from '@drydock/sdk';
import { Table, Text } from '@mantine/core';
import { formatScore } from '../../components/format.ts';
import { ScoreBadge } from '../figures.tsx';

export function ScoresTab({ item: { scores, score, task_name } }: { readonly item: EvaluationItem }) {
  const rows = Object.entries(scores);
  if (rows.length === 0)
    return (
      <Text size="sm">
        {score === null
          ? 'No score yet.'
          : `This sample has no scorers. Its score of ${formatScore(score)} comes from the verification.`}
      </Text>
    );
  return (
    <>
      <Table aria-label="Scores" verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Scorer</Table.Th>
            <Table.Th>Result</Table.Th>
            <Table.Th ta="right">Value</Table.Th>
            <Table.Th>Explanation</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(([name, { value, passed, explanation, error }]) => (
            <Table.Tr key={name}>
              <Table.Td className="user-text">{name}</Table.Td>
              <Table.Td>
                <ScoreBadge passed={passed}>
                  {passed === null ? 'No result' : passed ? 'Passed' : 'Failed'}
                </ScoreBadge>
              </Table.Td>
              <Table.Td ta="right">{formatScore(value)}</Table.Td>
              <Table.Td className="user-text">{error ?? explanation}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {task_name !== null && (
        <Text size="xs" c="dimmed" mt="xs">
          Only the verification of the task decides whether the sample passes.
        </Text>
      )}
    </>
  );
}
