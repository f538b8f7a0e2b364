/** The MCP servers of an installed capability, and their tools. */
import type { CapabilityMcpServer, CapabilityMcpTool, OneRuntime } from '@drydock/sdk';
import { Badge, Button, Code, Group, List, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { drydock } from '../../api/client.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { bindingsKey } from '../queries.ts';

interface McpServersProps {
  readonly binding: OneRuntime & { readonly binding_id: string };
  readonly isUsable: boolean;
}

export function McpServers({ binding, isUsable }: McpServersProps) {
  const { data, error, refetch } = useQuery({
    queryKey: [...bindingsKey(binding), binding.binding_id, 'servers'],
    queryFn: async ({ signal }) => drydock.runtimeCapabilities.listMcpServers(binding, { signal }),
  });
  return (
    <section>
      <Title order={3} size="h6" mb={4}>
        MCP servers
      </Title>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <Stack gap="xs">
        {data?.map((server) => (
          <Server key={server.name} server={server} binding={binding} isUsable={isUsable} />
        ))}
      </Stack>
    </section>
  );
}

interface ServerProps extends McpServersProps {
  readonly server: CapabilityMcpServer;
}

function Server({ server: { name, transport, command, url, problem }, binding, isUsable }: ServerProps) {
  const [isRequested, setRequested] = useState(false);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [...bindingsKey(binding), binding.binding_id, 'tools', name],
    queryFn: async ({ signal }) =>
      drydock.runtimeCapabilities.listMcpTools({ ...binding, server: name }, { signal }),
    enabled: isRequested && isUsable,
    retry: false,
    staleTime: 60_000,
  });
  const ask = () => (isRequested ? void refetch() : setRequested(true));
  return (
    <div>
      <Group gap="xs">
        <Text size="sm" fw={500} className="user-text">
          {name}
        </Text>
        <Badge variant="default" tt="none" fw={500}>
          {transport}
        </Badge>
        <Code>{command?.join(' ') ?? url ?? ''}</Code>
        {transport === 'stdio' && (
          <Button
            size="compact-xs"
            variant="default"
            loading={isFetching}
            disabled={!isUsable}
            aria-label={isUsable ? `List its tools: ${name}` : undefined}
            onClick={ask}
          >
            {isUsable ? 'List its tools' : 'Start the runtime to list its tools'}
          </Button>
        )}
      </Group>
      {problem !== null && (
        <Text size="xs" c="red" className="user-text">
          {problem}
        </Text>
      )}
      {transport === 'http' && (
        <Text size="xs" c="dimmed">
          It runs elsewhere. Call it at its address with credentials of your own.
        </Text>
      )}
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && <Text size="sm">It has no tools.</Text>}
      {data && data.length > 0 && <Tools tools={data} />}
    </div>
  );
}

const Tools = ({ tools }: { readonly tools: readonly CapabilityMcpTool[] }) => (
  <List size="sm" spacing={2} mt={4}>
    {tools.map(({ name, title, description }) => (
      <List.Item key={name}>
        <Code>{name}</Code>{' '}
        <Text span size="sm" className="user-text" lineClamp={3}>
          {title ?? description ?? ''}
        </Text>
      </List.Item>
    ))}
  </List>
);
