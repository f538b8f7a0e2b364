/** The hosts that a sandbox asked for: which were reached, which were refused, and the pattern that would allow them. */
import { Alert, Badge, Button, Code, Stack, Table, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '../../components/empty-state.tsx';
import { formatCount, formatCountOf, formatTime } from '../../components/format.ts';
import { useChangeSandboxConfig } from '../change-config.ts';
import { configQuery, type LogEntry } from '../queries.ts';
import type { RuntimeTabProps } from '../runtime-page.tsx';
import { SandboxLog } from './sandbox-log.tsx';

export function EgressTab(props: RuntimeTabProps) {
  const { data: config } = useQuery(configQuery(props.target));
  const allowed = config?.sandbox.egress_allow;
  return (
    <Stack gap="md">
      {config && (
        <Text size="sm" className="user-text">
          {allowed && allowed.length > 0
            ? `Allowed: ${allowed.join(', ')}. Everything else is refused and listed here.`
            : 'The configuration allows no hosts, so the sandbox has no network, and requests do not get as far as this log.'}
        </Text>
      )}
      <SandboxLog {...props} kind="egress">
        {(entries) => (
          <EgressTable {...props} destinations={toDestinations(entries)} allowed={allowed ?? []} />
        )}
      </SandboxLog>
    </Stack>
  );
}

interface Destination {
  readonly host: string;
  readonly port: number;
  readonly isAllowed: boolean;
  readonly count: number;
  readonly lastAt: string;
  readonly reason: string | undefined;
  /** The text that the allow-list needs, as the server says it. */
  readonly pattern: string | undefined;
}

interface EgressTableProps extends RuntimeTabProps {
  readonly destinations: { readonly rows: readonly Destination[]; readonly dropped: number };
  readonly allowed: readonly string[];
}

function EgressTable({ target, destinations: { rows, dropped }, allowed }: EgressTableProps) {
  const change = useChangeSandboxConfig(target, () =>
    notifications.show({
      color: 'teal',
      title: 'The host is in the configuration',
      message: 'Stop the runtime and start it, so that its sandbox may reach the host.',
      autoClose: 10_000,
    }),
  );
  const allow = (pattern: string) =>
    change.mutate(({ egress_allow = [] }) => ({ egress_allow: [...egress_allow, pattern] }));
  if (rows.length === 0)
    return (
      <EmptyState title="No network requests">
        Requests over HTTP and HTTPS appear here seconds after a program in the sandbox has made them.
      </EmptyState>
    );
  return (
    <>
      {dropped > 0 && (
        <Alert color="yellow" variant="outline" role="status" mb="sm">
          {formatCountOf(dropped, 'request')} came too fast and could not be recorded.
        </Alert>
      )}
      <Table.ScrollContainer minWidth={760} type="native">
        <Table verticalSpacing={6} aria-label="Network requests">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Host</Table.Th>
              <Table.Th ta="right">Port</Table.Th>
              <Table.Th>Decision</Table.Th>
              <Table.Th ta="right">Requests</Table.Th>
              <Table.Th>Last</Table.Th>
              <Table.Th>To allow it</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={`${row.host}:${row.port}:${row.isAllowed}`}>
                <Table.Td className="user-text">{row.host}</Table.Td>
                <Table.Td ta="right">{row.port}</Table.Td>
                <Table.Td>
                  <Badge variant="dot" tt="none" fw={500} radius="sm" color={row.isAllowed ? 'teal' : 'red'}>
                    {row.isAllowed ? 'Allowed' : 'Refused'}
                  </Badge>
                </Table.Td>
                <Table.Td ta="right">{formatCount(row.count)}</Table.Td>
                <Table.Td>{formatTime(row.lastAt)}</Table.Td>
                <Table.Td>
                  <Remedy
                    row={row}
                    isInConfig={row.pattern !== undefined && allowed.includes(row.pattern)}
                    isPending={change.isPending}
                    onAllow={allow}
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  );
}

interface RemedyProps {
  readonly row: Destination;
  readonly isInConfig: boolean;
  readonly isPending: boolean;
  readonly onAllow: (pattern: string) => void;
}

function Remedy({ row: { isAllowed, pattern, reason }, isInConfig, isPending, onAllow }: RemedyProps) {
  if (isAllowed) return '–';
  if (pattern === undefined)
    return (
      <Text size="xs" className="user-text">
        {reason ?? 'Not known.'}
      </Text>
    );
  return (
    <>
      <Code>{pattern}</Code>{' '}
      {isInConfig ? (
        <Text span size="xs">
          is in the configuration; the next start uses it.
        </Text>
      ) : (
        <Button
          size="compact-xs"
          variant="default"
          loading={isPending}
          aria-label={`Allow from the next start on: ${pattern}`}
          onClick={() => onAllow(pattern)}
        >
          Allow from the next start on
        </Button>
      )}
    </>
  );
}

/** Groups requests by their destination and the decision, the latest first. */
function toDestinations(entries: readonly LogEntry[]): EgressTableProps['destinations'] {
  const rows = new Map<string, Destination>();
  let dropped = 0;
  for (const { at, details } of entries) {
    const { host, port, allowed, reason, count } = details as Readonly<Record<string, unknown>>;
    if (typeof host !== 'string') {
      dropped += typeof count === 'number' ? count : 0;
      continue;
    }
    const key = `${host} ${String(port)} ${String(allowed)}`;
    const text = typeof reason === 'string' ? reason : undefined;
    rows.set(key, {
      host,
      port: Number(port),
      isAllowed: allowed === true,
      count: (rows.get(key)?.count ?? 0) + 1,
      lastAt: at,
      reason: text,
      pattern: /Add "([^"]+)" to/.exec(text ?? '')?.[1],
    });
  }
  return { rows: [...rows.values()].toSorted((a, b) => b.lastAt.localeCompare(a.lastAt)), dropped };
}
