/** One version of a journey: what changed, why, and the proof. */
import type { JourneyVersion } from '@drydock/sdk';
import { Badge, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatAgo, formatCount, formatCountOf, formatPercent, formatUsd } from '../components/format.ts';
import { AnchorLink } from '../components/links.tsx';
import { useWhere } from '../frame/scope.ts';
import { VerdictBadge } from '../gates/figures.tsx';
import { LineageLink } from '../lineage/lineage-link.tsx';
import { ScoreChange } from '../optimization/figures.tsx';
import styles from './journey.module.css';

const MAX_FILES = 8;

interface VersionRowProps {
  readonly capability: string;
  readonly item: JourneyVersion;
}

export function VersionRow({ capability, item }: VersionRowProps) {
  const { version, is_prerelease, created_at, description } = item;
  return (
    <Paper component="li" withBorder p="md" aria-label={`Version ${version}`}>
      <Group justify="space-between" gap="xs" mb="sm">
        <Group gap="xs">
          <Title order={2} size="h5">
            {version}
          </Title>
          {is_prerelease && (
            <Badge variant="default" tt="none" fw={500}>
              pre-release
            </Badge>
          )}
          {description && (
            <Text size="sm" c="dimmed" className="user-text">
              {description}
            </Text>
          )}
        </Group>
        <Text size="xs" c="dimmed">
          published <time dateTime={created_at}>{formatAgo(created_at)}</time>,{' '}
          <LineageLink kind="capability" name={capability} version={version} size="xs" underline="always">
            lineage
          </LineageLink>
        </Text>
      </Group>
      <div className={styles['version']}>
        <Part title="What changed">
          <Changes item={item} />
        </Part>
        <Part title="Why">
          <Reason item={item} />
        </Part>
        <Part title="Proof">
          <Proof item={item} />
        </Part>
      </div>
    </Paper>
  );
}

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <div>
    <Text size="xs" c="dimmed" fw={600} mb={4}>
      {title}
    </Text>
    {children}
  </div>
);

const None = ({ children }: { readonly children: ReactNode }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
);

type ItemProps = Pick<VersionRowProps, 'item'>;

function Changes({ item: { changed_files, changed_file_count, made_by } }: ItemProps) {
  const where = useWhere();
  if (changed_file_count === 0)
    return <None>Nothing: it is the first version, or equal to the one before it.</None>;
  const shown = changed_files.slice(0, MAX_FILES);
  return (
    <Stack gap={2}>
      {shown.map((path) => (
        <Code key={path} className="user-text" style={{ alignSelf: 'flex-start' }}>
          {path}
        </Code>
      ))}
      {changed_file_count > shown.length && (
        <Text size="xs" c="dimmed">
          and {formatCountOf(changed_file_count - shown.length, 'more file')}
        </Text>
      )}
      {made_by && (
        <AnchorLink
          to="/o/$org/w/$workspace/optimization/$jobId"
          params={{ ...where, jobId: made_by.optimization_job_id }}
          search={{ tab: 'candidates', candidate: made_by.candidate }}
          size="sm"
        >
          Changes of candidate #{made_by.candidate}
        </AnchorLink>
      )}
    </Stack>
  );
}

function Reason({ item: { made_by } }: ItemProps) {
  const where = useWhere();
  if (!made_by)
    return <None>Published by a person or a program; no optimization job of this workspace made it.</None>;
  const { optimization_job_id, from_version, model, score, score_before } = made_by;
  return (
    <Stack gap={2}>
      <Text size="sm">
        Promoted from{' '}
        <AnchorLink
          to="/o/$org/w/$workspace/optimization/$jobId"
          params={{ ...where, jobId: optimization_job_id }}
          size="sm"
          underline="always"
        >
          an optimization job
        </AnchorLink>{' '}
        that started from {from_version}, with {model}.
      </Text>
      <Text size="sm">
        Validation score <ScoreChange from={score_before} to={score} />
      </Text>
      <Text size="sm">
        Holdout score{' '}
        {made_by.holdout_score === null ? (
          'not measured'
        ) : (
          <ScoreChange from={made_by.holdout_score_before} to={made_by.holdout_score} />
        )}
      </Text>
    </Stack>
  );
}

