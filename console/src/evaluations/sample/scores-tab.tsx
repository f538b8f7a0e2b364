/** What each scorer says about the answer. */
import type { EvaluationItem } from '@drydock/sdk';
import { Badge, Table, Text } from '@mantine/core';

export function ScoresTab({ item: { scores, score, task_name } }: { readonly item: EvaluationItem }) {
  const rows = Object.entries(scores);
  if (rows.length === 0)
    return (
      <Text size="sm">
        {score === null
          ? 'There is no score yet.'
          : `This sample has no scorers. Its score of ${Number(score.toFixed(3))} comes from the verification.`}
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
                <Badge
                  variant="dot"
                  tt="none"
                  fw={500}
                  radius="sm"
                  color={passed === null ? 'grape' : passed ? 'teal' : 'red'}
                >
                  {passed === null ? 'No result' : passed ? 'Passed' : 'Failed'}
                </Badge>
              </Table.Td>
              <Table.Td ta="right">{value ?? '–'}</Table.Td>
              <Table.Td className="user-text">{error ?? explanation}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {task_name !== null && (
        <Text size="xs" c="dimmed" mt="xs">
          The verification of the task alone decides whether the sample passes.
        </Text>
      )}
    </>
  );
}
