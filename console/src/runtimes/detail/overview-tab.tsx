/** The configuration of a runtime, the limits of its sandbox, what its sandboxes cost, and the sessions that ran in it. */
import type { OneRuntime, RuntimeConfigResponse, Sandbox } from '@drydock/sdk';
import { Alert, Box, Loader, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CopyAs } from '../../components/copy-as.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { type Fact, FactList } from '../../components/fact-list.tsx';
import { formatCountOf, formatTime } from '../../components/format.ts';
import { SectionCard } from '../../components/section-card.tsx';
import { Figure } from '../../evaluations/figures.tsx';
import { useWhere } from '../../frame/scope.ts';
import { formatCredits, formatSeconds, StateBadge } from '../figures.tsx';
import { configQuery, runtimeSandboxesQuery, sandboxQuery } from '../queries.ts';
import type { RuntimeTabProps } from '../runtime-page.tsx';
import { LimitsTable } from './limits-table.tsx';
import { RuntimeSessions } from './runtime-sessions.tsx';

export function OverviewTab({ runtime, target }: RuntimeTabProps) {
  const { org } = useWhere();
  const { instance } = runtime;
  const config = useQuery(configQuery(target));
  const { data: sandbox } = useQuery({
    ...sandboxQuery({ org, sandbox_id: instance?.sandbox_id ?? '' }),
    enabled: instance !== null,
  });
  const isOutdated =
    runtime.status !== 'idle' && sandbox !== undefined && sandbox.config_digest !== runtime.config_digest;
  return (
    <Stack gap="md">
      {isOutdated && (
        <Alert color="yellow" variant="outline" role="status" title="The configuration has changed">
          <Text size="sm">
            The sandbox still runs with the one before. Stop the runtime and start it to apply the new one.
            Exposed ports and capabilities apply already.
          </Text>
        </Alert>
      )}
      {config.error && <ErrorNotice error={config.error} onRetry={() => void config.refetch()} />}
      {!config.data && !config.error && <Loader size="sm" aria-label="Loading" />}
      {instance && <CostFigures instance={instance} />}
      {config.data && (
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
          <SectionCard title="Limits" hint="What was asked for, what is enforced, and the rule that decided.">
            <LimitsTable runtime={runtime} config={config.data} sandbox={sandbox} />
          </SectionCard>
          <ConfigCard config={config.data} target={target} digest={runtime.config_digest} />
        </SimpleGrid>
      )}
      <RuntimeSandboxes {...{ runtime }} />
      <RuntimeSessions runtime={runtime} />
    </Stack>
  );
}

type Instance = NonNullable<RuntimeTabProps['runtime']['instance']>;

function CostFigures({ instance }: { readonly instance: Instance }) {
  const { provider, created_at, total_runtime_seconds, billed_credits, running_credits } = instance;
  return (
    <Box
      style={{
        display: 'grid',
        gap: 'var(--mantine-spacing-md)',
        gridTemplateColumns: 'repeat(auto-fit, minmax(150px, 1fr))',
      }}
    >
      <Figure label="Last sandbox" hint={`provider ${provider}`}>
        <StateBadge state={instance.state} />
      </Figure>
      <Figure
        label="Started"
        hint={instance.expires_at ? `ends ${formatTime(instance.expires_at)}` : undefined}
      >
        {formatTime(created_at)}
      </Figure>
      <Figure label="Ran for" hint="without pauses">
        {formatSeconds(total_runtime_seconds)}
      </Figure>
      <Figure label="Cost so far" hint={`${formatCredits(billed_credits)} of it billed`}>
        {formatCredits(billed_credits + running_credits)}
      </Figure>
      <Figure label="Cost at its end" hint="when it runs until it expires">
        {formatCredits(instance.estimated_total_credits)}
      </Figure>
    </Box>
  );
}

interface ConfigCardProps {
  readonly config: RuntimeConfigResponse;
  readonly target: OneRuntime;
  readonly digest: string;
}

