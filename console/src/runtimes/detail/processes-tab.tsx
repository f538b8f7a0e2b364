/** The processes of a running sandbox, as its own user sees them. The API has no operation for them, so a command reads /proc. */
import type { OneRuntime } from '@drydock/sdk';
import { Button, Group, Loader, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { drydock } from '../../api/client.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formatBytes, formatCount } from '../../components/format.ts';
import { Figure } from '../../evaluations/figures.tsx';
import { useWhere } from '../../frame/scope.ts';
import { formatSeconds } from '../figures.tsx';
import { processesKey, sandboxQuery } from '../queries.ts';
import type { RuntimeTabProps } from '../runtime-page.tsx';
import { READ_PROCESSES, readProcesses } from './processes.ts';
import { RunningOnly } from './running-only.tsx';

const REFRESH_MS = 5_000;
const COMMAND_SECONDS = 20;
const SHOWN = 200;

const processesQuery = (where: OneRuntime) =>
  queryOptions({
    queryKey: processesKey(where),
    queryFn: async ({ signal }) => {
      const command = ['sh', '-c', READ_PROCESSES];
      const request = { command, cwd: '/', timeout_seconds: COMMAND_SECONDS };
      const { stdout } = await drydock.runtimes.exec(where, request, { signal });
      return readProcesses(stdout);
    },
    // Only a visible page asks: the command runs in the sandbox.
    refetchInterval: REFRESH_MS,
  });

export function ProcessesTab({ runtime, target }: RuntimeTabProps) {
  return (
    <RunningOnly runtime={runtime} subject="The list of processes">
      <Processes runtime={runtime} target={target} />
    </RunningOnly>
  );
}

function Processes({ runtime, target }: Pick<RuntimeTabProps, 'runtime' | 'target'>) {
  const { org } = useWhere();
  const { data: processes, error, isFetching, refetch } = useQuery(processesQuery(target));
  const { data: sandbox } = useQuery(sandboxQuery({ org, sandbox_id: runtime.instance?.sandbox_id ?? '' }));
  if (error && !processes) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!processes) return <Loader size="sm" aria-label="Loading" />;
  const memory = processes.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
  const cpuSeconds = processes.reduce((sum, one) => sum + one.cpuSeconds, 0);
  const { pids, memory_mb, cpu_cores } = sandbox?.limits ?? {};
  const ofLimit = (limit: string | undefined) => (limit ? `of ${limit}` : 'no limit is enforced');
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <SimpleGrid cols={3} spacing="xl">
          <Figure label="Processes" hint={ofLimit(pids === undefined ? undefined : formatCount(pids))}>
            {formatCount(processes.length)}
          </Figure>
          <Figure
            label="Resident memory"
            hint={ofLimit(memory_mb === undefined ? undefined : `${formatCount(memory_mb)} MB`)}
          >
            {formatBytes(memory)}
          </Figure>
          <Figure
            label="CPU time"
            hint={cpu_cores === undefined ? 'no limit is enforced' : `on ${formatCount(cpu_cores)} CPU cores`}
          >
            {formatSeconds(cpuSeconds)}
          </Figure>
        </SimpleGrid>
        <Button size="xs" variant="default" loading={isFetching} onClick={() => void refetch()}>
          Refresh
        </Button>
      </Group>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <Table.ScrollContainer minWidth={640} type="native">
        <Table verticalSpacing={4} aria-label="Processes">
          <Table.Thead>
            <Table.Tr>
              <Table.Th ta="right">PID</Table.Th>
              <Table.Th ta="right">Parent</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th ta="right">CPU time</Table.Th>
              <Table.Th ta="right">Memory</Table.Th>
              <Table.Th ta="right">Age</Table.Th>
              <Table.Th>Command</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {processes.slice(0, SHOWN).map((one) => (
              <Table.Tr key={one.pid}>
                <Table.Td ta="right">{one.pid}</Table.Td>
                <Table.Td ta="right">{one.parent}</Table.Td>
                <Table.Td>{one.state}</Table.Td>
                <Table.Td ta="right">{formatSeconds(one.cpuSeconds)}</Table.Td>
                <Table.Td ta="right">{formatBytes(one.memoryBytes)}</Table.Td>
                <Table.Td ta="right">{formatSeconds(one.ageSeconds)}</Table.Td>
                <Table.Td ff="monospace" fz="xs" className="user-text">
                  {one.command}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="xs" c="dimmed">
        {processes.length > SHOWN && `The ${SHOWN} processes with the most memory are shown. `}
        Memory that processes share is counted for each of them. The page reads the list again every 5 seconds
        while it is visible; it leaves out the command that reads it.
      </Text>
    </Stack>
  );
}
