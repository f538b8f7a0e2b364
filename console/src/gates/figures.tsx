/** Verdicts and bounds of gates. Every colour has a word beside it, for people who cannot see colours. */
import type { GateCheckResponse, GateRule, GateRuleResult } from '@drydock/sdk';
import { Badge, Box } from '@mantine/core';
import {
  formatCount,
  formatCountOf,
  formatDuration,
  formatPercent,
  formatUsd,
} from '../components/format.ts';

const dotBadge = { variant: 'dot', tt: 'none', fw: 500, radius: 'sm', miw: 'max-content' } as const;

const COLORS: Readonly<Record<string, string>> = {
  passed: 'teal',
  failed: 'red',
  inconclusive: 'yellow',
  queued: 'gray',
  running: 'blue',
  cancelled: 'gray',
};

const LABELS: Readonly<Record<string, string>> = {
  passed: 'Passed',
  failed: 'Failed',
  inconclusive: 'Inconclusive',
  queued: 'Queued',
  running: 'Running',
  cancelled: 'Cancelled',
};

type Judged = Pick<GateCheckResponse, 'verdict' | 'status'>;

/** A check that ended without a verdict could not run. */
export function describeVerdict({ verdict, status }: Judged): string {
  if (verdict === null && status === 'failed') return 'Could not run';
  return LABELS[verdict ?? status] ?? status;
}

export function VerdictBadge({ verdict, status }: Judged) {
  const color = verdict === null && status === 'failed' ? 'grape' : (COLORS[verdict ?? status] ?? 'gray');
  return (
    <Badge {...dotBadge} color={color}>
      {describeVerdict({ verdict, status })}
    </Badge>
  );
}

export const hasEnded = ({ status }: Pick<Judged, 'status'>): boolean =>
  status !== 'queued' && status !== 'running';

/** What is checked: a capability with its version, or a model. */
export const targetOf = ({
  capability,
  version,
  model,
}: Pick<GateCheckResponse, 'capability' | 'version' | 'model'>): string =>
  capability === null ? model : `${capability}@${version}`;

type RuleKind = GateRule['kind'];

export const RULE_LABELS: Readonly<Record<RuleKind, string>> = {
  pass_rate: 'Pass rate',
  asr: 'Attack success rate',
  cost: 'Cost of a sample',
  latency: 'Time of a sample',
};

const isRate = (kind: RuleKind): boolean => kind === 'pass_rate' || kind === 'asr';

/** A value in the unit of its rule. */
export function formatValue(kind: RuleKind, value: number | null): string {
  if (value === null) return '–';
  if (isRate(kind)) return formatPercent(value);
  return kind === 'cost' ? formatUsd(value) : formatDuration(1_000 * value);
}

export const describeBound = ({ kind, bound }: Pick<GateRule, 'kind' | 'bound'>): string =>
  `${kind === 'pass_rate' ? 'at least' : 'at most'} ${formatValue(kind, bound)}${isRate(kind) ? '' : ' on average'}`;

/** How far the interval of a rate may reach for the rule to pass. */
export function describeMargin({ kind, bound, margin }: GateRule): string | undefined {
  if (!isRate(kind)) return undefined;
  const end = kind === 'pass_rate' ? Math.max(0, bound - margin) : Math.min(1, bound + margin);
  return `passes when the interval ${kind === 'pass_rate' ? 'begins at' : 'ends at'} ${formatPercent(end)} or ${kind === 'pass_rate' ? 'more' : 'less'}`;
}

/** The tasks or attacks that a rule runs. */
export function describeSource({ task_set, attack_manifest }: GateRule): string {
  if (task_set) return `task set ${task_set}`;
  const attacks = (attack_manifest ?? []).flatMap(({ attack }) => attack?.replaceAll('_', ' ') ?? []);
  return attacks.join(', ');
}

/** How many results a rule has, and how many could not run. */
export function describeSize({ kind, n, errors }: GateRuleResult): string {
  const size = formatCountOf(n, kind === 'asr' ? 'trial' : 'sample');
  return errors > 0 ? `${size}, ${formatCount(errors)} more could not run` : size;
}

export const describeInterval = ({ kind, interval }: GateRuleResult): string | undefined =>
  interval ? `${formatValue(kind, interval.low)} to ${formatValue(kind, interval.high)}` : undefined;

/** The measured value with its interval, against the bound. */
export function BoundBar({ result }: { readonly result: GateRuleResult }) {
  const { kind, bound, value, interval } = result;
  const top = isRate(kind) ? 1 : 1.25 * Math.max(bound, interval?.high ?? 0, value ?? 0, 1e-9);
  const at = (amount: number) => `${Math.min(100, (100 * amount) / top)}%`;
  const range = describeInterval(result);
  const words = `${RULE_LABELS[kind]}: ${formatValue(kind, value)}${range ? `, 95 % interval ${range}` : ''}, bound ${describeBound(result)}, ${describeSize(result)}`;
  const isFloor = kind === 'pass_rate';
  return (
    <Box role="img" aria-label={words} title={words} pos="relative" h={22} miw={160}>
      <Box
        pos="absolute"
        top={6}
        h={10}
        left={0}
        right={0}
        bg="var(--mantine-color-default-border)"
        style={{ borderRadius: 3 }}
      />
      <Box
        pos="absolute"
        top={6}
        h={10}
        bg="var(--mantine-color-teal-6)"
        opacity={0.35}
        style={{
          borderRadius: 3,
          left: isFloor ? at(bound) : 0,
          right: isFloor ? 0 : `calc(100% - ${at(bound)})`,
        }}
      />
      {interval && (
        <Box
          pos="absolute"
          top={10}
          h={2}
          bg="var(--mantine-color-text)"
          style={{
            left: at(interval.low),
            width: `max(2px, calc(${at(interval.high)} - ${at(interval.low)}))`,
          }}
        />
      )}
      {value !== null && (
        <Box
          pos="absolute"
          top={7}
          w={8}
          h={8}
          ml={-4}
          bg="var(--mantine-color-text)"
          style={{ left: at(value), borderRadius: 4 }}
        />
      )}
      <Box
        pos="absolute"
        top={0}
        h={22}
        w={2}
        ml={-1}
        bg="var(--mantine-color-orange-6)"
        style={{ left: at(bound) }}
      />
    </Box>
  );
}