function ConfigCard({ config, target, digest }: ConfigCardProps) {
  const { org, workspace, runtime } = target;
  return (
    <SectionCard
      title="Configuration"
      hint="The next start uses it."
      aside={
        <CopyAs
          path={`/api/v1/org/${org}/ws/${workspace}/runtimes/${runtime}/config`}
          code={`await drydock.runtimes.getConfig(${JSON.stringify(target)})`}
        />
      }
    >
      <FactList facts={[...toFacts(config), ['Digest', digest.slice(0, 16)]]} />
    </SectionCard>
  );
}

function toFacts({
  build,
  capabilities,
  defaults,
  metadata,
  runtime_server,
  sandbox,
  secrets,
}: RuntimeConfigResponse): Fact[] {
  const listed = capabilities.map(({ name, version, enabled }) => {
    const label = version === null ? name : `${name}@${version}`;
    return enabled ? label : `${label} (off)`;
  });
  return [
    ['Provider', build.provider],
    ['Hosts it may reach', sandbox.egress_allow?.join(', ') ?? 'none: no network'],
    ['Platform access', describeAccess(sandbox)],
    ['Exposed ports', sandbox.exposed_ports.join(', ') || 'none'],
    ['Time limit', sandbox.timeout_seconds === null ? 'the default' : formatSeconds(sandbox.timeout_seconds)],
    ['/workspace', sandbox.workspace_mount ? 'mounted' : 'not mounted'],
    ['Environment', Object.keys(runtime_server.env).join(', ') || 'no variables'],
    ['Secrets', secrets.secret_ids.length > 0 ? formatCountOf(secrets.secret_ids.length, 'secret') : 'none'],
    ['Capabilities', listed.join(', ') || 'none configured'],
    ['Agent', defaults.agent],
    ['Model', defaults.model],
    [
      'Labels',
      Object.entries(metadata.labels)
        .map(([key, value]) => `${key}=${value}`)
        .join(', '),
    ],
  ];
}

function describeAccess({
  platform_access = 'none',
  spend_limit_usd,
}: RuntimeConfigResponse['sandbox']): string {
  if (platform_access === 'none') return 'none';
  return spend_limit_usd === undefined ? platform_access : `${platform_access}, at most $${spend_limit_usd}`;
}

function RuntimeSandboxes({ runtime }: Pick<RuntimeTabProps, 'runtime'>) {
  const { org } = useWhere();
  const { data, error, refetch } = useQuery(runtimeSandboxesQuery(org, runtime));
  return (
    <SectionCard title="Sandboxes" hint="Each start makes one. They share the disk of the runtime.">
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data?.rows.length === 0 && (
        <Text size="sm" c="dimmed">
          None yet. Choose “Start” above.
        </Text>
      )}
      {data && data.rows.length > 0 && <SandboxTable rows={data.rows} />}
      {data && !data.isComplete && (
        <Text size="xs" c="dimmed" mt={4}>
          Only the newest sandboxes of the organization were searched. Older ones may be missing here.
        </Text>
      )}
    </SectionCard>
  );
}

function SandboxTable({ rows }: { readonly rows: readonly Sandbox[] }) {
  return (
    <Table.ScrollContainer minWidth={640} type="native">
      <Table verticalSpacing={4} aria-label="Sandboxes">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>State</Table.Th>
            <Table.Th>Started</Table.Th>
            <Table.Th>Ended</Table.Th>
            <Table.Th>Ran for</Table.Th>
            <Table.Th>Cost</Table.Th>
            <Table.Th>Provider</Table.Th>
            <Table.Th>Why it ended</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((one) => (
            <Table.Tr key={one.sandbox_id}>
              <Table.Td>
                <StateBadge state={one.state} />
              </Table.Td>
              <Table.Td>{formatTime(one.created_at)}</Table.Td>
              <Table.Td>{formatTime(one.ended_at)}</Table.Td>
              <Table.Td>{formatSeconds(one.total_runtime_seconds)}</Table.Td>
              <Table.Td>{formatCredits(one.billed_credits + one.running_credits)}</Table.Td>
              <Table.Td>{one.provider}</Table.Td>
              <Table.Td className="user-text">{one.end_reason ?? '–'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
