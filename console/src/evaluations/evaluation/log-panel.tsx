/** The log lines that workers have written since the page was opened. */
import { Box, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '../../components/empty-state.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { useWhere } from '../../frame/scope.ts';
import { logQuery } from '../queries.ts';

export function LogPanel({ evaluationId }: { readonly evaluationId: string }) {
  const where = useWhere();
  const { data: lines } = useQuery(logQuery(evaluationId));
  if (lines.length === 0)
    return (
      <EmptyState title="No log lines yet">
        Failed attempts that are retried, and samples that could not run, appear here while this page is open.
      </EmptyState>
    );
  return (
    <Box role="log" aria-label="Log" mah={420} style={{ overflow: 'auto' }} tabIndex={0}>
      {lines.map(({ number, at, itemId, message }) => (
        <Group key={number} gap="sm" wrap="nowrap" align="flex-start" py={2}>
          <Text size="xs" c="dimmed" ff="monospace" style={{ whiteSpace: 'nowrap' }}>
            {new Date(at).toLocaleTimeString()}
          </Text>
          <Text size="xs" ff="monospace" className="user-text" flex={1}>
            {message}
          </Text>
          {itemId && (
            <AnchorLink
              to="/o/$org/w/$workspace/evaluations/$evaluationId/samples/$itemId"
              params={{ ...where, evaluationId, itemId }}
              size="xs"
            >
              Sample
            </AnchorLink>
          )}
        </Group>
      ))}
    </Box>
  );
}
