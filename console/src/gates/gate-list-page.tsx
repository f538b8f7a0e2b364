/** All gates of the workspace, with the verdict of their last check. */
import type { GateResponse, InWorkspace } from '@drydock/sdk';
import { Box, Group, Loader, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { CopyAs } from '../components/copy-as.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatAgo } from '../components/format.ts';
import { AnchorLink } from '../components/links.tsx';
import { type Column, ListTable } from '../components/list/list-table.tsx';
import { Pager } from '../components/list/pager.tsx';
import { useWhere } from '../frame/scope.ts';
import { JourneyPicker } from '../journey/journey-picker.tsx';
import { describeBound, RULE_LABELS, targetOf, VerdictBadge } from './figures.tsx';
import { gateListQuery, PAGE_SIZE } from './queries.ts';

const route = getRouteApi('/o/$org/w/$workspace/gates');

export function GateListPage() {
  const where = useWhere();
  const navigate = useNavigate();
  const { page = 1 } = route.useSearch();
  const [selected, setSelected] = useState<string>();
  const { data, error, refetch } = useQuery({
    ...gateListQuery(where, page),
    placeholderData: keepPreviousData,
  });
  return (
    <Box p="md">
      <Group justify="space-between" mb="md" gap="sm">
        <Title order={1} size="h3">
          Gates
        </Title>
        <Group gap="xs" align="flex-end">
          <JourneyPicker />
          <CopyAs
            path={`/api/v1/org/${where.org}/ws/${where.workspace}/gates`}
            query={{ page, page_size: PAGE_SIZE }}
            code={`await drydock.gates.list(${JSON.stringify(where)}, { page: ${page}, page_size: ${PAGE_SIZE} })`}
          />
        </Group>
      </Group>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loader size="sm" m="md" aria-label="Loading" />}
      {data?.total === 0 && <NoGates where={where} />}
      {data && data.total > 0 && (
        <>
          <ListTable
            label="Gates"
            columns={toColumns(where)}
            minWidth={820}
            rows={data.items}
            keyOf={({ name }) => name}
            selected={selected}
            onSelect={setSelected}
            opensOnClick
            onOpen={(gate) =>
              void navigate({ to: '/o/$org/w/$workspace/gates/$gate', params: { ...where, gate } })
            }
          />
          <Pager
            page={page}
            pageSize={PAGE_SIZE}
            total={data.total}
            onChange={(next) =>
              void navigate({ to: '/o/$org/w/$workspace/gates', params: where, search: { page: next } })
            }
          />
        </>
      )}
    </Box>
  );
}

const NoGates = ({ where }: { readonly where: InWorkspace }) => (
  <EmptyState
    title="No gates yet"
    command={`curl '${location.origin}/api/v1/org/${where.org}/ws/${where.workspace}/gates' \\
  -H "Authorization: Bearer $DRYDOCK_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"name": "release", "model": "sim/instructed", "protects": ["my-capability"],
       "rules": [{"kind": "pass_rate", "task_set": "my-tasks", "bound": 0.9}]}'`}
  >
    A gate says what a version has to prove before it is released: a pass rate, how few attacks succeed, what
    a sample costs and how long it takes. A check runs what the rules need and gives each a verdict.
  </EmptyState>
);

const toColumns = (where: InWorkspace): readonly Column<GateResponse>[] => [
  {
    key: 'name',
    label: 'Name',
    render: ({ name, description }) => (
      <Box maw={280}>
        <AnchorLink
          to="/o/$org/w/$workspace/gates/$gate"
          params={{ ...where, gate: name }}
          size="sm"
          fw={500}
          c="inherit"
          className="user-text"
          tabIndex={-1}
          onClick={(event) => event.stopPropagation()}
        >
          {name}
        </AnchorLink>
        {description && (
          <Text size="xs" c="dimmed" truncate className="user-text">
            {description}
          </Text>
        )}
      </Box>
    ),
  },
  {
    key: 'verdict',
    label: 'Last verdict',
    render: ({ last_check }) => (last_check ? <VerdictBadge {...last_check} /> : 'Not checked yet'),
  },
  {
    key: 'target',
    label: 'Checked',
    render: ({ last_check }) => (
      <Text size="sm" className="user-text">
        {last_check ? targetOf(last_check) : '–'}
      </Text>
    ),
  },
  {
    key: 'rules',
    label: 'Rules',
    render: ({ rules }) => (
      <Stack gap={0}>
        {rules.map((rule, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- rules have no id, and their order is fixed
          <Text key={index} size="xs">
            {RULE_LABELS[rule.kind]} {describeBound(rule)}
          </Text>
        ))}
      </Stack>
    ),
  },
  {
    key: 'protects',
    label: 'Protects',
    render: ({ protects }) => (
      <Text size="sm" className="user-text">
        {protects.join(', ') || '–'}
      </Text>
    ),
  },
  {
    key: 'checked',
    label: 'Last check',
    render: ({ last_check }) => (
      <time dateTime={last_check?.created_at}>{formatAgo(last_check?.created_at)}</time>
    ),
  },
];
