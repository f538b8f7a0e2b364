/** One proposal: what it changes, how it scored on its minibatch, its reflections and its evaluations. */
import type { OneOptimizationJob, OptimizationJobResponse, OptimizationProposal } from '@drydock/sdk';
import { Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { formatCount, formatScore, formatTime, formatUsd } from '../../components/format.ts';
import { AnchorLink } from '../../components/links.tsx';
import { useWhere } from '../../frame/scope.ts';
import { Reflections, TextChange } from '../diff/text-change.tsx';
import { ProposalBadge } from '../figures.tsx';
import { EXAMPLES_PER_PAGE, examplesQuery } from '../queries.ts';
import { toReason, validationSplitOf } from '../states.ts';

/** A minibatch has three examples by default, and may have 1,000. */
const MAX_EXAMPLE_PAGES = 10;

interface ProposalDetailProps {
  readonly job: OptimizationJobResponse;
  readonly jobRef: OneOptimizationJob;
  readonly proposal: OptimizationProposal;
  readonly onOpenCandidate: (index: number) => void;
}

export function ProposalDetail({ job, jobRef, proposal, onOpenCandidate }: ProposalDetailProps) {
  const [component, setComponent] = useState<string>();
  const { status, reason, error, texts, previous_texts, reflections, candidate_index, parents } = proposal;
  return (
    <Stack gap="md">
      <Group gap="sm">
        <ProposalBadge status={status} />
        {reason && <Text size="sm">{toReason(reason)}</Text>}
        {candidate_index !== null && (
          <Button size="compact-xs" variant="default" onClick={() => onOpenCandidate(candidate_index)}>
            Open candidate #{candidate_index}
          </Button>
        )}
        <Text size="xs" c="dimmed">
          {formatUsd(proposal.cost_usd)}, {formatTime(proposal.created_at)}
        </Text>
      </Group>
      {error !== null && (
        <Text size="sm" className="user-text">
          {error}
        </Text>
      )}
      {texts && (
        <TextChange
          before={previous_texts ?? undefined}
          after={texts}
          beforeName={`#${parents[0]}`}
          component={component}
          onComponentChange={setComponent}
        />
      )}
      <Minibatch job={job} jobRef={jobRef} proposal={proposal} />
      <Reflections reflections={reflections} />
      <Evaluations proposal={proposal} />
    </Stack>
  );
}

const Heading = ({ children }: { readonly children: string }) => (
  <Title order={3} size="h6">
    {children}
  </Title>
);

/** The scores of the parent and of the proposal, example by example. A merge is compared on validation examples. */
function Minibatch({ job, jobRef, proposal }: Omit<ProposalDetailProps, 'onOpenCandidate'>) {
  const { minibatch, parent_scores, child_scores, found_by } = proposal;
  const split = found_by === 'merge' ? validationSplitOf(job) : 'train';
  const inputs = useInputs(jobRef, split, minibatch);
  if (minibatch.length === 0) return null;
  const shown = minibatch.map((position, order) => ({ position, order }));
  return (
    <Stack gap={4}>
      <Heading>Minibatch</Heading>
      <Table aria-label="Minibatch" verticalSpacing={4} horizontalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Example</Table.Th>
            <Table.Th ta="right" w={90}>
              Parent
            </Table.Th>
            <Table.Th ta="right" w={90}>
              Proposal
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map(({ position, order }) => (
            <Table.Tr key={order}>
              <Table.Td>
                <Text size="sm" className="user-text" lineClamp={3}>
                  {inputs.get(position) ?? `Example ${position}`}
                </Text>
              </Table.Td>
              <Table.Td ta="right">{formatScore(parent_scores?.[order] ?? null)}</Table.Td>
              <Table.Td ta="right">{formatScore(child_scores?.[order] ?? null)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

/** The inputs of examples, read by the pages that contain them. Where that would be too many, examples are named by their position. */
function useInputs(jobRef: OneOptimizationJob, split: 'train' | 'validation', positions: readonly number[]) {
  const pages = new Set(positions.map((position) => Math.floor(position / EXAMPLES_PER_PAGE) + 1));
  const read = useQueries({
    queries: [...pages]
      .slice(0, MAX_EXAMPLE_PAGES)
      .map((page) => examplesQuery(jobRef, { split, page, page_size: EXAMPLES_PER_PAGE })),
  });
  return new Map(
    read.flatMap(({ data }) => (data?.items ?? []).map(({ position, input }) => [position, input] as const)),
  );
}

const PURPOSES = {
  parent: 'Parent on the minibatch',
  child: 'Proposal on the minibatch',
  merge: 'Merge on a part of the validation set',
  validation: 'Validation set',
  holdout: 'Holdout',
} as const;

function Evaluations({ proposal: { evaluations } }: Pick<ProposalDetailProps, 'proposal'>) {
  const where = useWhere();
  if (evaluations.length === 0) return null;
  return (
    <Stack gap={4}>
      <Heading>Evaluations</Heading>
      <Table aria-label="Evaluations" verticalSpacing={4} horizontalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Measured</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th ta="right">Scored</Table.Th>
            <Table.Th ta="right">Cost</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {evaluations.map(({ purpose, evaluation_id, status, positions, scored_count, cost_usd }) => (
            <Table.Tr key={`${purpose}/${evaluation_id}`}>
              <Table.Td>
                <AnchorLink
                  to="/o/$org/w/$workspace/evaluations/$evaluationId"
                  params={{ ...where, evaluationId: evaluation_id }}
                  size="sm"
                >
                  {PURPOSES[purpose]}
                </AnchorLink>
              </Table.Td>
              <Table.Td>{status}</Table.Td>
              <Table.Td ta="right">
                {formatCount(scored_count)} of {formatCount(positions.length)}
              </Table.Td>
              <Table.Td ta="right">{formatUsd(cost_usd)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}
