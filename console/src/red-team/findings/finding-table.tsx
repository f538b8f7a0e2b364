/** The rows of the triage queue. */
import type { FindingSummary } from '@drydock/sdk';
import { Box, Checkbox, Group, Text } from '@mantine/core';
import { formatScore } from '../../components/format.ts';
import { type Column, ListTable } from '../../components/list/list-table.tsx';
import { FindingBadge, RateText, SeverityBadge, TypeBadge } from '../figures.tsx';
import { FINDING_SORTS, type FindingListSearch } from '../search.ts';
import { categoryOf, toWords } from '../states.ts';

interface FindingTableProps {
  readonly rows: readonly FindingSummary[];
  readonly search: FindingListSearch;
  readonly checked: ReadonlySet<string>;
  readonly isOfProject: boolean;
  readonly onCheck: (id: string) => void;
  readonly onSelect: (id: string) => void;
  readonly onSort: (sort: Pick<FindingListSearch, 'sort' | 'dir'>) => void;
}

export function FindingTable(props: FindingTableProps) {
  const { rows, search, checked, isOfProject, onCheck, onSelect, onSort } = props;
  const hasPanel = search.finding !== undefined;
  const columns = toColumns(checked, onCheck, isOfProject);
  return (
    <ListTable
      label="Findings"
      columns={hasPanel ? columns.filter(({ key }) => BESIDE_PANEL.has(key)) : columns}
      minWidth={hasPanel ? 380 : 760}
      rows={rows}
      keyOf={({ id }) => id}
      selected={search.finding}
      onSelect={onSelect}
      onOpen={onSelect}
      sort={{
        by: search.sort ?? 'severity',
        direction: search.dir ?? 'desc',
        onChange: (by, dir) => onSort({ sort: FINDING_SORTS.find((sort) => sort === by), dir }),
      }}
    />
  );
}

const BESIDE_PANEL = new Set(['check', 'severity', 'finding']);

const toColumns = (
  checked: ReadonlySet<string>,
  onCheck: (id: string) => void,
  isOfProject: boolean,
): readonly Column<FindingSummary>[] => [
  {
    key: 'check',
    label: 'Check',
    width: 56,
    render: ({ id, goal }) => (
      // A click on the box does not open the finding.
      <span onClick={(event) => event.stopPropagation()} onDoubleClick={(event) => event.stopPropagation()}>
        <Checkbox
          size="xs"
          tabIndex={-1}
          aria-label={`Check: ${goal.slice(0, 100)}`}
          checked={checked.has(id)}
          onChange={() => onCheck(id)}
        />
      </span>
    ),
  },
  {
    key: 'severity',
    label: 'Severity',
    width: 106,
    sortKey: 'severity',
    render: ({ severity }) => <SeverityBadge severity={severity} />,
  },
  {
    key: 'finding',
    label: 'Goal and attack',
    sortKey: 'attack_name',
    render: (finding) => (
      <Box maw={460}>
        <Text size="sm" className="user-text" lineClamp={2}>
          {finding.goal}
        </Text>
        <Group gap={6} style={{ rowGap: 2 }}>
          <Text size="xs" c="dimmed">
            {toWords(finding.attack_name)} · {toWords(categoryOf(finding))} ·{' '}
            {formatScore(finding.best_score)}
          </Text>
          <FindingBadge status={finding.finding_status} />
        </Group>
        {isOfProject && (
          <Text size="xs" c="dimmed" className="user-text" lineClamp={1}>
            {finding.assessment_name}
          </Text>
        )}
      </Box>
    ),
  },
  { key: 'type', label: 'Type', render: ({ finding_type }) => <TypeBadge type={finding_type} /> },
  {
    key: 'score',
    label: 'Score',
    align: 'right',
    width: 70,
    sortKey: 'score',
    render: ({ best_score }) => formatScore(best_score),
  },
  {
    key: 'asr',
    label: 'Attack success',
    align: 'right',
    render: ({ success }) => <RateText rate={success} />,
  },
];
