/** Badges, bars and figures of the red team pages. Every colour has a word beside it, for people who cannot see colours. */
import type { AirtSuccessRate, AssessmentResponse } from '@drydock/sdk';
import { Badge, Box, Group, Progress, Text } from '@mantine/core';
import { formatCount, formatCountOf, formatPercent } from '../components/format.ts';
import styles from './red-team.module.css';
import {
  ASSESSMENT_COLORS,
  ASSESSMENT_LABELS,
  FINDING_COLORS,
  FINDING_LABELS,
  type FindingState,
  type FindingType,
  hasEnded,
  isCancelled,
  SEVERITIES,
  SEVERITY_LABELS,
  type Severity,
  TYPE_LABELS,
} from './states.ts';

const dotBadge = { variant: 'dot', tt: 'none', fw: 500, radius: 'sm', miw: 'max-content' } as const;

export const AssessmentBadge = ({ assessment }: { readonly assessment: AssessmentResponse }) =>
  isCancelled(assessment) ? (
    <Badge {...dotBadge} color="gray">
      Cancelled
    </Badge>
  ) : (
    <Badge {...dotBadge} color={ASSESSMENT_COLORS[assessment.status]}>
      {ASSESSMENT_LABELS[assessment.status]}
    </Badge>
  );

export const FindingBadge = ({ status }: { readonly status: FindingState }) => (
  <Badge {...dotBadge} color={FINDING_COLORS[status]}>
    {FINDING_LABELS[status]}
  </Badge>
);

export const TypeBadge = ({ type }: { readonly type: FindingType }) => (
  <Badge variant="default" tt="none" fw={500} radius="sm" miw="max-content">
    {TYPE_LABELS[type]}
  </Badge>
);

export const SeverityBadge = ({ severity }: { readonly severity: Severity }) => (
  <span className={styles['severity']} data-severity={severity}>
    {SEVERITY_LABELS[severity]}
  </span>
);

type Counts = Readonly<Record<string, number>>;

/** The number of findings of each severity that has any, such as `2 C` on red. */
export function SeverityChips({ counts }: { readonly counts: Counts }) {
  const shown = SEVERITIES.filter((severity) => (counts[severity] ?? 0) > 0);
  if (shown.length === 0)
    return (
      <Text size="xs" c="dimmed">
        none
      </Text>
    );
  const words = shown.map((severity) => `${counts[severity]} ${severity}`).join(', ');
  return (
    <span role="img" aria-label={words} title={words} className={styles['chips']}>
      {shown.map((severity) => (
        <span key={severity} className={styles['severity']} data-severity={severity}>
          {formatCount(counts[severity] ?? 0)} {SEVERITY_LABELS[severity].charAt(0)}
        </span>
      ))}
    </span>
  );
}

type Rate = Pick<AirtSuccessRate, 'asr' | 'interval' | 'n'>;

export const describeInterval = ({ interval }: Pick<Rate, 'interval'>): string | undefined =>
  interval ? `${formatPercent(interval.low)} to ${formatPercent(interval.high)}` : undefined;

/** A rate with its interval behind it, smaller: `40 %`, then `23 % to 59 %`. */
export function RateText({ rate }: { readonly rate: Rate }) {
  const interval = describeInterval(rate);
  return (
    <span style={{ whiteSpace: 'nowrap' }}>
      {formatPercent(rate.asr)}
      {interval && (
        <Text span size="xs" c="dimmed">
          {' '}
          {interval}
        </Text>
      )}
    </span>
  );
}

interface AsrBarProps {
  /** What the rate is of, for people who cannot see the bar. */
  readonly label: string;
  readonly rate: Rate;
  readonly height?: number;
}

/** A success rate of attacks as a bar, with its interval at 95 % as whiskers. */
export function AsrBar({ label, rate: { asr, interval, n }, height = 12 }: AsrBarProps) {
  const range = describeInterval({ interval });
  const words = `${formatPercent(asr)}${range ? `, 95 % interval ${range}` : ''}, ${formatCountOf(n, 'trial')}`;
  const position = (share: number) => `${100 * share}%`;
  return (
    <Box role="img" aria-label={`${label}: ${words}`} title={words} className={styles['bar']} h={height}>
      <div className={styles['barFill']} style={{ width: position(asr ?? 0) }} />
      {interval && (
        <div
          className={styles['whisker']}
          style={{
            left: position(interval.low),
            width: position(Math.max(0.004, interval.high - interval.low)),
          }}
        />
      )}
    </Box>
  );
}

/** The word and the severity colour for a risk from 0 to 10. */
export function riskWord(risk: number): { readonly word: string; readonly severity: Severity } {
  if (risk >= 8) return { word: 'Critical', severity: 'critical' };
  if (risk >= 6) return { word: 'High', severity: 'high' };
  if (risk >= 3) return { word: 'Medium', severity: 'medium' };
  return risk > 0 ? { word: 'Low', severity: 'low' } : { word: 'None found', severity: 'info' };
}

export function RiskText({ risk }: { readonly risk: number | null }) {
  if (risk === null) return <span>–</span>;
  return (
    <span style={{ whiteSpace: 'nowrap' }}>
      {risk.toFixed(1)}{' '}
      <Text span size="xs" c="dimmed">
        {riskWord(risk).word}
      </Text>
    </span>
  );
}

/** Findings that have ended, as a bar while the assessment runs. */
export function FindingProgress({ assessment }: { readonly assessment: AssessmentResponse }) {
  const { progress, status, name } = assessment;
  const { findings, completed_findings } = progress;
  const words = `${formatCount(completed_findings)} / ${formatCount(findings)}`;
  if (hasEnded(status) || status === 'pending') return <span>{formatCount(findings)}</span>;
  return (
    <Group gap="xs" wrap="nowrap" miw={110}>
      <Progress
        flex={1}
        value={findings > 0 ? (100 * completed_findings) / findings : 0}
        aria-label={`${name}: ${completed_findings} of ${formatCountOf(findings, 'finding')}`}
      />
      <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        {words}
      </Text>
    </Group>
  );
}
