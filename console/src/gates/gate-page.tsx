/** One gate: its rules, what it protects, and its checks. */
import type { GateCheckResponse, GateResponse, OneGate } from '@drydock/sdk';
import { Box, Button, Group, Loader, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useDisclosure, useDocumentTitle } from '@mantine/hooks';
import { IconShieldCheck } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { CopyAs } from '../components/copy-as.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice, replacesPage } from '../components/error-notice.tsx';
import { FactList } from '../components/fact-list.tsx';
import { formatAgo, formatCount, formatDuration, formatUsd } from '../components/format.ts';
import { AnchorLink } from '../components/links.tsx';
import { ListTable } from '../components/list/list-table.tsx';
import { Pager } from '../components/list/pager.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { useWhere } from '../frame/scope.ts';
import { CheckDialog } from './check-dialog.tsx';
import {
  describeBound,
  describeMargin,
  describeSource,
  RULE_LABELS,
  targetOf,
  VerdictBadge,
} from './figures.tsx';
import { checkListQuery, gateQuery, PAGE_SIZE } from './queries.ts';

const route = getRouteApi('/o/$org/w/$workspace/gates/$gate');

export function GatePage() {
  const where = useWhere();
  const { gate: name } = route.useParams();
  const gateRef = { ...where, gate: name };
  const { data: gate, error, refetch } = useQuery(gateQuery(gateRef));
  const [isChecking, dialog] = useDisclosure();
  useDocumentTitle(`${name} · Gates · Drydock`);
  if (replacesPage(error, gate))
    return (
      <ErrorNotice
        error={error}
        onRetry={() => void refetch()}
        backTo={`/o/${where.org}/w/${where.workspace}/gates`}
        backLabel="the gates"
      />
    );
  if (!gate) return <Loader size="sm" m="md" aria-label="Loading" />;
  return (
    <Box p="md">
      <Stack gap="md">
        <Box>
          <AnchorLink to="/o/$org/w/$workspace/gates" params={where} size="xs">
            Gates
          </AnchorLink>
          <Group justify="space-between" gap="sm">
            <Group gap="sm">
              <Title order={1} size="h3" className="user-text">
                {gate.name}
              </Title>
              {gate.last_check && <VerdictBadge {...gate.last_check} />}
            </Group>
            <Group gap="xs">
              <Button size="xs" leftSection={<IconShieldCheck size={14} />} onClick={dialog.open}>
                Check a version
              </Button>
              <CopyAs
                path={`/api/v1/org/${where.org}/ws/${where.workspace}/gates/${encodeURIComponent(name)}`}
                code={`await drydock.gates.get(${JSON.stringify(gateRef)})`}
              />
            </Group>
          </Group>
          {gate.description && (
            <Text size="sm" c="dimmed" className="user-text">
              {gate.description}
            </Text>
          )}
        </Box>
        <Rules gate={gate} />
        <SectionCard title="Checks">
          <Checks gateRef={gateRef} />
        </SectionCard>
      </Stack>
      {isChecking && <CheckDialog gate={gate} onClose={dialog.close} />}
    </Box>
  );
}

function Rules({ gate }: { readonly gate: GateResponse }) {
  const where = useWhere();
  const { rules, protects, repetitions, concurrency, budget_usd, agent, model, project } = gate;
  return (
    <Group align="stretch" gap="md">
      <Paper component="section" withBorder p="md" flex="2 1 420px" aria-label="Rules">
        <Title order={2} size="h5" mb="xs">
          Rules
        </Title>
        <Table aria-label="Rules" verticalSpacing={6} withRowBorders={false}>
          <Table.Tbody>
            {rules.map((rule, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- rules have no id, and their order is fixed
              <Table.Tr key={index}>
                <Table.Th fw={500} scope="row">
                  {RULE_LABELS[rule.kind]}
                </Table.Th>
                <Table.Td>{describeBound(rule)}</Table.Td>
                <Table.Td>
                  <Text size="sm" c="dimmed" className="user-text">
                    {[describeSource(rule), describeMargin(rule)].filter(Boolean).join('; ')}
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
      <Paper component="section" withBorder p="md" flex="1 1 280px" aria-label="Settings">
        <Title order={2} size="h5" mb="xs">
          Settings
        </Title>
        <FactList
          facts={[
            ['Model', model],
            ['Agent', agent],
            ['Project', project],
            ['Samples of each task', formatCount(repetitions)],
            ['At once', formatCount(concurrency)],
            ['Budget of each run', budget_usd ? formatUsd(budget_usd) : null],
            [
              'Protects',
              protects.length === 0
                ? 'no capability'
                : protects.map((capability, index) => (
                    <span key={capability}>
                      {index > 0 && ', '}
                      <AnchorLink
                        to="/o/$org/w/$workspace/capabilities/$capability/journey"
                        params={{ ...where, capability }}
                        size="sm"
                      >
                        {capability}
                      </AnchorLink>
                    </span>
                  )),
            ],
          ]}
        />
      </Paper>
    </Group>
  );
}

function Checks({ gateRef }: { readonly gateRef: OneGate }) {
  const where = useWhere();
  const navigate = useNavigate();
  const { page = 1 } = route.useSearch();
  const [selected, setSelected] = useState<string>();
  const { data, error, refetch } = useQuery({
    ...checkListQuery(gateRef, page),
    placeholderData: keepPreviousData,
  });
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loader size="sm" aria-label="Loading" />;
  if (data.total === 0)
    return <EmptyState title="No checks yet">Choose “Check a version” to run the rules.</EmptyState>;
  return (
    <>
      <ListTable
        label="Checks"
        columns={COLUMNS}
        rows={data.items}
        keyOf={({ id }) => id}
        selected={selected}
        onSelect={setSelected}
        opensOnClick
        onOpen={(checkId) =>
          void navigate({
            to: '/o/$org/w/$workspace/gates/$gate/checks/$checkId',
            params: { ...where, gate: gateRef.gate, checkId },
          })
        }
      />
      <Pager
        page={page}
        pageSize={PAGE_SIZE}
        total={data.total}
        onChange={(next) =>
          void navigate({
            to: '/o/$org/w/$workspace/gates/$gate',
            params: { ...where, gate: gateRef.gate },
            search: { page: next },
          })
        }
      />
    </>
  );
}

const COLUMNS = [
  {
    key: 'verdict',
    label: 'Verdict',
    render: (check: GateCheckResponse) => <VerdictBadge {...check} />,
  },
  {
    key: 'target',
    label: 'Checked',
    render: (check: GateCheckResponse) => (
      <Text size="sm" className="user-text">
        {targetOf(check)}
      </Text>
    ),
  },
  { key: 'model', label: 'Model', render: ({ model }: GateCheckResponse) => model },
  {
    key: 'rules',
    label: 'Rules passed',
    render: ({ results, rules }: GateCheckResponse) =>
      results.length === 0
        ? '–'
        : `${results.filter(({ verdict }) => verdict === 'passed').length} of ${rules.length}`,
  },
  {
    key: 'created',
    label: 'Started',
    render: ({ created_at }: GateCheckResponse) => <time dateTime={created_at}>{formatAgo(created_at)}</time>,
  },
  {
    key: 'time',
    label: 'Time',
    render: ({ created_at, completed_at }: GateCheckResponse) =>
      completed_at ? formatDuration(Date.parse(completed_at) - Date.parse(created_at)) : '–',
  },
];
