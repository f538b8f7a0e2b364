/** The controls of frameworks that findings test, and how many findings broke them. */
import type { AirtControl } from '@drydock/sdk';
import { Badge, Stack, Table, Text } from '@mantine/core';
import { formatCount } from '../../components/format.ts';

export function Compliance({ controls }: { readonly controls: readonly AirtControl[] }) {
  const frameworks = Map.groupBy(controls, ({ framework, framework_name }) => framework_name ?? framework);
  if (controls.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No control of a framework was tested.
      </Text>
    );
  return (
    <Stack gap="md">
      {[...frameworks].map(([framework, rows]) => (
        <div key={framework}>
          <Text size="sm" fw={600}>
            {framework}{' '}
            <Text span inherit size="xs" c="dimmed" fw={400}>
              {rows.filter(({ broken }) => broken > 0).length} of {rows.length} broken
            </Text>
          </Text>
          <Table verticalSpacing={3} horizontalSpacing="xs" fz="xs" aria-label={`Controls of ${framework}`}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Control</Table.Th>
                <Table.Th ta="right" w={70}>
                  Tested
                </Table.Th>
                <Table.Th w={110}>Broken</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(({ control, title, findings, broken }) => (
                <Table.Tr key={control}>
                  <Table.Td>
                    {control}
                    {title && (
                      <Text span inherit c="dimmed">
                        {' '}
                        {title}
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td ta="right">{formatCount(findings)}</Table.Td>
                  <Table.Td>
                    <Badge
                      variant="dot"
                      size="sm"
                      radius="sm"
                      tt="none"
                      fw={500}
                      color={broken > 0 ? 'red' : 'teal'}
                    >
                      {broken > 0 ? `${formatCount(broken)} broken` : 'Held'}
                    </Badge>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      ))}
    </Stack>
  );
}
