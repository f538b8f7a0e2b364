/** Chooses the sandbox whose log is shown, and reads that log. */
import type { OneSandbox } from '@drydock/sdk';
import { Button, Group, Loader, NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formatCount, formatTime } from '../../components/format.ts';
import { useWhere } from '../../frame/scope.ts';
import { STATE_LABELS } from '../figures.tsx';
import { type LogEntry, type LogKind, runtimeSandboxesQuery, sandboxLogQuery } from '../queries.ts';
import type { RuntimeTabProps } from '../runtime-page.tsx';

interface SandboxLogProps extends Pick<RuntimeTabProps, 'runtime' | 'search' | 'onChange'> {
  readonly kind: LogKind;
  readonly children: (entries: readonly LogEntry[], sandbox: OneSandbox) => ReactNode;
}

export function SandboxLog({ runtime, search, onChange, kind, children }: SandboxLogProps) {
  const { org } = useWhere();
  const last = runtime.instance?.sandbox_id;
  const sandboxId = search.sandbox ?? last;
  const where = { org, sandbox_id: sandboxId ?? '' };
  const { data: sandboxes } = useQuery(runtimeSandboxesQuery(org, runtime));
  const { data, error, isFetching, refetch } = useQuery({
    ...sandboxLogQuery(where, kind),
    enabled: sandboxId !== undefined && runtime.owned_by_me,
  });
  if (!runtime.owned_by_me)
    return (
      <EmptyState title="This belongs to the owner">
        Logs of sandboxes name the hosts that were asked for, so only the owner of a runtime can read them.
      </EmptyState>
    );
  if (sandboxId === undefined)
    return <EmptyState title="No log yet">The first line is written when the runtime starts.</EmptyState>;
  const known = sandboxes?.rows ?? [];
  return (
    <>
      <Group justify="space-between" mb="sm">
        <NativeSelect
          size="xs"
          aria-label="Sandbox"
          data={known.map(({ sandbox_id, created_at, state }) => ({
            value: sandbox_id,
            label: `${formatTime(created_at)} (${STATE_LABELS[state].toLowerCase()})`,
          }))}
          value={sandboxId}
          onChange={({ currentTarget: { value } }) =>
            onChange({ sandbox: value === last ? undefined : value }, { replace: true })
          }
        />
        <Button size="xs" variant="default" loading={isFetching} onClick={() => void refetch()}>
          Refresh
        </Button>
      </Group>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loader size="sm" aria-label="Loading" />}
      {data && children(data.rows, where)}
      {data && !data.isComplete && (
        <Text size="xs" c="dimmed" mt={4}>
          The first {formatCount(data.rows.length)} entries are shown.
        </Text>
      )}
    </>
  );
}
