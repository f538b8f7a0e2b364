/** The sandboxes of a sample: their resources, the commands of the agent, and their logs. */
import type { EvaluationItem, OneItem } from '@drydock/sdk';
import { Badge, Code, Group, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { drydock } from '../../api/client.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formatBytes, formatCount } from '../../components/format.ts';
import { Figure } from '../figures.tsx';

interface SandboxTabProps {
  readonly item: EvaluationItem;
  readonly itemRef: OneItem;
}

const MAX_MESSAGES = 500;
const MAX_LOG_ENTRIES = 200;

export function SandboxTab({ item, itemRef }: SandboxTabProps) {
  const { agent_sandbox_id, env_sandbox_id, requested_resources, enforced_resources } = item;
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <Figure label="Requested resources">{describeResources(requested_resources, 'defaults')}</Figure>
        <Figure label="Enforced resources">{describeResources(enforced_resources, 'not known yet')}</Figure>
      </SimpleGrid>
      {item.session_id && <Commands item={item} itemRef={itemRef} />}
      <ChangedFiles files={item.changed_files} />
      <SandboxLog title="Agent sandbox" org={itemRef.org} sandboxId={agent_sandbox_id} />
      <SandboxLog title="Verification sandbox" org={itemRef.org} sandboxId={env_sandbox_id} />
    </Stack>
  );
}

const RESOURCES: Readonly<Record<string, string>> = {
  cpu_cores: 'CPU cores',
  memory_mb: 'MB of memory',
  disk_mb: 'MB of disk',
  pids: 'processes',
};

function describeResources(resources: Readonly<Record<string, number>> | null, none: string): string {
  const parts = Object.entries(resources ?? {}).map(
    ([name, value]) => `${formatCount(value)} ${RESOURCES[name] ?? name.replaceAll('_', ' ')}`,
  );
  return parts.length > 0 ? parts.join(', ') : none;
}

/** The tool calls of the agent. */
function Commands({ item, itemRef }: SandboxTabProps) {
  const { data, error } = useQuery({
    queryKey: ['evaluation', itemRef.evaluation_id, 'item', item.id, 'commands'],
    queryFn: async ({ signal }) =>
      drydock.evaluationItems.transcript(itemRef, { limit: MAX_MESSAGES }, { signal }),
  });
  const calls = (data?.messages ?? []).flatMap(({ tool_calls }) => tool_calls ?? []);
  return (
    <section>
      <Title order={2} size="h6" mb={4}>
        Commands
      </Title>
      {error && <ErrorNotice error={error} />}
      {data && calls.length === 0 && (
        <Text size="sm" c="dimmed">
          The agent made no tool calls.
        </Text>
      )}
      <Stack gap={6}>
        {calls.map(({ id, name, arguments: text }) => (
          <Group key={id} gap="sm" wrap="nowrap" align="flex-start">
            <Badge variant="default" tt="none" radius="sm" fw={500} style={{ flexShrink: 0 }}>
              {name}
            </Badge>
            <Code block flex={1} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {toCommand(text)}
            </Code>
          </Group>
        ))}
      </Stack>
      {data?.has_more && (
        <Text size="xs" c="dimmed" mt={4}>
          Only calls in the first {formatCount(MAX_MESSAGES)} messages are listed. The transcript has all of
          them.
        </Text>
      )}
    </section>
  );
}

/** @returns the command of a shell tool, or the arguments of another tool unchanged */
function toCommand(text: string): string {
  try {
    const { command } = JSON.parse(text) as { command?: unknown };
    if (typeof command === 'string') return command;
  } catch {
    // Models sometimes write arguments that are not JSON.
  }
  return text.length > 2_000 ? `${text.slice(0, 2_000)}…` : text;
}

function ChangedFiles({ files }: { readonly files: EvaluationItem['changed_files'] }) {
  return (
    <section>
      <Title order={2} size="h6" mb={4}>
        Files changed in /workspace
      </Title>
      {files === null || files.length === 0 ? (
        <Text size="sm" c="dimmed">
          {files === null ? 'Not known.' : 'None.'}
        </Text>
      ) : (
        <Table aria-label="Files changed in /workspace" verticalSpacing={4}>
          <Table.Tbody>
            {files.map(({ path, size_bytes }) => (
              <Table.Tr key={path}>
                <Table.Td className="user-text" ff="monospace">
                  {path}
                </Table.Td>
                <Table.Td w={110} ta="right">
                  {formatBytes(size_bytes)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </section>
  );
}

interface SandboxLogProps {
  readonly title: string;
  readonly org: string;
  readonly sandboxId: string | null;
}

function SandboxLog({ title, org, sandboxId }: SandboxLogProps) {
  const { data, error } = useQuery({
    queryKey: ['sandbox-log', org, sandboxId],
    queryFn: async ({ signal }) =>
      drydock.sandboxes.listLogs(
        { org, sandbox_id: sandboxId ?? '' },
        { limit: MAX_LOG_ENTRIES },
        { signal },
      ),
    enabled: sandboxId !== null,
  });
  return (
    <section>
      <Group gap="xs" mb={4}>
        <Title order={2} size="h6">
          {title}
        </Title>
        <Text size="xs" c="dimmed" ff="monospace">
          {sandboxId ?? 'none'}
        </Text>
      </Group>
      {error && <ErrorNotice error={error} />}
      {data && (
        <Table aria-label={`Log: ${title}`} verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={130}>Time</Table.Th>
              <Table.Th w={110}>Kind</Table.Th>
              <Table.Th>What happened</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.items.map(({ number, at, kind, message, details }) => (
              <Table.Tr key={number}>
                <Table.Td>{new Date(at).toLocaleTimeString()}</Table.Td>
                <Table.Td>{kind === 'egress' ? 'network' : kind}</Table.Td>
                <Table.Td className="user-text">
                  {message}{' '}
                  <Text span size="xs" c="dimmed">
                    {describeDetails(details)}
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {data?.next_cursor && (
        <Text size="xs" c="dimmed" mt={4}>
          The first {MAX_LOG_ENTRIES} entries are shown.
        </Text>
      )}
      {data && !data.next_cursor && !data.items.some(({ kind }) => kind === 'egress') && (
        <Text size="xs" c="dimmed" mt={4}>
          No network requests.
        </Text>
      )}
    </section>
  );
}

const describeDetails = (details: Readonly<Record<string, unknown>>): string =>
  Object.entries(details)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
