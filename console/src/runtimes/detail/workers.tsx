/** The workers of an installed capability: programs that run in the background of the sandbox. */
import type { CapabilityWorker, OneRuntime } from '@drydock/sdk';
import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { drydock } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formatAgo } from '../../components/format.ts';
import { LongText } from '../../components/long-text.tsx';
import { bindingsKey } from '../queries.ts';

const REFRESH_MS = 10_000;

interface WorkersProps {
  readonly binding: OneRuntime & { readonly binding_id: string };
  readonly isUsable: boolean;
}

const workersKey = (binding: WorkersProps['binding']) => [
  ...bindingsKey(binding),
  binding.binding_id,
  'workers',
];

export function Workers({ binding, isUsable }: WorkersProps) {
  const { data, error, refetch } = useQuery({
    queryKey: workersKey(binding),
    queryFn: async ({ signal }) => drydock.runtimeCapabilities.listWorkers(binding, { signal }),
    enabled: isUsable,
    refetchInterval: REFRESH_MS,
  });
  return (
    <section>
      <Title order={3} size="h6" mb={4}>
        Workers
      </Title>
      {!isUsable && (
        <Text size="sm" c="dimmed">
          Start the runtime to see its workers.
        </Text>
      )}
      {isUsable && error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <Stack gap="xs">
        {isUsable && data?.map((worker) => <Worker key={worker.name} worker={worker} binding={binding} />)}
      </Stack>
    </section>
  );
}

interface WorkerProps {
  readonly worker: CapabilityWorker;
  readonly binding: WorkersProps['binding'];
}

function Worker({ worker: { name, state, started_at, exit_code }, binding }: WorkerProps) {
  const queries = useQueryClient();
  const one = { ...binding, worker: name };
  const isRunning = state === 'running';
  const [isShown, setShown] = useState(false);
  const toggle = useAction(
    () =>
      isRunning ? drydock.runtimeCapabilities.stopWorker(one) : drydock.runtimeCapabilities.startWorker(one),
    () => queries.invalidateQueries({ queryKey: workersKey(binding) }),
  );
  const words = exit_code === null ? state : `${state} with ${exit_code}`;
  return (
    <div>
      <Group gap="xs">
        <Text size="sm" fw={500} className="user-text">
          {name}
        </Text>
        <Badge variant="dot" tt="none" fw={500} radius="sm" color={isRunning ? 'teal' : 'gray'}>
          {words}
        </Badge>
        {started_at !== null && (
          <Text size="xs" c="dimmed">
            started {formatAgo(started_at)}
          </Text>
        )}
        <Button
          size="compact-xs"
          variant="default"
          loading={toggle.isPending}
          aria-label={`${isRunning ? 'Stop' : 'Start'} the worker ${name}`}
          onClick={() => toggle.mutate(undefined)}
        >
          {isRunning ? 'Stop' : 'Start'}
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          aria-expanded={isShown}
          aria-label={`Log of the worker ${name}`}
          onClick={() => setShown(!isShown)}
        >
          Log
        </Button>
      </Group>
      {isShown && <WorkerLog where={one} />}
    </div>
  );
}

function WorkerLog({ where }: { readonly where: WorkersProps['binding'] & { readonly worker: string } }) {
  const { data, error, refetch } = useQuery({
    queryKey: [...workersKey(where), where.worker, 'log'],
    queryFn: async ({ signal }) => drydock.runtimeCapabilities.getWorkerLog(where, { signal }),
    refetchInterval: REFRESH_MS,
  });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  if (data.log === '') return <Text size="sm">It has written nothing yet.</Text>;
  return <LongText label={`Log of ${where.worker}`} fileName={`${where.worker}.log`} text={data.log} />;
}
