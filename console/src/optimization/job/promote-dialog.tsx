/** Publishes a candidate as a new version of its capability. */
import type {
  OptimizationCandidate,
  OptimizationJobResponse,
  OptimizationPromoteResponse,
} from '@drydock/sdk';
import { Alert, Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { drydock } from '../../api/client.ts';
import { toFieldErrors, toProblem } from '../../api/problem.ts';
import { useAction } from '../../api/use-action.ts';
import { type Fact, FactList } from '../../components/fact-list.tsx';
import { formatCount, formatScore, formatUsd } from '../../components/format.ts';
import { useWhere } from '../../frame/scope.ts';
import { ScoreChange } from '../figures.tsx';
import { describeExamples } from '../job-panel.tsx';
import { useReadJobAgain } from '../live.tsx';
import { FOUND_BY_LABELS, validationSizeOf } from '../states.ts';

interface PromoteDialogProps {
  readonly job: OptimizationJobResponse;
  readonly candidates: readonly OptimizationCandidate[];
  /** The index of the candidate that is chosen at first. */
  readonly initial: number;
  readonly onClose: () => void;
}

export function PromoteDialog({ job, candidates, initial, onClose }: PromoteDialogProps) {
  const where = useWhere();
  const readAgain = useReadJobAgain();
  const suggested = useSuggestedVersion(job);
  const [index, setIndex] = useState(initial);
  const [typed, setTyped] = useState<string>();
  const version = typed ?? suggested ?? '';
  const promote = useAction(
    () => drydock.optimization.promote({ ...where, job_id: job.id }, { candidate: index, version }),
    (promoted) => {
      readAgain(job.id);
      notifyPromoted(promoted);
      onClose();
    },
  );
  const candidate = candidates.find((one) => one.index === index);
  const versionError = promote.error
    ? (toFieldErrors(promote.error)['version'] ?? toProblem(promote.error).detail)
    : undefined;
  return (
    <Modal opened onClose={onClose} title={<Text fw={600}>Promote a candidate</Text>} size="lg" centered>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          promote.mutate(undefined);
        }}
      >
        <Stack gap="sm">
          <Text size="sm">
            Publishes a new version of <b className="user-text">{job.capability.name}</b> with the texts of
            the candidate. Its manifest gets a lineage with what was measured.
          </Text>
          <Group gap="sm" align="flex-start" grow>
            <Select
              label="Candidate"
              allowDeselect={false}
              data={candidates.map((one) => ({ value: String(one.index), label: toLabel(one) }))}
              value={String(index)}
              onChange={(next) => next !== null && setIndex(Number(next))}
            />
            <TextInput
              label="Version"
              required
              data-autofocus
              value={version}
              error={versionError}
              onChange={({ currentTarget: { value } }) => {
                setTyped(value);
                promote.reset();
              }}
            />
          </Group>
          {candidate && <FactList facts={toFacts(job, candidate)} />}
          {index === 0 && (
            <Alert color="yellow" variant="outline" p="xs">
              <Text size="sm">
                The seed is the capability as it is: the new version would change nothing.
              </Text>
            </Alert>
          )}
          <Group justify="flex-end" gap="xs">
            <Button size="xs" variant="default" onClick={onClose}>
              Do not promote
            </Button>
            <Button size="xs" type="submit" loading={promote.isPending} disabled={version === ''}>
              Publish {job.capability.name}@{version}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const toLabel = ({ index, found_by, mean_score }: OptimizationCandidate): string =>
  `#${index}, ${FOUND_BY_LABELS[found_by].toLowerCase()}, score ${formatScore(mean_score)}`;

function toFacts(job: OptimizationJobResponse, candidate: OptimizationCandidate): Fact[] {
  const { seed_score, seed_holdout_score, holdout_size, budget } = job.summary.metadata;
  return [
    [
      'Validation',
      <>
        <ScoreChange from={seed_score} to={candidate.mean_score} /> on {formatCount(validationSizeOf(job))}{' '}
        examples
      </>,
    ],
    [
      'Holdout',
      candidate.holdout_score === null ? (
        'not measured'
      ) : (
        <>
          <ScoreChange from={seed_holdout_score} to={candidate.holdout_score} /> on{' '}
          {formatCount(holdout_size)} examples
        </>
      ),
    ],
    ['Measured on', describeExamples(job)],
    ['Model', job.model],
    ['Reward', job.reward_recipe?.name],
    ['From', `${job.capability.name}@${job.capability.version}`],
    ['Cost of the job', formatUsd(budget.cost_usd)],
  ];
}

/** The patch version after the newest one that exists. */
function useSuggestedVersion({ capability }: OptimizationJobResponse): string | undefined {
  const { org } = useWhere();
  // A capability of another organization is promoted into this one, under the same name.
  const name = capability.name.split('/').at(-1) ?? capability.name;
  const { data, isError } = useQuery({
    queryKey: ['capability-versions', org, name],
    queryFn: async ({ signal }) =>
      drydock.capabilities.listVersions({ org, name }, { limit: 100 }, { signal }),
    staleTime: 0,
    retry: false,
  });
  if (!data && !isError) return undefined;
  const known = [capability.version, ...(data?.versions ?? [])];
  const numbers = known.flatMap((version) => {
    const parts = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
    return parts ? [parts] : [];
  });
  const [major = 1, minor = 0, patch = 0] = numbers.toSorted((a, b) => compareNumbers(b, a))[0] ?? [];
  return `${major}.${minor}.${patch + 1}`;
}

const compareNumbers = (a: readonly number[], b: readonly number[]): number =>
  a.map((number, at) => number - (b[at] ?? 0)).find((difference) => difference !== 0) ?? 0;

function notifyPromoted({
  name,
  version,
  candidate,
  score,
  changed_files,
}: OptimizationPromoteResponse): void {
  notifications.show({
    color: 'teal',
    title: `${name}@${version} is published`,
    message: `Candidate #${candidate}, score ${formatScore(score)}. Changed: ${changed_files.join(', ') || 'no file'}.`,
    autoClose: 15_000,
  });
}
