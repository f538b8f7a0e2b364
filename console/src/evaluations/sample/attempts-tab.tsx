/** Every attempt at a sample. Only the last one counts. */
import type { OneItem } from '@drydock/sdk';
import { Loader, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formatDuration, formatTime, formatUsd } from '../../components/format.ts';
import { AnchorLink } from '../../components/links.tsx';
import { useWhere } from '../../frame/scope.ts';
import { ItemBadge } from '../figures.tsx';
import { attemptsQuery } from '../queries.ts';

export function AttemptsTab({ itemRef }: { readonly itemRef: OneItem }) {
  const where = useWhere();
  const { data, error, refetch } = useQuery(attemptsQuery(itemRef));
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loader size="sm" aria-label="Loading" />;
  if (data.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No attempts yet.
      </Text>
    );
  return (
    <Table aria-label="Attempts" verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th ta="right">Attempt</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th>Started</Table.Th>
          <Table.Th ta="right">Duration</Table.Th>
          <Table.Th ta="right">Cost</Table.Th>
          <Table.Th>Error</Table.Th>
          <Table.Th>Session</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {data.map((attempt) => (
          <Table.Tr key={attempt.id}>
            <Table.Td ta="right">
              {attempt.number}
              {attempt.is_counted ? ' (counts)' : ''}
            </Table.Td>
            <Table.Td>
              <ItemBadge status={attempt.status} />
            </Table.Td>
            <Table.Td>{formatTime(attempt.started_at)}</Table.Td>
            <Table.Td ta="right">{formatDuration(attempt.duration_ms)}</Table.Td>
            <Table.Td ta="right">{formatUsd(attempt.usage.cost_usd)}</Table.Td>
            <Table.Td className="user-text">{attempt.error ?? '–'}</Table.Td>
            <Table.Td>
              {attempt.session_id ? (
                <AnchorLink
                  to="/o/$org/w/$workspace/sessions/$sessionId"
                  params={{ ...where, sessionId: attempt.session_id }}
                  size="sm"
                >
                  Open
                </AnchorLink>
              ) : (
                '–'
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
