/** The limits of a sandbox: what was asked for, what is enforced, and which rule decided. */
import type { Runtime, RuntimeConfigResponse, RuntimeInstanceData, Sandbox } from '@drydock/sdk';
import { Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatCount } from '../../components/format.ts';
import { useWhere } from '../../frame/scope.ts';
import { formatSeconds } from '../figures.tsx';
import { providersQuery } from '../queries.ts';

type Level = NonNullable<RuntimeInstanceData['configured_runtime_limit_source_level']>;

const RULES: Readonly<Record<Level, string>> = {
  l1_platform_max: 'The maximum of the platform is lower.',
  l1_platform_default: 'The default of the platform: nothing was asked for.',
  l2_org_max: 'The maximum of the organization is lower.',
  l3_org_default: 'The default of the organization: nothing was asked for.',
  l4_requested: 'As asked for.',
};

interface LimitsTableProps {
  readonly runtime: Runtime;
  readonly config: RuntimeConfigResponse;
  readonly sandbox: Sandbox | undefined;
}

interface LimitRow {
  readonly name: string;
  readonly requested: string;
  readonly enforced: string;
  readonly rule: string;
}

export function LimitsTable({ runtime: { instance }, config, sandbox }: LimitsTableProps) {
  const { org } = useWhere();
  const { data: providers } = useQuery(providersQuery(org));
  const provider = providers?.find(({ name }) => name === sandbox?.provider);
  const { cpu_cores, memory_mb } = config.resources;
  const resource = (name: string, limit: string, requested: number | undefined, unit: string): LimitRow => {
    const enforced = sandbox?.limits[limit];
    return {
      name,
      requested: requested === undefined ? '–' : `${formatCount(requested)}${unit}`,
      enforced: enforced === undefined ? (sandbox ? 'not enforced' : '–') : `${formatCount(enforced)}${unit}`,
      rule: toResourceRule(sandbox, enforced, requested),
    };
  };
  const rows = [
    toTimeRow(instance, config),
    resource('CPU cores', 'cpu_cores', cpu_cores, ''),
    resource('Memory', 'memory_mb', memory_mb, ' MB'),
    resource('Processes', 'pids', undefined, ''),
  ];
  return (
    <>
      <Table verticalSpacing={4} aria-label="Limits">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Limit</Table.Th>
            <Table.Th>Asked for</Table.Th>
            <Table.Th>Enforced</Table.Th>
            <Table.Th>Rule</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ name, requested, enforced, rule }) => (
            <Table.Tr key={name}>
              <Table.Td>{name}</Table.Td>
              <Table.Td>{requested}</Table.Td>
              <Table.Td>{enforced}</Table.Td>
              <Table.Td>{rule}</Table.Td>
            </Table.Tr>
          ))}
          {provider && (
            <Table.Tr>
              <Table.Td>Isolation</Table.Td>
              <Table.Td>–</Table.Td>
              <Table.Td>{provider.isolation}</Table.Td>
              <Table.Td>Of the provider “{provider.name}”.</Table.Td>
            </Table.Tr>
          )}
        </Table.Tbody>
      </Table>
    </>
  );
}

function toResourceRule(
  sandbox: Sandbox | undefined,
  enforced: number | undefined,
  requested: number | undefined,
): string {
  if (!sandbox) return 'Decided when the runtime starts.';
  if (enforced === undefined) return `The provider “${sandbox.provider}” cannot enforce it on this host.`;
  if (requested === undefined) return 'Set by the platform for every sandbox.';
  return enforced === requested ? 'As configured.' : 'As configured when the sandbox started.';
}

function toTimeRow(instance: Runtime['instance'], { sandbox }: RuntimeConfigResponse): LimitRow {
  const requested = instance?.requested_runtime_limit_seconds ?? sandbox.timeout_seconds;
  const level = instance?.configured_runtime_limit_source_level;
  return {
    name: 'Time',
    requested: formatSeconds(requested),
    enforced: formatSeconds(
      instance?.actual_runtime_limit_seconds ?? instance?.configured_runtime_limit_seconds,
    ),
    rule: instance?.runtime_limited_by_credits
      ? 'The credits that are left pay for no more.'
      : level
        ? RULES[level]
        : 'Decided when the runtime starts.',
  };
}
