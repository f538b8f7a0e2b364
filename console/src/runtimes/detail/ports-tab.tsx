/** The exposed ports of a runtime: how programs reach them, and a preview of what they answer. */
import type { OneRuntime } from '@drydock/sdk';
import { ActionIcon, Badge, Button, Code, Group, NumberInput, Stack, Text, Tooltip } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { CopyAs } from '../../components/copy-as.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { useChangeSandboxConfig } from '../change-config.ts';
import { configQuery } from '../queries.ts';
import type { RuntimeTabProps } from '../runtime-page.tsx';
import { PortPreview } from './port-preview.tsx';
import { RunningOnly } from './running-only.tsx';

export function PortsTab({ runtime, target, search, onChange }: RuntimeTabProps) {
  const { data: config } = useQuery(configQuery(target));
  const ports = config?.sandbox.exposed_ports ?? [];
  const port = ports.find((one) => one === search.port) ?? ports[0];
  return (
    <Stack gap="md">
      <SectionCard
        title="Exposed ports"
        hint="Programs that listen there, on 127.0.0.1 or ::1 in the sandbox, are reached through the API by the owner. Changes apply at once."
      >
        <PortList
          ports={ports}
          chosen={port}
          target={target}
          isOwned={runtime.owned_by_me}
          onChoose={(next) => onChange({ port: next, path: undefined })}
        />
      </SectionCard>
      {config && ports.length === 0 && (
        <EmptyState title="No exposed ports">
          Start a program that listens, such as <Code>python3 -m http.server 8000</Code>, and expose its port
          above.
        </EmptyState>
      )}
      {port !== undefined && (
        <RunningOnly runtime={runtime} subject="What listens at a port">
          <Reach target={target} port={port} path={search.path ?? '/'} />
          <PortPreview
            key={port}
            target={target}
            port={port}
            path={search.path ?? '/'}
            onPath={(path) => onChange({ port, path: path === '/' ? undefined : path })}
          />
        </RunningOnly>
      )}
    </Stack>
  );
}

interface PortListProps {
  readonly ports: readonly number[];
  readonly chosen: number | undefined;
  readonly target: OneRuntime;
  readonly isOwned: boolean;
  readonly onChoose: (port: number) => void;
}

function PortList({ ports, chosen, target, isOwned, onChoose }: PortListProps) {
  const [value, setValue] = useState<number | string>('');
  const change = useChangeSandboxConfig(target);
  const hide = (port: number) =>
    change.mutate(({ exposed_ports }) => ({ exposed_ports: exposed_ports.filter((one) => one !== port) }));
  const expose = (event: FormEvent) => {
    event.preventDefault();
    if (typeof value !== 'number') return;
    change.mutate(({ exposed_ports }) => ({ exposed_ports: [...new Set([...exposed_ports, value])] }), {
      onSuccess: () => setValue(''),
    });
  };
  return (
    <Group gap="md" align="flex-end">
      {ports.map((port) => (
        <Group key={port} gap={4} wrap="nowrap">
          <Button
            size="xs"
            variant={port === chosen ? 'light' : 'default'}
            aria-pressed={port === chosen}
            onClick={() => onChoose(port)}
          >
            {port}
          </Button>
          {isOwned && (
            <Tooltip label={`Do not expose ${port} any more`}>
              <ActionIcon
                size="sm"
                variant="subtle"
                color="gray"
                aria-label={`Do not expose ${port} any more`}
                loading={change.isPending}
                onClick={() => hide(port)}
              >
                <IconX size={14} />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
      ))}
      {isOwned && (
        <form onSubmit={expose}>
          <Group gap="xs" align="flex-end">
            <NumberInput
              size="xs"
              w={120}
              label="Port"
              min={1}
              max={65_535}
              allowDecimal={false}
              value={value}
              onChange={setValue}
            />
            <Button
              size="xs"
              variant="default"
              type="submit"
              loading={change.isPending}
              disabled={value === ''}
            >
              Expose
            </Button>
          </Group>
        </form>
      )}
    </Group>
  );
}

interface ReachProps {
  readonly target: OneRuntime;
  readonly port: number;
  readonly path: string;
}

/** The address for programs. It is not a link: a browser that opens it cannot send the token that the API asks for. */
function Reach({ target, port, path }: ReachProps) {
  const { org, workspace, runtime } = target;
  const address = `/api/v1/org/${org}/ws/${workspace}/runtimes/${runtime}/ports/${port}${path}`;
  const call = JSON.stringify({ ...target, port, path });
  return (
    <Group gap="sm" mb="sm" align="flex-start" wrap="nowrap">
      <Stack gap={4} flex={1} miw={0}>
        <Group gap="xs">
          <Badge variant="default" tt="none">
            Address
          </Badge>
          <Code style={{ overflowWrap: 'anywhere' }}>{location.origin + address}</Code>
        </Group>
        <Text size="xs" c="dimmed">
          A browser cannot open this address by itself, because every request needs an API key or an access
          token in its Authorization header. Use “Copy as”, or the preview below.
        </Text>
      </Stack>
      <CopyAs path={address} code={`await (await drydock.runtimes.reachPort(${call})).text()`} />
    </Group>
  );
}
