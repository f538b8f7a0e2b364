/** The tree of candidates, and the selected one: its scores, its text, and the reflection that made it. */
import type { OptimizationCandidate, OptimizationJobResponse } from '@drydock/sdk';
import { Badge, Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconRocket } from '@tabler/icons-react';
import { formatCount, formatScore, formatTime } from '../../components/format.ts';
import { AnchorLink } from '../../components/links.tsx';
import { Figure } from '../../evaluations/figures.tsx';
import { useWhere } from '../../frame/scope.ts';
import { Reflections, TextChange } from '../diff/text-change.tsx';
import { FoundByBadge, ScoreChange } from '../figures.tsx';
import styles from '../optimization.module.css';
import type { JobSearch } from '../search.ts';
import { CandidateTree } from './candidate-tree.tsx';

interface CandidatesTabProps {
  readonly job: OptimizationJobResponse;
  readonly candidates: readonly OptimizationCandidate[];
  readonly search: JobSearch;
  readonly onChange: (next: JobSearch, options?: { readonly replace: boolean }) => void;
  readonly onPromote: (index: number) => void;
}

export function CandidatesTab({ job, candidates, search, onChange, onPromote }: CandidatesTabProps) {
  const { best_index, holdout_size } = job.summary.metadata;
  const index = search.candidate ?? best_index ?? 0;
  const candidate = candidates.find((one) => one.index === index) ?? candidates[0];
  if (!candidate)
    return (
      <Text size="sm" c="dimmed">
        There are no candidates yet: the first one is the capability as it is, once it has been scored.
      </Text>
    );
  return (
    <div className={styles['split']}>
      <CandidateTree
        candidates={candidates}
        best={best_index}
        selected={candidate.index}
        onSelect={(next) => onChange({ candidate: next }, { replace: true })}
      />
      <CandidateDetail
        key={candidate.index}
        candidate={candidate}
        parent={candidates.find((one) => one.index === candidate.parents[0])}
        isBest={candidate.index === best_index}
        hasHoldout={holdout_size > 0}
        component={search.component}
        onComponentChange={(component) => onChange({ component }, { replace: true })}
        onPromote={() => onPromote(candidate.index)}
      />
    </div>
  );
}

interface CandidateDetailProps {
  readonly candidate: OptimizationCandidate;
  readonly parent: OptimizationCandidate | undefined;
  readonly isBest: boolean;
  readonly hasHoldout: boolean;
  readonly component: string | undefined;
  readonly onComponentChange: (component: string) => void;
  readonly onPromote: () => void;
}

function CandidateDetail(props: CandidateDetailProps) {
  const { candidate, parent, isBest, hasHoldout, component, onComponentChange, onPromote } = props;
  const { index, found_by, is_on_frontier, reflections } = candidate;
  return (
    <Stack gap="md" component="section" aria-label={`Candidate ${index}`} miw={0}>
      <Group justify="space-between" gap="sm">
        <Group gap="xs">
          <Title order={2} size="h4">
            Candidate #{index}
          </Title>
          <FoundByBadge foundBy={found_by} />
          {isBest && (
            <Badge miw="max-content" size="sm">
              Best
            </Badge>
          )}
          {is_on_frontier && (
            <Badge miw="max-content" size="sm" variant="default">
              Frontier
            </Badge>
          )}
        </Group>
        {found_by !== 'seed' && (
          <Button size="xs" variant="default" leftSection={<IconRocket size={14} />} onClick={onPromote}>
            Promote this
          </Button>
        )}
      </Group>
      <Figures candidate={candidate} parent={parent} hasHoldout={hasHoldout} />
      <TextChange
        before={parent?.texts}
        after={candidate.texts}
        beforeName={`#${parent?.index}`}
        component={component}
        onComponentChange={onComponentChange}
      />
      <Reflections reflections={reflections} />
      {found_by === 'merge' && (
        <Text size="sm" c="dimmed">
          A merge takes each component from one of its parents, without a reflection.
        </Text>
      )}
    </Stack>
  );
}

function Figures({
  candidate,
  parent,
  hasHoldout,
}: Pick<CandidateDetailProps, 'candidate' | 'parent' | 'hasHoldout'>) {
  const where = useWhere();
  const { parents, mean_score, holdout_score, metric_calls, iteration, evaluation_id, objectives } =
    candidate;
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
      <Figure
        label="Validation"
        hint={
          evaluation_id ? (
            <AnchorLink
              to="/o/$org/w/$workspace/evaluations/$evaluationId"
              params={{ ...where, evaluationId: evaluation_id }}
              size="xs"
            >
              Evaluation
            </AnchorLink>
          ) : (
            'all scores were known'
          )
        }
      >
        <ScoreChange from={parent?.mean_score} to={mean_score} />
      </Figure>
      <Figure
        label="Holdout"
        hint={holdout_score === null ? (hasHoldout ? 'measured for new bests' : 'none') : undefined}
      >
        <ScoreChange from={parent?.holdout_score} to={holdout_score} />
      </Figure>
      <Figure label="Made of" hint={iteration < 0 ? 'the capability as it was' : `iteration ${iteration}`}>
        {parents.length > 0 ? parents.map((one) => `#${one}`).join(' and ') : '–'}
      </Figure>
      <Figure label="Found after" hint={formatTime(candidate.created_at)}>
        {formatCount(metric_calls)} calls
      </Figure>
      {Object.entries(objectives).map(([name, value]) => (
        <Figure key={name} label={name}>
          {formatScore(value)}
        </Figure>
      ))}
    </SimpleGrid>
  );
}
