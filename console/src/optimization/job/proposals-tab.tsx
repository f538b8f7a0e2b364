/** All proposals, also those that were rejected. One is opened beside the list. */
import type { OneOptimizationJob, OptimizationJobResponse, OptimizationProposal } from '@drydock/sdk';
import { Drawer, Loader, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formatUsd } from '../../components/format.ts';
import { type Column, ListTable } from '../../components/list/list-table.tsx';
import { Pager } from '../../components/list/pager.tsx';
import { ProposalBadge, ScoreChange } from '../figures.tsx';
import { PROPOSALS_PER_PAGE, proposalsQuery } from '../queries.ts';
import type { JobSearch } from '../search.ts';
import { FOUND_BY_LABELS, toReason } from '../states.ts';
import { ProposalDetail } from './proposal-detail.tsx';

interface ProposalsTabProps {
  readonly job: OptimizationJobResponse;
  readonly jobRef: OneOptimizationJob;
  readonly search: JobSearch;
  readonly onChange: (next: JobSearch, options?: { readonly replace: boolean }) => void;
}

export function ProposalsTab({ job, jobRef, search, onChange }: ProposalsTabProps) {
  const page = search.page ?? 1;
  const { data, error, refetch } = useQuery({
    ...proposalsQuery(jobRef, page),
    placeholderData: keepPreviousData,
  });
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loader size="sm" aria-label="Loading" />;
  if (data.total === 0)
    return (
      <Text size="sm" c="dimmed">
        The first proposal is made when the capability as it is has been scored.
      </Text>
    );
  const open = data.items.find((proposal) => keyOf(proposal) === search.proposal);
  const change = (proposal: string | undefined) => onChange({ proposal }, { replace: true });
  return (
    <>
      <ListTable
        label="Proposals"
        columns={COLUMNS}
        rows={data.items}
        keyOf={keyOf}
        selected={search.proposal}
        // Moving through the rows must not open each of them.
        onSelect={() => undefined}
        onOpen={change}
        opensOnClick
      />
      <Pager
        page={page}
        pageSize={PROPOSALS_PER_PAGE}
        total={data.total}
        onChange={(next) => onChange({ page: next, proposal: undefined })}
      />
      <Drawer
        opened={open !== undefined}
        onClose={() => change(undefined)}
        position="right"
        size={860}
        title={open && <Text fw={600}>Proposal {toName(open)}</Text>}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {open && (
          <ProposalDetail
            key={keyOf(open)}
            job={job}
            jobRef={jobRef}
            proposal={open}
            onOpenCandidate={(candidate) =>
              onChange({ tab: 'candidates', candidate, proposal: undefined, page: undefined })
            }
          />
        )}
      </Drawer>
    </>
  );
}

const keyOf = ({ iteration, proposal }: OptimizationProposal): string => `${iteration}-${proposal}`;

/** The second of several proposals in iteration 3 is `3.1`. */
const toName = ({ iteration, proposal }: OptimizationProposal): string =>
  proposal === 0 ? String(iteration) : `${iteration}.${proposal}`;

const sum = (scores: readonly number[] | null): number | null =>
  scores?.reduce((total, score) => total + score, 0) ?? null;

const COLUMNS: readonly Column<OptimizationProposal>[] = [
  { key: 'name', label: 'Iteration', render: (proposal) => toName(proposal) },
  { key: 'status', label: 'Status', render: ({ status }) => <ProposalBadge status={status} /> },
  {
    key: 'reason',
    label: 'Result',
    render: ({ reason, candidate_index }) =>
      candidate_index === null ? (reason ? toReason(reason) : '–') : `candidate #${candidate_index}`,
  },
  { key: 'found', label: 'Made by', render: ({ found_by }) => FOUND_BY_LABELS[found_by] },
  {
    key: 'parents',
    label: 'Made of',
    render: ({ parents }) => parents.map((parent) => `#${parent}`).join(', ') || '–',
  },
  {
    key: 'components',
    label: 'Components',
    render: ({ components }) => <span className="user-text">{components.join(', ') || '–'}</span>,
  },
  {
    key: 'scores',
    label: 'Minibatch sum',
    align: 'right',
    render: ({ parent_scores, child_scores }) =>
      child_scores ? (
        <ScoreChange from={sum(parent_scores)} to={sum(child_scores)} />
      ) : (
        <ScoreChange from={undefined} to={sum(parent_scores)} />
      ),
  },
  { key: 'cost', label: 'Cost', align: 'right', render: ({ cost_usd }) => formatUsd(cost_usd) },
];
