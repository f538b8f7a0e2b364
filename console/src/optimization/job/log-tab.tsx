/** The log of a job: one line for each decision. */
import type { OneOptimizationJob } from '@drydock/sdk';
import { Box, Button, Group, Loader, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { downloadFile } from '../../components/download.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { logsQuery } from '../queries.ts';

export function LogTab({ jobRef }: { readonly jobRef: OneOptimizationJob }) {
  const { data: lines, error, refetch } = useQuery(logsQuery(jobRef));
  if (error && !lines) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!lines) return <Loader size="sm" aria-label="Loading" />;
  if (lines.length === 0)
    return <EmptyState title="No log lines yet">The first line is written when a worker starts.</EmptyState>;
  const download = () =>
    downloadFile(
      `optimization-${jobRef.job_id}.log`,
      lines.map(({ timestamp, message }) => `${timestamp} ${message}\n`).join(''),
    );
  return (
    <>
      <Group justify="flex-end" mb="xs">
        <Button size="xs" variant="default" onClick={download}>
          Download
        </Button>
      </Group>
      <Box role="log" aria-label="Log" mah={560} style={{ overflow: 'auto' }} tabIndex={0}>
        {lines.map(({ seq, timestamp, message }) => (
          <Group key={seq} gap="sm" wrap="nowrap" align="flex-start" py={2}>
            <Text size="xs" c="dimmed" ff="monospace" style={{ whiteSpace: 'nowrap' }}>
              <time dateTime={timestamp}>{new Date(timestamp).toLocaleTimeString()}</time>
            </Text>
            <Text size="xs" ff="monospace" className="user-text" flex={1}>
              {message}
            </Text>
          </Group>
        ))}
      </Box>
    </>
  );
}