function Proof({ item }: ItemProps) {
  const { evaluations, assessments, checks, findings } = item;
  if (evaluations.length + assessments.length + checks.length === 0)
    return <None>Nothing was measured of it in this workspace.</None>;
  return (
    <Stack gap={6}>
      {checks.length > 0 && <Checks checks={checks} />}
      {evaluations.map((evaluation) => (
        <Evaluation key={evaluation.id} evaluation={evaluation} />
      ))}
      {assessments.map((assessment) => (
        <Assessment key={assessment.id} assessment={assessment} />
      ))}
      {assessments.length > 0 && (
        <Text size="sm">
          Findings in which an attack succeeded: {formatCount(findings.opened)}
          {findings.opened > 0 && `, ${formatCount(findings.remediated)} of them remediated now`}
        </Text>
      )}
    </Stack>
  );
}

function Checks({ checks }: Pick<JourneyVersion, 'checks'>) {
  const where = useWhere();
  return (
    <Group gap="xs">
      {checks.map(({ id, gate, status, verdict }) => (
        <Group key={id} gap={4} wrap="nowrap">
          <AnchorLink
            to="/o/$org/w/$workspace/gates/$gate/checks/$checkId"
            params={{ ...where, gate, checkId: id }}
            size="sm"
            className="user-text"
          >
            {gate}
          </AnchorLink>
          <VerdictBadge verdict={verdict} status={status} />
        </Group>
      ))}
    </Group>
  );
}

type Interval = { readonly low: number; readonly high: number } | null;

const rangeOf = (interval: Interval): string =>
  interval ? ` (${formatPercent(interval.low)} to ${formatPercent(interval.high)})` : '';

function Evaluation({ evaluation }: { readonly evaluation: JourneyVersion['evaluations'][number] }) {
  const where = useWhere();
  const { id, name, model, pass_rate, pass_rate_interval, n, errors, cost_usd, contaminated_count } =
    evaluation;
  const notes = [
    errors > 0 && `${formatCount(errors)} could not run`,
    contaminated_count !== null &&
      contaminated_count > 0 &&
      `${formatCount(contaminated_count)} contaminated`,
    evaluation.completed_at === null && 'not ended',
  ].filter((note) => note !== false);
  return (
    <Text size="sm">
      <AnchorLink
        to="/o/$org/w/$workspace/evaluations/$evaluationId"
        params={{ ...where, evaluationId: id }}
        size="sm"
        underline="always"
        className="user-text"
      >
        {name}
      </AnchorLink>
      : <b>{formatPercent(pass_rate)}</b>
      {rangeOf(pass_rate_interval)} of {formatCountOf(n, 'sample')} passed with {model}, {formatUsd(cost_usd)}
      {notes.length > 0 && `, ${notes.join(', ')}`}
    </Text>
  );
}

function Assessment({ assessment }: { readonly assessment: JourneyVersion['assessments'][number] }) {
  const where = useWhere();
  const { id, name, asr, asr_interval, n, risk_score, completed_at } = assessment;
  return (
    <Text size="sm">
      <AnchorLink
        to="/o/$org/w/$workspace/red-team/$assessmentId"
        params={{ ...where, assessmentId: id }}
        size="sm"
        underline="always"
        className="user-text"
      >
        {name}
      </AnchorLink>
      : <b>{formatPercent(asr)}</b>
      {rangeOf(asr_interval)} of {formatCountOf(n, 'attack trial')} succeeded
      {risk_score !== null && `, risk ${risk_score.toFixed(1)} of 10`}
      {completed_at === null && ', not ended'}
    </Text>
  );
}
