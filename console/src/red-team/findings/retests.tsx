/** The retests of a finding, with the rates before and after. */
import type { AirtRetest, FindingDetail } from '@drydock/sdk';
import { Badge, Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatAgo, formatCount, formatCountOf } from '../../components/format.ts';
import { AnchorLink } from '../../components/links.tsx';
import { useWhere } from '../../frame/scope.ts';
import { AsrBar, RateText } from '../figures.tsx';
import { useLiveAssessment } from '../live.tsx';
import { assessmentQuery } from '../queries.ts';
import styles from '../red-team.module.css';
import { hasEnded } from '../states.ts';

export function Retests({ finding: { retests } }: { readonly finding: FindingDetail }) {
  if (retests.length === 0)
    return (
      <Text size="sm" c="dimmed">
        It was not tried again yet. A retest sends the best prompts once more and runs the same attack.
      </Text>
    );
  return (
    <Stack gap="sm">
      {retests.map((retest) => (
        <RetestResult key={retest.assessment_id} retest={retest} />
      ))}
    </Stack>
  );
}

const toVerdict = ({ status, is_fixed, after }: AirtRetest): readonly [word: string, color: string] => {
  if (!hasEnded(status)) return ['Running', 'blue'];
  if (is_fixed === null) return [after.n === 0 ? 'No result' : 'Failed', 'gray'];
  return is_fixed ? ['Held', 'teal'] : ['Still broken', 'red'];
};

/** One retest: its progress while it runs, then what has changed. */
export function RetestResult({ retest }: { readonly retest: AirtRetest }) {
  const where = useWhere();
  const { assessment_id, status, target, before, after, created_at } = retest;
  const [word, color] = toVerdict(retest);
  return (
    <div className={styles['retest']}>
      <Group justify="space-between" gap="xs" mb={4}>
        <Badge variant="dot" tt="none" fw={500} radius="sm" color={color}>
          {word}
        </Badge>
        <Text size="xs" c="dimmed" className="user-text">
          {target}, {formatAgo(created_at)},{' '}
          <AnchorLink
            to="/o/$org/w/$workspace/red-team/$assessmentId"
            params={{ ...where, assessmentId: assessment_id }}
            search={{}}
            size="xs"
            underline="always"
          >
            report
          </AnchorLink>
        </Text>
      </Group>
      {!hasEnded(status) && <RunningRetest assessmentId={assessment_id} />}
      {(
        [
          ['Before', before],
          ['After', after],
        ] as const
      ).map(([label, rate]) => (
        <div key={label} className={styles['beforeAfter']}>
          <Text size="xs">{label}</Text>
          <AsrBar label={`${label} the change`} rate={rate} />
          <Text size="xs">
            <RateText rate={rate} /> of {formatCount(rate.n)}
          </Text>
        </div>
      ))}
    </div>
  );
}

function RunningRetest({ assessmentId }: { readonly assessmentId: string }) {
  const where = useWhere();
  const { data } = useQuery(assessmentQuery({ ...where, assessment_id: assessmentId }));
  useLiveAssessment(where, assessmentId, true);
  if (!data) return null;
  const { trials, planned_trials } = data.progress;
  const words = `${formatCount(trials)} of at most ${formatCountOf(planned_trials, 'trial')}`;
  return (
    <>
      <Progress
        value={planned_trials > 0 ? (100 * trials) / planned_trials : 0}
        aria-label={`Progress of the retest: ${words}`}
      />
      <Text size="xs" c="dimmed" mb={4}>
        {words}
      </Text>
    </>
  );
}
